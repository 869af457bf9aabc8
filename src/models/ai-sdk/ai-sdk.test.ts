import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createGateway } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import type { Model, ModelMessage, ModelReply, ModelRequest } from 'querent/model'
import { scriptedModel } from 'querent/testing'
import { describe, expect, it, vi } from 'vitest'
import { aiSdk, aiSdkModel } from './ai-sdk.ts'

const prompt: ModelMessage[] = [{ role: 'user', content: 'Hello' }]
const usage = {
  inputTokens: { total: 3, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 4, text: undefined, reasoning: undefined },
}
const stop = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } } as const

type Chunk = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer C> ? C : never

function modelOf(...replies: Chunk[][]): MockLanguageModelV4 {
  const doStream = replies.map((chunks) => ({ stream: simulateReadableStream({ chunks }) }))
  return new MockLanguageModelV4({ provider: 'x', modelId: 'y', doStream })
}

function requestOf(messages: ModelMessage[], fields: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal
  return { messages, tools: [], instructions: '', settings: {}, signal, ...fields }
}

async function replyTo(model: Model, request: ModelRequest): Promise<ModelReply> {
  for await (const part of model.step(request)) if (part.type === 'reply') return part
  throw new Error('no reply')
}

describe('aiSdk.matches', () => {
  it.each([
    ['a model of a provider', createAnthropic({ apiKey: 'none' })('claude-sonnet-4-5')],
    ['an id of the gateway', 'openai/gpt-5'],
    ['a model of its own kind', modelOf()],
  ])('takes %s', (_, value) => expect(aiSdk.matches(value)).toBe(true))

  it.each([
    ['one of ours', scriptedModel([])],
    ['an embedding model', createOpenAI({ apiKey: 'none' }).embedding('text-embedding-3-small')],
    ['an empty text', ''],
    ['nothing', null],
    ['a provider', createOpenAI({ apiKey: 'none' })],
    ['an object', { provider: 'x', modelId: 'y' }],
  ])('leaves %s', (_, value) => {
    expect(aiSdk.matches(value)).toBe(false)
    expect(() => aiSdk.wrap(value)).toThrow(expect.objectContaining({ code: 'T1006' }))
  })

  it('names the model', () => {
    expect(aiSdk.wrap(modelOf()).id).toBe('x/y')
    expect(aiSdk.wrap('openai/gpt-5').id).toBe('openai/gpt-5')
  })
})

describe('aiSdkModel', () => {
  it('C05 keeps reasoning, signatures and unknown keys byte for byte, in order', async () => {
    const metadata = { x: { signature: 'S', z: 1, a: { nested: [null, 'ü\u2028'] } } }
    const first = modelOf([
      { type: 'reasoning-start', id: '1', providerMetadata: metadata },
      { type: 'reasoning-delta', id: '1', delta: 'hm' },
      { type: 'reasoning-end', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'Let me see.' },
      { type: 'text-end', id: '2', providerMetadata: { x: { phase: 'P' } } },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'look',
        input: '{"b":1,"a":2}',
        providerMetadata: { x: { thoughtSignature: 'T' } },
      },
      { ...stop, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
    ])
    const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }]
    const reply = await replyTo(aiSdkModel(first), requestOf(prompt, { tools }))
    expect(reply.messages).toEqual([
      `{"role":"assistant","content":[{"type":"reasoning","text":"hm","providerOptions":${JSON.stringify(metadata)}},{"type":"text","text":"Let me see.","providerOptions":{"x":{"phase":"P"}}},{"type":"tool-call","toolCallId":"c","toolName":"look","input":{"b":1,"a":2},"providerOptions":{"x":{"thoughtSignature":"T"}}}]}`,
    ])

    const second = modelOf([{ ...stop }])
    const result = {
      type: 'tool-result' as const,
      toolCallId: 'c',
      toolName: 'look',
      output: { type: 'text', value: 'r' },
    }
    const stored = reply.messages.map((text) => JSON.parse(text) as ModelMessage)
    const later: ModelMessage[] = [...prompt, ...stored, { role: 'tool', content: [result] }]
    await expect(replyTo(aiSdkModel(second), requestOf(later, { tools }))).resolves.toBeDefined()
    const [, assistant] = second.doStreamCalls[0]?.prompt ?? []
    expect(JSON.stringify(assistant)).toBe(reply.messages[0])
  })

  it('takes a stream that ends without a finish for half a reply', async () => {
    const text: Chunk[] = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Half' },
    ]
    const broken = aiSdkModel(modelOf(text))
    await expect(replyTo(broken, requestOf(prompt))).rejects.toMatchObject({ name: 'ModelError', retryable: true })
    const empty = aiSdkModel(modelOf([]))
    await expect(replyTo(empty, requestOf(prompt))).rejects.toMatchObject({ name: 'ModelError', retryable: true })
  })

  it('fails where the model says that it ended with an error', async () => {
    const failed = aiSdkModel(modelOf([{ ...stop, finishReason: { unified: 'error', raw: 'MALFORMED' } }]))
    await expect(replyTo(failed, requestOf(prompt))).rejects.toMatchObject({ name: 'ModelError', retryable: true })
  })

  it('may not be retried where the model is broken', async () => {
    const fault = new Error('boom')
    const model = new MockLanguageModelV4({ doStream: () => Promise.reject(fault) })
    const rejected = expect(replyTo(aiSdkModel(model), requestOf(prompt))).rejects
    await rejected.toMatchObject({ name: 'ModelError', retryable: false, message: 'boom', cause: fault })
  })

  it('sends an image as a file, so that the SDK has nothing to warn about', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const model = modelOf([stop])
    const image = { type: 'image' as const, image: 'iVBORw0KGgo=', mediaType: 'image/png' }
    await replyTo(aiSdkModel(model), requestOf([{ role: 'user', content: [image] }]))
    expect(model.doStreamCalls[0]?.prompt[0]?.content).toMatchObject([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
    ])
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('runs no tool, whatever the provider asks', async () => {
    const call: Chunk = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '' }
    const tools = [{ name: 'look', description: 'd', inputSchema: true }]
    const model = modelOf([call, stop])
    const reply = await replyTo(aiSdkModel(model), requestOf(prompt, { tools }))
    expect(reply.calls).toEqual([{ id: 'c', tool: 'look', input: {} }])
    expect(model.doStreamCalls).toHaveLength(1)
  })
})

describe('a model behind the gateway', () => {
  it('is asked not to store where it answers as OpenAI Responses, by its id and as an object', async () => {
    const bodies: { providerOptions?: unknown }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${JSON.stringify(stop)}\n\n`)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address() as { port: number }
    const gateway = createGateway({ baseURL: `http://127.0.0.1:${address.port}`, apiKey: 'none' })
    globalThis.AI_SDK_DEFAULT_PROVIDER = gateway
    try {
      for (const model of ['openai/gpt-5', gateway('openai/gpt-5'), 'anthropic/claude-sonnet-4-5']) {
        await replyTo(aiSdkModel(model), requestOf(prompt))
      }
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined
      server.closeAllConnections()
      server.close()
    }
    const notStored = { openai: { store: false } }
    expect(bodies.map((body) => body.providerOptions)).toEqual([notStored, notStored, undefined])
  })
})

describe('without the package "ai"', () => {
  it('says with T1007 what to install, at the first step and not before', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier !== 'ai') return next(specifier, context)
          throw Object.assign(new Error("Cannot find package 'ai'"), { code: 'ERR_MODULE_NOT_FOUND' })
        },
      })
      const { aiSdkModel } = await import(${JSON.stringify(new URL('ai-sdk.ts', import.meta.url).href)})
      const model = aiSdkModel('openai/gpt-5')
      const request = { messages: [], tools: [], instructions: '', settings: {}, signal: new AbortController().signal }
      const error = await model.step(request).next().catch((error) => error)
      console.log(error.code, error.message)
    `
    const options = ['--conditions=querent-source', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, options)
    expect(stdout).toBe('T1007 An AI SDK model needs the package "ai". Install it: npm install ai@7\n')
  })
})
