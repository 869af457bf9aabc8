import { type Clock, soon } from '../core/ambient.ts'

/** A clock that stands still until it is moved; what is due at once comes at once, as of any clock. Give the same one to the store and the engine. */
export interface FakeClock extends Clock {
  /** Moves time forward and calls what came due on the way, in order, each at its own instant. */
  advance(ms: number): void
  /** Timers that wait. */
  readonly timers: number
}

/** Makes a clock for tests. Starts at the given instant; default 2026-01-01, UTC. */
export function fakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs
  const timers = new Set<{ atMs: number; callback: () => void }>()
  const next = (untilMs: number) =>
    [...timers].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + Math.max(delayMs, 0), callback }
      timers.add(timer)
      if (delayMs <= 0) soon(() => timers.delete(timer) && callback())
      return () => timers.delete(timer)
    },
    advance(ms) {
      const untilMs = nowMs + ms
      for (let due = next(untilMs); due; due = next(untilMs)) {
        timers.delete(due)
        nowMs = Math.max(nowMs, due.atMs)
        due.callback()
      }
      nowMs = untilMs
    },
    get timers() {
      return timers.size
    },
  }
}
