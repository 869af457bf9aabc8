import { type Clock, QuerentError } from '../protocol/core.ts'

/** Three heartbeats of the server. What has been silent for longer is cut, whatever the network believes. */
const silentMs = 45_000

/** One connection, which ends when it has been silent for too long: then `signal.reason` is a T3004. */
export class Line {
  readonly signal: AbortSignal
  private readonly clock: Clock
  private readonly ending = new AbortController()
  private disarm: (() => void) | undefined

  /** `sendMs`: how long it may take to send what is sent first. */
  constructor(clock: Clock, { signal, sendMs = 0 }: { signal?: AbortSignal | undefined; sendMs?: number }) {
    this.clock = clock
    this.signal = signal ? AbortSignal.any([signal, this.ending.signal]) : this.ending.signal
    this.lives(sendMs)
  }

  lives(sendMs = 0): void {
    this.disarm?.()
    this.disarm = this.clock.after(silentMs + sendMs, () => {
      this.ending.abort(new QuerentError('T3004', `Nothing came for ${silentMs / 1000} seconds.`))
    })
  }

  end(): void {
    this.disarm?.()
    this.ending.abort()
  }
}
