import type { Clock } from '../../core/ambient.ts'

/** A clock that stands until it is moved. */
export class KitClock implements Clock {
  #now = Date.UTC(2026, 0, 1)
  readonly #timers = new Map<() => void, number>()

  now(): number {
    return this.#now
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = () => callback()
    this.#timers.set(timer, this.#now + delayMs)
    return () => this.#timers.delete(timer)
  }

  /** Moves time on, and calls what became due on the way, in the order it became due. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(([, at]) => at <= end).sort(([, a], [, b]) => a - b)
      if (!next) break
      const [timer, at] = next
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, at)
      timer()
    }
    this.#now = end
  }
}
