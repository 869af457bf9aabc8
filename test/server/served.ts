import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine, Person } from 'querent'
import { type Client, type ClientOptions, createClient } from 'querent/client'
import { createServer, nodeHandler, type Server, type ServerOptions } from 'querent/server'
import { onTestFinished } from 'vitest'

/** An answer as it came. */
export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

export interface Request {
  /** Who asks: a bearer token of that name. */
  as?: string
  /** JSON, or a text that is sent as it is. */
  body?: unknown
  headers?: Record<string, string>
  method?: string
}

/** An engine served over real HTTP on loopback. It is gone when the test ends; the engine is the test's. */
export interface Served {
  url: string
  server: Server
  /** What the server logged. */
  logged: unknown[]
  ask(path: string, request?: Request): Promise<Answer>
  /** A client of this person. */
  client(person: string, options?: Partial<ClientOptions>): Client
  /** Cuts every connection, and takes no more, as a killed process would. */
  kill(): Promise<void>
}

/** A bearer token is the name of a person: good enough for tests, and nothing else. */
export function bearer(request: globalThis.Request): Person | undefined {
  const id = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  return id === undefined ? undefined : { id }
}

export async function serve(
  engine: Engine,
  { port = 0, ...options }: Partial<ServerOptions> & { port?: number } = {},
): Promise<Served> {
  const logged: unknown[] = []
  const logger = { error: (_: string, data?: Record<string, unknown>) => void logged.push(data) }
  const server = createServer(engine, { identify: bearer, logger, ...options })
  const handler = nodeHandler(server)
  const http = createHttpServer((incoming, outgoing) => void handler(incoming, outgoing))
  http.listen(port, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const kill = async () => {
    const closed = http.listening ? once(http, 'close') : undefined
    http.close()
    http.closeAllConnections()
    await server.close()
    await closed
  }
  onTestFinished(kill)
  return {
    url,
    server,
    logged,
    kill,
    ask: (path, request) => ask(url + path, request),
    client: (person, more = {}) =>
      createClient({ url, headers: { authorization: `Bearer ${person}` }, clock: hastyClock, ...more }),
  }
}

/** One request, and the whole answer. A body makes it a POST, JSON unless it is a text. */
export async function ask(url: string, { as, body, headers, method }: Request = {}): Promise<Answer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...sent,
  })
  const text = await response.text()
  const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Does not wait before it tries again, and never finds that a stream has been silent for too long. */
export const hastyClock: NonNullable<ClientOptions['clock']> = {
  now: () => Date.now(),
  after(delayMs, callback) {
    if (delayMs >= 45_000) return () => undefined
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  },
}

/** One server-sent event, as it stood in the stream. */
export interface Sent {
  event?: string
  id?: string
  data: unknown
}

/** A stream as it comes, event by event. */
export interface Stream {
  status: number
  headers: Headers
  /** The next event; nothing where the stream has ended. Heartbeats are passed over. */
  next(): Promise<Sent | undefined>
  /** Resolves at the next heartbeat, events before it passed over. */
  beat(): Promise<void>
  /** All that is to come until the stream ends. */
  rest(): Promise<Sent[]>
  close(): Promise<void>
}

/** Opens a stream. What is parsed here is parsed without the code of the library. */
export async function openStream(url: string, request: Request = {}): Promise<Stream> {
  const aborting = new AbortController()
  const response = await fetch(url, {
    headers: { ...(request.as === undefined ? {} : { authorization: `Bearer ${request.as}` }), ...request.headers },
    signal: aborting.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const close = async () => {
    aborting.abort()
    await reader?.cancel().catch(() => undefined)
  }
  onTestFinished(close)
  const block = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const found = text.slice(0, end)
        text = text.slice(end + 2)
        return found
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += value
    }
  }
  const isBeat = (found: string) => found.startsWith(':')
  const next = async (): Promise<Sent | undefined> => {
    for (let found = await block(); found !== undefined; found = await block()) if (!isBeat(found)) return sentOf(found)
    return undefined
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const all: Sent[] = []
      for (let sent = await next(); sent; sent = await next()) all.push(sent)
      return all
    },
    async beat() {
      for (let found = await block(); found !== undefined; found = await block()) if (isBeat(found)) return
      throw new Error('The stream ended without a heartbeat.')
    },
    close,
  }
}

function sentOf(block: string): Sent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
  return { ...fields, data: JSON.parse(String(fields.data)) }
}
