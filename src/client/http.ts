import { type Clock, jittered, pause, QuerentError } from '../protocol/core.ts'
import { errorOf } from '../protocol/problem.ts'
import { Line } from './line.ts'

/** Headers of every request, or what makes them anew for each: a token that ends, say. */
export type RequestHeaders = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

export interface HttpOptions {
  url: string
  fetch: typeof fetch
  headers?: RequestHeaders
  clock: Clock
}

const tries = 3

/** Characters a millisecond of a line that is slow, and not cut. */
const slowestPerMs = 10

/** The way to one server. */
export class Http {
  readonly clock: Clock
  private readonly options: HttpOptions

  constructor(options: HttpOptions) {
    this.clock = options.clock
    this.options = { ...options, url: options.url.replace(/\/+$/, '') }
  }

  /**
   * Calls, and gives the JSON that comes. What did not arrive for sure is sent again: every write has an id by which the
   * server knows it, so that it is not done twice.
   * @throws QuerentError What the server says; T3004 where it says nothing.
   */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) }
        return await this.once<T>(path, { method, ...sent })
      } catch (error) {
        if (failures >= tries || !(error instanceof QuerentError) || error.status < 502) throw error
      }
      await pause(this.clock, backoffMs(failures))
    }
  }

  private async once<T>(path: string, init: RequestInit & { body?: string }): Promise<T> {
    const line = new Line(this.clock, { sendMs: (init.body?.length ?? 0) / slowestPerMs })
    try {
      const response = await this.request(path, { ...init, signal: line.signal })
      line.lives()
      return (await response.json()) as T
    } catch (cause) {
      line.signal.throwIfAborted()
      throw cause instanceof QuerentError ? cause : noAnswer(path, 'what cannot be read', cause)
    } finally {
      line.end()
    }
  }

  /** The body of a stream. @throws QuerentError For whatever is none. */
  async stream(path: string, init: RequestInit): Promise<ReadableStream<Uint8Array>> {
    const { body, headers } = await this.request(path, init)
    // The page of a portal that wants somebody to sign in has status 200 as well.
    if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body
    throw noAnswer(path, 'what is no stream')
  }

  /** One request. @throws QuerentError For whatever is no good answer. */
  private async request(path: string, init: RequestInit): Promise<Response> {
    const { url, fetch, headers = {} } = this.options
    let response: Response
    try {
      // In here as well: a token that cannot be had just now is a server that does not answer.
      const all = new Headers(typeof headers === 'function' ? await headers() : headers)
      for (const [name, value] of new Headers(init.headers)) all.set(name, value)
      if (init.body !== undefined) all.set('content-type', 'application/json')
      response = await fetch(url + path, { ...init, headers: all })
    } catch (cause) {
      init.signal?.throwIfAborted()
      throw new QuerentError('T3004', `There was no answer from ${url}${path}.`, { cause, status: 503 })
    }
    if (response.ok) return response
    const error = errorOf(response.status, await response.json().catch(() => undefined))
    throw error ?? noAnswer(path, `status ${response.status}`, undefined, response.status)
  }
}

/** How long to wait after so many failures. */
export function backoffMs(failures: number): number {
  return jittered(Math.min(200 * 2 ** failures, 10_000))
}

function noAnswer(path: string, what: string, cause?: unknown, status = 503): QuerentError {
  return new QuerentError('T3004', `${path} was answered with ${what}.`, { cause, status })
}
