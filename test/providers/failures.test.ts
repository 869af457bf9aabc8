import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { type Model, ModelError, type ModelMessage } from 'querent/model'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'
import { requestOf, take } from './exchange.ts'
import { type AnthropicReply, start as startAnthropic } from './servers/anthropic.ts'
import { type ChatReply, start as startChat } from './servers/chat-completions.ts'
import { type ResponsesReply, start as startResponses } from './servers/responses.ts'
import type { PlainAnswer, ProviderServer, StreamAnswer } from './servers/sse-server.ts'

const prompt: ModelMessage[] = [{ role: 'user', content: 'Hello' }]
const settings = { apiKey: 'none' }
const servers: ProviderServer<never>[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  vi.restoreAllMocks()
})

/** A provider that says half a sentence and then fails in one of its ways. */
interface Setting {
  model: Model
  server: Pick<ProviderServer<never>, 'requests' | 'hungUp'>
  answer(plain: PlainAnswer): void
  /** `error`: an event that says so comes after the half. `after`: what becomes of the connection then. */
  half(error?: ErrorKind, after?: StreamAnswer['after']): void
}

type ErrorKind = 'overloaded' | 'bad request' | 'none'

const say = 'Half a sentence'

async function chatSetting(modelAt: (baseURL: string) => LanguageModel): Promise<Setting> {
  const server = await startChat()
  servers.push(server)
  const errors: Record<ErrorKind, ChatReply['error']> = {
    overloaded: { message: 'The server had an error', type: 'server_error' },
    'bad request': { message: 'No', type: 'invalid_request_error' },
    none: undefined,
  }
  return {
    model: aiSdkModel(modelAt(server.url)),
    server,
    answer: (plain) => server.script(plain),
    half: (error = 'none', after = 'end') => server.script({ text: say, finish: null, error: errors[error], after }),
  }
}

const openai = () => chatSetting((baseURL) => createOpenAI({ ...settings, baseURL }).chat('gpt-5.6'))
const compatible = () => chatSetting((baseURL) => createOpenAICompatible({ name: 'local', baseURL })('some-model'))

async function responses(): Promise<Setting> {
  const server = await startResponses()
  servers.push(server)
  const items: ResponsesReply['items'] = [{ type: 'text', id: 'msg_1', text: say }]
  const ends: Record<ErrorKind, ResponsesReply['end']> = {
    overloaded: { failed: { code: 'server_error', message: 'The server had an error' } },
    'bad request': { error: { code: 'invalid_prompt', message: 'No', param: null } },
    none: null,
  }
  return {
    model: aiSdkModel(createOpenAI({ ...settings, baseURL: server.url })('gpt-5.6')),
    server,
    answer: (plain) => server.script(plain),
    half: (error = 'none', after = 'end') => server.script({ items, end: ends[error], after }),
  }
}

async function anthropic(): Promise<Setting> {
  const server = await startAnthropic()
  servers.push(server)
  const blocks: AnthropicReply['blocks'] = [{ type: 'text', text: say }]
  const errors: Record<ErrorKind, AnthropicReply['error']> = {
    overloaded: { type: 'overloaded_error', message: 'Overloaded' },
    'bad request': { type: 'invalid_request_error', message: 'No' },
    none: undefined,
  }
  return {
    model: aiSdkModel(createAnthropic({ ...settings, baseURL: server.url })('claude-sonnet-4-5')),
    server,
    answer: (plain) => server.script(plain),
    half: (error = 'none', after = 'end') => server.script({ blocks, stop: null, error: errors[error], after }),
  }
}

/** What arrives before the failure, and the failure. */
async function failureOf(model: Model, signal?: AbortSignal): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const part of model.step(requestOf(prompt, signal ? { signal } : {}))) {
      if (part.type === 'reply') throw new Error('a reply came')
      text += part.text
    }
  } catch (error) {
    return { text, error }
  }
  throw new Error('nothing failed')
}

describe.each(Object.entries({ openai, compatible, responses, anthropic }))('a call that fails: %s', (_, begin) => {
  it.each([
    [429, { 'retry-after': '7' }, { retryable: true, retryAfterMs: 7000 }],
    [429, { 'retry-after-ms': '250', 'retry-after': '7' }, { retryable: true, retryAfterMs: 250 }],
    [
      503,
      { 'retry-after': 'Mon, 30 Nov 2026 10:01:30 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' },
      { retryable: true, retryAfterMs: 90_000 },
    ],
    [500, {}, { retryable: true, retryAfterMs: undefined }],
    [529, {}, { retryable: true, retryAfterMs: undefined }],
    [400, {}, { retryable: false, retryAfterMs: undefined }],
    [401, {}, { retryable: false, retryAfterMs: undefined }],
  ])('with status %i and the headers %o', async (status, headers, expected) => {
    const { model, server, answer } = await begin()
    answer({ status, headers })
    const { error } = await failureOf(model)
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject(expected)
    expect((error as Error).message).toContain(`HTTP ${status}`)
    // The engine retries, and only it: it counts, waits by its clock and can be stopped.
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['the connection breaks', 'none', 'cut'],
    ['the stream ends', 'none', 'end'],
    ['the provider is overloaded', 'overloaded', 'end'],
  ] as const)('half-way, and may be retried: %s', async (_, how, after) => {
    const printed = vi.spyOn(console, 'error')
    const { model, half } = await begin()
    half(how, after)
    const { text, error } = await failureOf(model)
    expect(error).toMatchObject({ name: 'ModelError', retryable: true })
    // What was on its way when the connection broke may be lost.
    if (after !== 'cut') expect(text).toBe(say)
    expect(printed).not.toHaveBeenCalled()
  })

  it('half-way for a fault of the request, and may not be retried', async () => {
    const { model, half } = await begin()
    half('bad request')
    expect(await failureOf(model)).toMatchObject({ text: say, error: { name: 'ModelError', retryable: false } })
  })

  it('half-way, and hangs up though the provider keeps the connection', async () => {
    const { model, server, half } = await begin()
    half('overloaded', 'hang')
    expect((await failureOf(model)).error).toMatchObject({ retryable: true })
    await server.hungUp
  })

  it('because nobody listens, and may be retried', async () => {
    const { model } = await begin()
    await servers.pop()?.close()
    expect((await failureOf(model)).error).toMatchObject({ name: 'ModelError', retryable: true })
  })

  it('rejects with the reason of the signal and hangs up, while the model is still talking', async () => {
    const { model, server, half } = await begin()
    half('none', 'hang')
    const abort = new AbortController()
    const parts = model.step(requestOf(prompt, { signal: abort.signal }))[Symbol.asyncIterator]()
    await parts.next()
    const reason = new Error('the claim was lost')
    abort.abort(reason)
    const rest = async () => {
      while (!(await parts.next()).done);
    }
    await expect(rest()).rejects.toBe(reason)
    await server.hungUp
  })

  it('sends nothing when the signal has aborted already', async () => {
    const { model, server } = await begin()
    expect((await failureOf(model, AbortSignal.abort('too late'))).error).toBe('too late')
    expect(server.requests).toEqual([])
  })

  it('hangs up when its reader leaves', async () => {
    const { model, server, half } = await begin()
    half('none', 'hang')
    for await (const part of model.step(requestOf(prompt))) if (part.type === 'text') break
    await server.hungUp
  })

  it('works again afterwards', async () => {
    const { model, half, server } = await begin()
    half('none', 'cut')
    await failureOf(model)
    const other = server as ProviderServer<ChatReply & ResponsesReply & AnthropicReply>
    other.script({
      text: 'ok',
      items: [{ type: 'text', id: 'msg_1', text: 'ok' }],
      blocks: [{ type: 'text', text: 'ok' }],
    } as ChatReply & ResponsesReply & AnthropicReply)
    expect((await take(model, requestOf(prompt))).reply.text).toBe('ok')
  })
})

it('takes an error event whose form nobody knows for a bad moment of the provider', async () => {
  const { model, half } = await compatible()
  half('overloaded')
  const { error } = await failureOf(model)
  expect(error).toMatchObject({ retryable: true, message: 'The server had an error' })
})
