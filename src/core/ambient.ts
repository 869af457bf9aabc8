/**
 * The one file that touches what surrounds a program: the clock, timers and randomness. Everything else is handed a
 * `Clock` or an id, so that a test can move time and no test waits for it.
 */

/** Time as a parameter. Milliseconds since 1970-01-01 UTC. */
export interface Clock {
  now(): number
  /** Calls `callback` once, `delayMs` from now; the result cancels it. A delay of years is fine. */
  after(delayMs: number, callback: () => void): () => void
}

// setTimeout overflows above 2^31-1 ms (24.8 days): it fires at once, with a warning. Longer waits are walked in hops.
const longestHopMs = 2_147_483_647

/** The system's clock. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    let timer: ReturnType<typeof setTimeout>
    const arm = (leftMs: number) => {
      const hop = Math.min(Math.max(leftMs, 0), longestHopMs)
      timer = setTimeout(() => (leftMs > hop ? arm(leftMs - hop) : callback()), hop)
      timer.unref?.()
    }
    arm(delayMs)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs` on this clock, or rejects with the signal's reason. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Calls back when what is being done now, and all that follows from it at once, is through. */
export function soon(callback: () => void): void {
  setImmediate(callback)
}

/** Resolves then: until that, others have the process. */
export function nextTurn(): Promise<void> {
  return new Promise(soon)
}

/** Keeps the process alive until the result is called: for who waits on timers that do not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => undefined, longestHopMs)
  return () => clearInterval(timer)
}

/** Somewhere between half a delay and the whole: what failed for many at once is not tried again by all at once. */
export function jittered(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2)
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** An unguessable id: the prefix, `_`, and 160 random bits in 32 characters. */
export function randomId(prefix: string): string {
  let text = ''
  for (const byte of takeRandom(32)) text += alphabet[byte & 31]
  return `${prefix}_${text}`
}

const pool = new Uint8Array(4096)
let taken = pool.length

/** Cut from a pool, since a draw of many bytes costs hardly more than one of few. None is given twice. */
function takeRandom(count: number): Uint8Array {
  if (taken + count > pool.length) {
    crypto.getRandomValues(pool)
    taken = 0
  }
  taken += count
  return pool.subarray(taken - count, taken)
}
