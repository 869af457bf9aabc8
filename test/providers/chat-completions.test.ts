import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'
import { expectGrown, grown, requestOf, resultsOf, take } from './exchange.ts'
import { type ChatReply, start } from './servers/chat-completions.ts'
import type { ProviderServer } from './servers/sse-server.ts'

const prompt: ModelMessage[] = [{ role: 'user', content: 'Which shirt do I wear?' }]
const twoCalls = [
  { id: 'call_a', name: 'question', arguments: '{"question":"Which size?","choices":["S","M"]}' },
  { id: 'call_b', name: 'look_up', arguments: '{"q":"shirts"}' },
]

let server: ProviderServer<ChatReply>
beforeEach(async () => {
  server = await start()
})
afterEach(() => server.close())

const providers = {
  openai: () => aiSdkModel(createOpenAI({ baseURL: server.url, apiKey: 'none' }).chat('gpt-5.6')),
  'openai-compatible': () =>
    aiSdkModel(createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true })('some-model')),
}

describe.each(Object.entries(providers))('Chat Completions with %s', (_, fresh) => {
  it('hands over parallel calls, and a new process goes on with the same bytes', async () => {
    server.script({ text: 'I will ask.', calls: twoCalls }, { text: 'Take M.' })
    const first = await take(fresh(), requestOf(prompt))
    expect(first.deltas.join('')).toBe('I will ask.')
    expect(first.deltas.length).toBeGreaterThan(1)
    expect(first.reply).toMatchObject({
      text: 'I will ask.',
      finish: 'tool-calls',
      usage: { inputTokens: 11, outputTokens: 7 },
      calls: [
        { id: 'call_a', tool: 'question', input: { question: 'Which size?', choices: ['S', 'M'] } },
        { id: 'call_b', tool: 'look_up', input: { q: 'shirts' } },
      ],
    })

    const later = grown(prompt, first.reply, resultsOf(first.reply))
    expect(wellFormed(later)).toEqual([])
    const second = await take(fresh(), requestOf(later))
    expect(second.reply).toMatchObject({ text: 'Take M.', finish: 'stop', calls: [] })
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'messages')
    const sent = JSON.parse(server.requests[1]?.body ?? '')
    expect(sent.messages.slice(2)).toMatchObject([
      { role: 'assistant', content: 'I will ask.', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
      { role: 'tool', tool_call_id: 'call_a', content: 'result of question' },
      { role: 'tool', tool_call_id: 'call_b', content: 'result of look_up' },
    ])
  })

  it('sends instructions, tools in their order and settings', async () => {
    server.script({ text: 'ok' })
    const settings = {
      temperature: 0,
      maxOutputTokens: 9,
      stopSequences: ['END'],
      toolChoice: 'auto',
      headers: { 'x-a': 'b' },
    }
    await take(fresh(), requestOf(prompt, { settings: { ...settings, toolChoice: 'auto' } }))
    const [request] = server.requests
    expect(request?.headers['x-a']).toBe('b')
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      messages: [{ content: 'Be brief.' }, { role: 'user', content: 'Which shirt do I wear?' }],
      tools: [
        { function: { name: 'look_up', parameters: { required: ['q'] } } },
        { function: { name: 'question', parameters: { additionalProperties: true } } },
      ],
      tool_choice: 'auto',
      stop: ['END'],
    })
  })

  it('sends no choice of tools where there are none, and no empty instructions', async () => {
    server.script({ text: 'ok' })
    await take(fresh(), requestOf(prompt, { tools: [], instructions: '', settings: { toolChoice: 'required' } }))
    const body = JSON.parse(server.requests[0]?.body ?? '')
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
    expect(body.messages).toHaveLength(1)
  })

  it('hands over a call whose input is no JSON in its place, and sends back what a provider takes', async () => {
    const garbage = { id: 'call_g', name: 'question', arguments: '{"question":"Which' }
    server.script({ calls: [garbage, { ...twoCalls[1], id: 'call_b' } as typeof garbage] }, { text: 'Sorry.' })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toEqual([
      { id: 'call_g', tool: 'question', input: garbage.arguments, invalid: expect.stringContaining('is not JSON') },
      { id: 'call_b', tool: 'look_up', input: { q: 'shirts' } },
    ])
    expect(reply.messages).toHaveLength(1)
    const later = grown(prompt, reply, resultsOf(reply))
    expect(wellFormed(later)).toEqual([])
    await take(fresh(), requestOf(later))
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'messages')
    const [, , assistant] = JSON.parse(server.requests[1]?.body ?? '').messages
    expect(JSON.parse(assistant.tool_calls[0].function.arguments)).toEqual({})
  })

  it('says of a call that was cut off by the length limit why it cannot be read', async () => {
    server.script({ calls: [{ id: 'call_l', name: 'look_up', arguments: '{"q":"shi' }], finish: 'length' })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.finish).toBe('length')
    expect(reply.calls[0]?.invalid).toContain('cut off at the limit of output tokens')
  })

  it('hands over a call of a tool that does not exist', async () => {
    server.script({ calls: [{ id: 'call_n', name: 'nothing', arguments: '{"a":1}' }] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls).toEqual([{ id: 'call_n', tool: 'nothing', input: { a: 1 } }])
    expect(reply.messages).toHaveLength(1)
  })

  it('hands over an id that was used in an earlier reply as it came, and never one twice in a reply', async () => {
    const same = { id: 'same', name: 'look_up', arguments: '{"q":"a"}' }
    server.script({ calls: [same, same] }, { calls: [same] })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect(reply.calls.map((call) => call.id)).toEqual(['same', expect.not.stringMatching(/^same$/)])
    const later = grown(prompt, reply, resultsOf(reply))
    expect(wellFormed(later)).toEqual([])
    const again = await take(fresh(), requestOf(later))
    expect(again.reply.calls).toEqual([{ id: 'same', tool: 'look_up', input: { q: 'a' } }])
  })

  it('gives the text of a refusal, a filter and a length limit, and says which', async () => {
    server.script(
      { refusal: 'I will not.' },
      { text: 'It is', finish: 'content_filter' },
      { finish: 'content_filter' },
      { text: 'It is', finish: 'length' },
    )
    const replies = []
    for (let count = 0; count < 4; count += 1) replies.push((await take(fresh(), requestOf(prompt))).reply)
    expect(replies.map(({ text, finish }) => ({ text, finish }))).toEqual([
      { text: 'I will not.', finish: 'content-filter' },
      { text: 'It is', finish: 'content-filter' },
      { text: '', finish: 'content-filter' },
      { text: 'It is', finish: 'length' },
    ])
  })

  it('reports no usage where the provider reports none', async () => {
    server.script({ text: 'ok', usage: null })
    const { reply } = await take(fresh(), requestOf(prompt))
    expect('usage' in reply).toBe(false)
  })

  it('sends images and files as base64 as they are', async () => {
    server.script({ text: 'ok' })
    const content: ModelMessage['content'] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'file', data: 'JVBERi0xLjQ=', mediaType: 'application/pdf', filename: 'a.pdf' },
    ]
    await take(fresh(), requestOf([{ role: 'user', content } as ModelMessage]))
    const [, user] = JSON.parse(server.requests[0]?.body ?? '').messages
    expect(user.content).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } },
    ])
  })
})

const picture: ModelMessage = {
  role: 'user',
  content: [{ type: 'image', image: 'https://127.0.0.1:9/shirt.png' }],
}

it('leaves the URL of an image to OpenAI', async () => {
  server.script({ text: 'ok' })
  await take(providers.openai(), requestOf([picture]))
  const [, user] = JSON.parse(server.requests[0]?.body ?? '').messages
  expect(user.content).toEqual([{ type: 'image_url', image_url: { url: 'https://127.0.0.1:9/shirt.png' } }])
})

it('downloads the URL of an image where a provider cannot, but never from a private address', async () => {
  const refused = take(providers['openai-compatible'](), requestOf([picture]))
  await expect(refused).rejects.toMatchObject({ name: 'ModelError', retryable: false })
  await expect(refused).rejects.toThrow('127.0.0.1')
  expect(server.requests).toEqual([])
})

it('keeps the reasoning of a compatible server out of the text and sends it back', async () => {
  server.script({ reasoning: 'He is tall.', text: 'I ask.', calls: twoCalls.slice(0, 1) }, { text: 'M.' })
  const { deltas, reply } = await take(providers['openai-compatible'](), requestOf(prompt))
  expect([deltas.join(''), reply.text]).toEqual(['I ask.', 'I ask.'])
  await take(providers['openai-compatible'](), requestOf(grown(prompt, reply, resultsOf(reply))))
  expectGrown(server.requests[0]?.body, server.requests[1]?.body, 'messages')
  expect(JSON.parse(server.requests[1]?.body ?? '').messages[2]).toMatchObject({ reasoning_content: 'He is tall.' })
})
