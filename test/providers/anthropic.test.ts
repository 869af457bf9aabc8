import { createAnthropic } from '@ai-sdk/anthropic'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'
import { expectGrown, grown, requestOf, resultsOf, take } from './exchange.ts'
import { type AnthropicBlock, type AnthropicReply, start } from './servers/anthropic.ts'
import type { ProviderServer } from './servers/sse-server.ts'

const prompt: ModelMessage[] = [{ role: 'user', content: 'Which shirt do I wear?' }]
const thinking = { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } } }
const question: AnthropicBlock = {
  type: 'tool_use',
  id: 'toolu_a',
  name: 'question',
  input: '{"question":"Which size?"}',
}
const lookUp: AnthropicBlock = { ...question, id: 'toolu_b', name: 'look_up', input: '{"q":"shirts"}' }

let server: ProviderServer<AnthropicReply>
beforeEach(async () => {
  server = await start()
})
afterEach(() => server.close())

function fresh() {
  return aiSdkModel(createAnthropic({ baseURL: server.url, apiKey: 'none' })('claude-sonnet-4-5'))
}

function sent(request: number) {
  return JSON.parse(server.requests[request]?.body ?? '')
}

describe('Anthropic Messages', () => {
  it('sends thinking with its signature and parallel calls back from a new process', async () => {
    server.script(
      {
        blocks: [
          { type: 'thinking', thinking: 'He is tall.', signature: 'SIGNATURE+/==' },
          { type: 'redacted_thinking', data: 'REDACTED+/==' },
          { type: 'text', text: 'I will ask.' },
          question,
          lookUp,
        ],
      },
      { blocks: [{ type: 'text', text: 'M.' }] },
    )
    const first = await take(fresh(), requestOf(prompt, { settings: thinking }))
    expect(first.deltas.join('')).toBe('I will ask.')
    expect(first.reply).toMatchObject({
      text: 'I will ask.',
      finish: 'tool-calls',
      usage: { inputTokens: 11, outputTokens: 7 },
      calls: [
        { id: 'toolu_a', tool: 'question', input: { question: 'Which size?' } },
        { id: 'toolu_b', tool: 'look_up', input: { q: 'shirts' } },
      ],
    })

    const later = grown(prompt, first.reply, resultsOf(first.reply))
    expect(wellFormed(later)).toEqual([])
    const second = await take(fresh(), requestOf(later, { settings: thinking }))
    expect(second.reply).toMatchObject({ text: 'M.', finish: 'stop' })
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'messages')
    expect(sent(1).messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'He is tall.', signature: 'SIGNATURE+/==' },
          { type: 'redacted_thinking', data: 'REDACTED+/==' },
          { type: 'text', text: 'I will ask.' },
          { type: 'tool_use', id: 'toolu_a', name: 'question', input: { question: 'Which size?' } },
          { type: 'tool_use', id: 'toolu_b', name: 'look_up', input: { q: 'shirts' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_a', content: 'result of question' },
          { type: 'tool_result', tool_use_id: 'toolu_b', content: 'result of look_up' },
        ],
      },
    ])
  })

  it('leaves tools that the provider ran to it, and sends them back', async () => {
    const ran: AnthropicBlock = {
      type: 'mcp_tool_use',
      id: 'mcp_1',
      name: 'find',
      server_name: 'docs',
      input: { q: 1 },
    }
    const gave: AnthropicBlock = {
      type: 'mcp_tool_result',
      tool_use_id: 'mcp_1',
      is_error: false,
      content: [{ type: 'text', text: 'found' }],
    }
    server.script({ blocks: [ran, gave, question] }, { blocks: [{ type: 'text', text: 'M.' }] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toEqual([{ id: 'toolu_a', tool: 'question', input: { question: 'Which size?' } }])
    const later = grown(prompt, reply, resultsOf(reply))
    expect(wellFormed(later)).toEqual([])
    await take(fresh(), requestOf(later))
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'messages')
    expect(sent(1).messages[1].content).toMatchObject([
      { type: 'mcp_tool_use', id: 'mcp_1', server_name: 'docs', input: { q: 1 } },
      { type: 'mcp_tool_result', tool_use_id: 'mcp_1', content: [{ type: 'text', text: 'found' }] },
      { type: 'tool_use', id: 'toolu_a' },
    ])
  })

  it.each(['{"question":', '[1]', 'null'])('sends back a dictionary for a call with the input %s', async (input) => {
    server.script({ blocks: [{ ...question, input } as AnthropicBlock] }, { blocks: [{ type: 'text', text: 'M.' }] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toMatchObject([{ id: 'toolu_a', tool: 'question' }])
    const later = grown(prompt, reply, resultsOf(reply))
    expect(wellFormed(later)).toEqual([])
    await take(fresh(), requestOf(later))
    const [call] = sent(1).messages[1].content
    // Anthropic refuses anything else with 400, for good: the run could never go on.
    expect(Object.prototype.toString.call(call.input)).toBe('[object Object]')
  })

  it('gives the text of a refusal and of a length limit, and says which', async () => {
    const half: AnthropicBlock = { type: 'text', text: 'It is' }
    server.script(
      { blocks: [half], stop: 'refusal' },
      { blocks: [], stop: 'refusal' },
      { blocks: [half], stop: 'max_tokens' },
    )
    const replies = []
    for (let count = 0; count < 3; count += 1) replies.push((await take(fresh(), requestOf(prompt))).reply)
    expect(replies.map(({ text, finish }) => ({ text, finish }))).toEqual([
      { text: 'It is', finish: 'content-filter' },
      { text: '', finish: 'content-filter' },
      { text: 'It is', finish: 'length' },
    ])
  })

  it('sends images and files as base64 as they are, and leaves URLs to the provider', async () => {
    server.script({ blocks: [{ type: 'text', text: 'ok' }] })
    const content = [
      { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'image', image: 'https://127.0.0.1:9/shirt.png' },
      { type: 'file', data: 'JVBERi0xLjQ=', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: 'https://127.0.0.1:9/a.pdf', mediaType: 'application/pdf' },
    ]
    await take(fresh(), requestOf([{ role: 'user', content } as ModelMessage]))
    expect(sent(0).messages[0].content).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'url', url: 'https://127.0.0.1:9/shirt.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' } },
      { type: 'document', source: { type: 'url', url: 'https://127.0.0.1:9/a.pdf' } },
    ])
  })
})
