import type { ModelMessage, ModelReply, ModelRequest } from 'querent/model'
import { ModelError } from 'querent/model'
import { type ScriptedModel, scriptedModel } from 'querent/testing'
import { describe, expect, it } from 'vitest'

const hello: ModelMessage = { role: 'user', content: 'Hello' }

function requestOf(messages: ModelMessage[], signal = new AbortController().signal): ModelRequest {
  return { messages, tools: [], instructions: 'Be brief.', settings: {}, signal }
}

async function replyTo(model: ScriptedModel, messages: ModelMessage[], signal?: AbortSignal) {
  const words: string[] = []
  let reply: ModelReply | undefined
  for await (const part of model.step(requestOf(messages, signal))) {
    if (part.type === 'text') words.push(part.text)
    else reply = part
  }
  if (!reply) throw new Error('no reply')
  return { words, reply }
}

function grown(messages: ModelMessage[], reply: ModelReply): ModelMessage[] {
  return [...messages, ...reply.messages.map((text) => JSON.parse(text) as ModelMessage), hello]
}

describe('scriptedModel', () => {
  it('streams text word by word and replies with all of it', async () => {
    const model = scriptedModel([{ text: 'Two  words.', reasoning: 'hm' }])
    const { words, reply } = await replyTo(model, [hello])
    expect(words).toEqual(['Two  ', 'words.'])
    expect(reply).toEqual({
      type: 'reply',
      messages: [
        '{"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"Two  words."}]}',
      ],
      text: 'Two  words.',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 10 },
    })
  })

  it('plays the turn of the prompt, so that a new instance goes on where the old one stopped', async () => {
    const turns = [{ calls: [{ tool: 'look', input: {} }] }, { text: 'second' }]
    const { reply } = await replyTo(scriptedModel(turns), [hello])
    expect(reply.calls).toEqual([{ id: 'call_1_1', tool: 'look', input: {} }])
    expect(reply.finish).toBe('tool-calls')
    const elsewhere = scriptedModel(turns)
    const later = grown([hello], reply)
    expect((await replyTo(elsewhere, later)).reply.text).toBe('second')
    expect((await replyTo(elsewhere, later)).reply.text).toBe('second')
  })

  it('counts a turn that says nothing', async () => {
    const model = scriptedModel([{}, { text: 'second' }])
    const { reply } = await replyTo(model, [hello])
    expect((await replyTo(model, grown([hello], reply))).reply.text).toBe('second')
  })

  it('keeps ids as they are given, empty and twice the same', async () => {
    const calls = ['', 'same', 'same', undefined].map((id) => ({ tool: 'look', input: {}, id }))
    const { reply } = await replyTo(scriptedModel([{ calls }]), [hello])
    expect(reply.calls.map((call) => call.id)).toEqual(['', 'same', 'same', 'call_1_4'])
    const [message] = reply.messages
    expect(message?.match(/"toolCallId":"[^"]*"/g)).toEqual(
      ['', 'same', 'same', 'call_1_4'].map((id) => `"toolCallId":"${id}"`),
    )
  })

  it('fails as often as it is told, then plays what follows at the same index', async () => {
    const model = scriptedModel([
      { error: 'busy', times: 2 },
      { error: { message: 'slow', retryAfterMs: 7 } },
      { text: 'ok' },
    ])
    await expect(replyTo(model, [hello])).rejects.toMatchObject({ message: 'busy', retryable: true })
    await expect(replyTo(model, [hello])).rejects.toMatchObject({ message: 'busy' })
    await expect(replyTo(model, [hello])).rejects.toMatchObject({ message: 'slow', retryable: true, retryAfterMs: 7 })
    expect((await replyTo(model, [hello])).reply.text).toBe('ok')
    expect((await replyTo(model, [hello])).reply.text).toBe('ok')
    expect(model.calls).toBe(5)
  })

  it('streams text before it fails, and throws an Error as it is', async () => {
    const fault = new TypeError('boom')
    const words: string[] = []
    const read = async () => {
      for await (const part of scriptedModel([{ text: 'Half a', error: fault }]).step(requestOf([hello]))) {
        if (part.type === 'text') words.push(part.text)
      }
    }
    await expect(read()).rejects.toBe(fault)
    expect(words).toEqual(['Half ', 'a'])
  })

  it('asks a function with the request', async () => {
    const model = scriptedModel([
      async (request) => ({ text: `${request.messages.length} and ${request.instructions}` }),
    ])
    expect((await replyTo(model, [hello, hello])).reply.text).toBe('2 and Be brief.')
  })

  it('fails for good when its turns have run out', async () => {
    const model = scriptedModel([{ text: 'only' }])
    const { reply } = await replyTo(model, [hello])
    const fault = replyTo(model, grown([hello], reply))
    await expect(fault).rejects.toBeInstanceOf(ModelError)
    await expect(fault).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('turn 2') })
  })

  it('keeps copies of what it was sent', async () => {
    const model = scriptedModel([{ text: 'ok' }])
    const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
    await replyTo(model, messages)
    messages.push(hello)
    expect(model.prompts).toEqual([
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
        tools: [],
        instructions: 'Be brief.',
        settings: {},
      },
    ])
  })

  it('sends its content exactly, unknown keys too, and makes the calls from it', async () => {
    const content = [
      { type: 'reasoning', text: 'hm', providerOptions: { x: { signature: 'S' } }, unknown: [1] },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { a: 1 }, providerOptions: { x: { t: 'T' } } },
    ]
    const { reply } = await replyTo(scriptedModel([{ content }]), [hello])
    expect(reply.messages).toEqual([JSON.stringify({ role: 'assistant', content })])
    expect(reply).toMatchObject({ text: 'Let me see.', calls: [{ id: 'c', tool: 'look', input: { a: 1 } }] })
  })

  it('reports no usage where it is told so', async () => {
    const { reply } = await replyTo(scriptedModel([{ text: 'ok', usage: null }]), [hello])
    expect('usage' in reply).toBe(false)
  })

  it('hands over a call that could not be read', async () => {
    const calls = [{ tool: 'look', input: '{"a":', invalid: 'not JSON' }]
    const { reply } = await replyTo(scriptedModel([{ calls }]), [hello])
    expect(reply.calls).toEqual([{ id: 'call_1_1', tool: 'look', input: '{"a":', invalid: 'not JSON' }])
    expect(reply.messages[0]).toContain('"input":{}')
  })

  it('holds its reply back, and lets go when the request is aborted', async () => {
    const gate = Promise.withResolvers<void>()
    const parts = scriptedModel([{ text: 'word', hold: gate.promise }])
      .step(requestOf([hello]))
      [Symbol.asyncIterator]()
    expect((await parts.next()).value).toEqual({ type: 'text', text: 'word' })
    const next = parts.next()
    gate.resolve()
    expect((await next).value).toMatchObject({ type: 'reply', text: 'word' })

    const abort = new AbortController()
    const held = replyTo(scriptedModel([{ text: 'word', hold: new Promise(() => {}) }]), [hello], abort.signal)
    abort.abort('stopped')
    await expect(held).rejects.toBe('stopped')
  })
})
