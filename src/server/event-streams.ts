import type { Clock } from '../protocol/core.ts'
import { QuerentError } from '../protocol/core.ts'
import { eventText, heartbeat, type ServerSentEvent } from '../protocol/server-sent-events.ts'

/** What streams are bounded by. */
export interface StreamLimits {
  /** Streams of one person at once. */
  streams: number
  /** A stream is ended after this long; whoever reads it comes again, and is asked again who they are. */
  streamMs: number
  /** How often a stream that has nothing to say says that it lives. */
  heartbeatMs: number
}

/** Gives the events of a stream until `signal` aborts. */
export type EventSource = (signal: AbortSignal) => AsyncGenerator<ServerSentEvent>

const encoder = new TextEncoder()

/** The streams of one server that are open. */
export class EventStreams {
  private readonly clock: Clock
  private readonly limits: StreamLimits
  private readonly onError: (error: unknown) => void
  private readonly streams = new Set<{ person: string; ending: AbortController; ended: Promise<void> }>()

  constructor(clock: Clock, limits: StreamLimits, onError: (error: unknown) => void) {
    this.clock = clock
    this.limits = limits
    this.onError = onError
  }

  /** Answers a request with a stream. @throws QuerentError T0013 where this person has too many. */
  open(person: string, source: EventSource): Response {
    const open = [...this.streams].filter((stream) => stream.person === person).length
    if (open >= this.limits.streams) {
      throw new QuerentError('T0013', `${open} streams are open for this person, and no more are given. Close one.`)
    }
    const ending = new AbortController()
    const events = this.endsWith(ending, source(ending.signal))
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const stream = { person, ending, ended }
    this.streams.add(stream)
    const disarm = this.clock.after(this.limits.streamMs, () => ending.abort())
    // Not in the events' own end: of a stream that nobody ever read, nothing has begun that could end.
    ending.signal.addEventListener('abort', () => {
      disarm()
      this.streams.delete(stream)
      void events.return(undefined).finally(resolve)
    })
    return new Response(this.bodyOf(events, ending), {
      // no-transform and X-Accel-Buffering: what a proxy compresses or collects comes late or not at all.
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
      },
    })
  }

  /** Ends every stream, as a cut connection would: whoever reads one comes again. */
  async close(): Promise<void> {
    const streams = [...this.streams]
    for (const { ending } of streams) ending.abort()
    await Promise.all(streams.map(({ ended }) => ended))
  }

  private async *endsWith(
    ending: AbortController,
    events: AsyncGenerator<ServerSentEvent>,
  ): AsyncGenerator<ServerSentEvent> {
    try {
      yield* events
    } catch (error) {
      this.onError(error)
      throw error
    } finally {
      ending.abort()
    }
  }

  private bodyOf(events: AsyncGenerator<ServerSentEvent>, ending: AbortController): ReadableStream<Uint8Array> {
    const { clock, limits } = this
    let next: Promise<IteratorResult<ServerSentEvent>> | undefined
    let left = false
    return new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encoder.encode(heartbeat))
      },
      async pull(controller) {
        next ??= events.next()
        const quiet = Promise.withResolvers<undefined>()
        const cancel = clock.after(limits.heartbeatMs, () => quiet.resolve(undefined))
        try {
          const result = await Promise.race([next, quiet.promise])
          if (left) return
          if (result === undefined) return controller.enqueue(encoder.encode(heartbeat))
          next = undefined
          if (result.done) controller.close()
          else controller.enqueue(encoder.encode(eventText(result.value)))
        } finally {
          cancel()
        }
      },
      cancel() {
        left = true
        ending.abort()
      },
    })
  }
}
