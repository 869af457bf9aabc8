import {
  type Connection,
  type PersonEvent,
  pause,
  QuerentError,
  type RunView,
  type StreamOptions,
  type ViewEvent,
} from '../protocol/core.ts'
import { readEvents, type ServerSentEvent } from '../protocol/server-sent-events.ts'
import type { StreamEvent } from '../protocol/wire.ts'
import { backoffMs, type Http } from './http.ts'
import { Line } from './line.ts'

/** A connection that lived for so long was good: when it is cut, the next need not wait. */
const steadyMs = 5_000

/** What comes of a stream beside its events: the connection was lost, and is made again. */
const cut = 'cut'

interface Connecting extends StreamOptions {
  /** The line to go on behind. Asked for at each connection. */
  lastEventId?: () => string | undefined
}

/** Events of a stream over as many connections as it takes. Ends when its signal aborts. @throws QuerentError 4xx. */
async function* connected(
  http: Http,
  path: string,
  { signal, onConnection, lastEventId }: Connecting,
): AsyncGenerator<ServerSentEvent | typeof cut> {
  for (let failures = 0; !signal?.aborted; failures++) {
    const line = new Line(http.clock, { signal })
    const triedAt = http.clock.now()
    let next: Connection = { state: 'connecting' }
    try {
      const id = lastEventId?.()
      const headers = new Headers(id === undefined ? [] : [['Last-Event-ID', id]])
      const body = await http.stream(path, { headers, signal: line.signal })
      onConnection?.({ state: 'live' })
      for await (const event of readEvents(body, () => line.lives())) {
        // A line of a log is told once. All else comes anew with each connection: of one that ends with it a storm is made.
        if (event.id !== undefined) failures = 0
        yield event
      }
    } catch (thrown) {
      // What a body that was aborted throws is the browser's affair.
      const error: unknown = line.signal.aborted ? line.signal.reason : thrown
      // Asked for wrongly, it will be wrong again; all else is a cut, a server that ends among it.
      if (error instanceof QuerentError && error.status < 500 && !error.retry) throw error
      if (error instanceof QuerentError) next = { state: 'offline', error }
    } finally {
      line.end()
    }
    if (signal?.aborted) return
    if (http.clock.now() - triedAt > steadyMs) failures = 0
    onConnection?.(next)
    yield cut
    await pause(http.clock, backoffMs(failures), signal).catch(() => undefined)
  }
}

/** What happens in a run: every event after `after` once, in order, whatever happens to connections. */
export async function* watchRun(
  http: Http,
  path: string,
  { after = 0, ...options }: StreamOptions & { after?: number } = {},
): AsyncGenerator<ViewEvent> {
  let seq = after
  let hasLive = false
  // Each connection begins with all that runs below were asked: no line of this log says how far that was heard.
  const delegated = new Set<string>()
  const lastEventId = () => (seq === 0 ? undefined : String(seq))
  for await (const event of connected(http, path, { ...options, lastEventId })) {
    if (event === cut) {
      // What came of the text meanwhile is missing: it is not to be shown with a hole.
      if (hasLive) yield { type: 'text.reset' }
      hasLive = false
      continue
    }
    const name = event.event as StreamEvent | undefined
    if (name === 'end') return
    if (name === 'resync') {
      throw new QuerentError('T0008', `The log of this run has no line ${seq}. Watch from 0.`, { data: { after: seq } })
    }
    if (name !== undefined) continue
    const view = JSON.parse(event.data) as ViewEvent
    if ('under' in view) {
      const key = view.type + view.ask.id
      if (delegated.has(key)) continue
      delegated.add(key)
    } else {
      if ('seq' in view) seq = view.seq
      hasLive = view.type === 'text.delta'
    }
    yield view
  }
}

/** The run once it is at rest. */
export async function untilAtRest(http: Http, path: string, signal?: AbortSignal): Promise<RunView> {
  signal?.throwIfAborted()
  for await (const event of connected(http, `${path}?until=rest`, { signal })) {
    if (event !== cut && event.event === 'rest') return JSON.parse(event.data) as RunView
  }
  throw signal?.reason
}

/** A person's lists as they change. Each connection begins with a snapshot, so nothing is missed by losing one. */
export async function* watchPerson(http: Http, path: string, options: StreamOptions = {}): AsyncGenerator<PersonEvent> {
  for await (const event of connected(http, path, options)) {
    if (event !== cut && event.event === undefined) yield JSON.parse(event.data) as PersonEvent
  }
}
