import { type Connection, QuerentError, type StreamOptions } from '../protocol/core.ts'

export interface StreamParts<E> {
  /** Opens it. Called anew each time it is opened. */
  source(options: StreamOptions): AsyncIterable<E>
  /** Whether it may be open now: see `attend`. */
  mayBeOpen(): boolean
  onEvent(event: E): void
  /** The connection changed, or the stream has ended. */
  onChange(): void
}

/** One stream of a client, as something that can be opened, closed and looked at. */
export class Stream<E> {
  /** How it is connected. */
  connection: Connection = { state: 'connecting' }
  /** It came to its end by itself, or was refused: nothing more comes unless it is opened again. */
  ended = false
  /** Why it was refused. It is not asked for again by itself: what was wrong stays wrong. */
  refused: QuerentError | undefined
  private readonly parts: StreamParts<E>
  private closing: AbortController | undefined
  private isWanted = false

  constructor(parts: StreamParts<E>) {
    this.parts = parts
  }

  /** Opens it where it is not open, as soon as it may be. */
  open(): void {
    this.isWanted = true
    this.attend()
  }

  close(): void {
    this.isWanted = false
    this.attend()
  }

  /** Whether it may be open has changed. It goes on where it was. */
  attend(): void {
    if (!this.isWanted || !this.parts.mayBeOpen()) {
      this.closing?.abort()
      this.closing = undefined
      return
    }
    if (this.closing) return
    this.closing = new AbortController()
    this.ended = false
    this.refused = undefined
    this.connection = { state: 'connecting' }
    void this.read(this.closing.signal)
  }

  private async read(signal: AbortSignal): Promise<void> {
    const onConnection = (connection: Connection) => {
      if (signal.aborted) return
      this.connection = connection
      this.parts.onChange()
    }
    try {
      for await (const event of this.parts.source({ signal, onConnection })) {
        if (signal.aborted) return
        // In process nobody tells of a connection.
        if (this.connection.state !== 'live') onConnection({ state: 'live' })
        this.parts.onEvent(event)
      }
    } catch (error) {
      if (!signal.aborted) this.refused = errorOf(error)
    }
    if (signal.aborted) return
    this.ended = true
    this.isWanted = false
    this.closing = undefined
    onConnection(this.refused ? { state: 'offline', error: this.refused } : { state: 'live' })
  }
}

function errorOf(error: unknown): QuerentError {
  return error instanceof QuerentError ? error : new QuerentError('T3004', String(error), { cause: error })
}
