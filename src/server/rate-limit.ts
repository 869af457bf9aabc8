import { type Clock, QuerentError } from '../protocol/core.ts'

/** What somebody may still do, as it was at an instant. */
interface Bucket {
  left: number
  at: number
}

const minuteMs = 60_000

/**
 * How often each person may do something: a bucket of `perMinute` that fills evenly, so that a burst of that many passes
 * once. It is counted in this process: of several behind one address each counts for itself.
 */
export class RateLimit {
  private readonly clock: Clock
  private readonly perMinute: number
  private readonly what: string
  private readonly buckets = new Map<string, Bucket>()
  private sweepAtSize = 1000

  /** `what`: as the error names it, in the plural. */
  constructor(clock: Clock, perMinute: number, what: string) {
    this.clock = clock
    this.perMinute = perMinute
    this.what = what
  }

  /** Of how many people something is kept. */
  get size(): number {
    return this.buckets.size
  }

  /** Counts one. @throws QuerentError T0013 where it is one too many, with `data.retryAfterMs`. */
  take(person: string): void {
    const left = this.leftOf(person)
    if (left < 1) {
      const retryAfterMs = Math.ceil(((1 - left) * minuteMs) / this.perMinute)
      throw new QuerentError(
        'T0013',
        `More than ${this.perMinute} ${this.what} a minute are not taken. Wait a little.`,
        {
          data: { retryAfterMs },
        },
      )
    }
    this.buckets.set(person, { left: left - 1, at: this.clock.now() })
    if (this.buckets.size >= this.sweepAtSize) this.sweep()
  }

  private leftOf(person: string): number {
    const bucket = this.buckets.get(person)
    if (!bucket) return this.perMinute
    // A clock that was set back takes nothing away.
    const passedMs = Math.max(0, this.clock.now() - bucket.at)
    return Math.min(this.perMinute, bucket.left + (passedMs * this.perMinute) / minuteMs)
  }

  /** Forgets full buckets: a person of whom nothing is kept has one. */
  private sweep(): void {
    for (const person of this.buckets.keys()) {
      if (this.leftOf(person) === this.perMinute) this.buckets.delete(person)
    }
    this.sweepAtSize = Math.max(1000, this.buckets.size * 2)
  }
}
