import { createOpenAI } from '@ai-sdk/openai'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'
import { expectGrown, grown, requestOf, resultsOf, take } from './exchange.ts'
import { type ResponsesItem, type ResponsesReply, start } from './servers/responses.ts'
import type { ProviderServer } from './servers/sse-server.ts'

const prompt: ModelMessage[] = [{ role: 'user', content: 'Which shirt do I wear?' }]
const reasoning: ResponsesItem = {
  type: 'reasoning',
  id: 'rs_1',
  summary: ['He is tall.', 'I should ask.'],
  encrypted: 'ENCRYPTED+/==',
}
const question: ResponsesItem = {
  type: 'call',
  id: 'fc_1',
  callId: 'call_a',
  name: 'question',
  arguments: '{"question":"Which size?"}',
}
const lookUp: ResponsesItem = {
  ...question,
  id: 'fc_2',
  callId: 'call_b',
  name: 'look_up',
  arguments: '{"q":"shirts"}',
}

let server: ProviderServer<ResponsesReply>
beforeEach(async () => {
  server = await start()
})
afterEach(() => server.close())

function fresh() {
  return aiSdkModel(createOpenAI({ baseURL: server.url, apiKey: 'none' })('gpt-5.6'))
}

function sent(request: number) {
  return JSON.parse(server.requests[request]?.body ?? '')
}

describe('OpenAI Responses', () => {
  it('asks not to store, and sends encrypted reasoning and parallel calls back from a new process', async () => {
    const text: ResponsesItem = { type: 'text', id: 'msg_1', text: 'I will ask.', phase: 'commentary' }
    server.script(
      { items: [reasoning, text, question, lookUp] },
      { items: [{ type: 'text', id: 'msg_2', text: 'M.' }] },
    )
    const first = await take(fresh(), requestOf(prompt))
    expect(first.deltas.join('')).toBe('I will ask.')
    expect(first.reply).toMatchObject({
      text: 'I will ask.',
      finish: 'tool-calls',
      usage: { inputTokens: 11, outputTokens: 7 },
      calls: [
        { id: 'call_a', tool: 'question', input: { question: 'Which size?' } },
        { id: 'call_b', tool: 'look_up', input: { q: 'shirts' } },
      ],
    })
    expect(sent(0)).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })

    const later = grown(prompt, first.reply, resultsOf(first.reply))
    expect(wellFormed(later)).toEqual([])
    expect((await take(fresh(), requestOf(later))).reply).toMatchObject({ text: 'M.', finish: 'stop' })
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'input')
    const summary = ['He is tall.', 'I should ask.'].map((part) => ({ type: 'summary_text', text: part }))
    expect(sent(1).input.slice(2)).toMatchObject([
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'ENCRYPTED+/==', summary },
      { role: 'assistant', content: 'I will ask.', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_a', name: 'question', arguments: '{"question":"Which size?"}' },
      { type: 'function_call', call_id: 'call_b', name: 'look_up' },
      { type: 'function_call_output', call_id: 'call_a', output: 'result of question' },
      { type: 'function_call_output', call_id: 'call_b', output: 'result of look_up' },
    ])
    expect(server.requests[1]?.body).not.toContain('item_reference')
  })

  it('lets the settings store, and keeps the other options of the provider', async () => {
    server.script({ items: [] }, { items: [] })
    const store = { settings: { providerOptions: { openai: { store: true } } } }
    await take(fresh(), requestOf(prompt, store))
    expect(sent(0).store).toBe(true)
    const effort = { settings: { providerOptions: { openai: { reasoningEffort: 'low' } } } }
    await take(fresh(), requestOf(prompt, effort))
    expect(sent(1)).toMatchObject({ store: false, reasoning: { effort: 'low' } })
  })

  it.each([
    ['azure', { azure: { reasoningEffort: 'low' } }],
    ['openai', { openai: { reasoningEffort: 'low' } }],
  ])('asks not to store on Azure, where the options stand under %s', async (_, providerOptions) => {
    server.script({ items: [] })
    const azure = createOpenAI({ name: 'azure', baseURL: server.url, apiKey: 'none' })('gpt-5.6')
    await take(aiSdkModel(azure), requestOf(prompt, { settings: { providerOptions } }))
    expect(sent(0)).toMatchObject({ store: false, reasoning: { effort: 'low' } })
  })

  // The provider package sends neither such a call nor its result back where nothing is stored.
  it('leaves tools that the provider ran to it, and keeps what they gave', async () => {
    const mcp: ResponsesItem = { type: 'mcp', id: 'mcp_1', name: 'find', arguments: '{"q":1}', output: 'found' }
    server.script({ items: [mcp, question] }, { items: [{ type: 'text', id: 'msg_2', text: 'M.' }] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toEqual([{ id: 'call_a', tool: 'question', input: { question: 'Which size?' } }])
    const [message] = reply.messages.map((text) => JSON.parse(text))
    expect(message.content).toMatchObject([
      { type: 'tool-call', providerExecuted: true, toolCallId: 'mcp_1' },
      { type: 'tool-result', toolCallId: 'mcp_1', output: { value: { output: 'found' } } },
      { type: 'tool-call', toolCallId: 'call_a' },
    ])
    const later = grown(prompt, reply, resultsOf(reply))
    expect(wellFormed(later)).toEqual([])
    await take(fresh(), requestOf(later))
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'input')
  })

  it('hands over a call whose input is no JSON in its place', async () => {
    server.script({ items: [{ ...question, arguments: '{"question":' } as ResponsesItem, lookUp] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toMatchObject([
      { id: 'call_a', invalid: expect.stringContaining('is not JSON') },
      { id: 'call_b' },
    ])
    expect(wellFormed(grown(prompt, reply, resultsOf(reply)))).toEqual([])
  })

  it('gives the text of a refusal, a filter and a length limit, and says which', async () => {
    const half: ResponsesItem = { type: 'text', id: 'msg_1', text: 'It is' }
    server.script(
      { items: [{ type: 'refusal', id: 'msg_1', refusal: 'I will not.' }] },
      { items: [half], end: { incomplete: 'content_filter' } },
      { items: [half], end: { incomplete: 'max_output_tokens' } },
    )
    const replies = []
    for (let count = 0; count < 3; count += 1) replies.push((await take(fresh(), requestOf(prompt))).reply)
    expect(replies.map(({ text, finish }) => ({ text, finish }))).toEqual([
      { text: 'I will not.', finish: 'content-filter' },
      { text: 'It is', finish: 'content-filter' },
      { text: 'It is', finish: 'length' },
    ])
  })

  it('reports no usage where the provider reports none', async () => {
    server.script({ items: [{ type: 'text', id: 'msg_1', text: 'ok' }], usage: null })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect('usage' in reply).toBe(false)
  })

  it('sends images and files as base64 as they are, and leaves URLs to the provider', async () => {
    server.script({ items: [] })
    const content = [
      { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'image', image: 'https://127.0.0.1:9/shirt.png' },
      { type: 'file', data: 'JVBERi0xLjQ=', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: 'https://127.0.0.1:9/a.pdf', mediaType: 'application/pdf' },
    ]
    await take(fresh(), requestOf([{ role: 'user', content } as ModelMessage]))
    expect(sent(0).input[1].content).toEqual([
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_image', image_url: 'https://127.0.0.1:9/shirt.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
      { type: 'input_file', file_url: 'https://127.0.0.1:9/a.pdf' },
    ])
  })
})
