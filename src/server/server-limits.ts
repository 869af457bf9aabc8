import { QuerentError } from '../protocol/core.ts'
import type { StreamLimits } from './event-streams.ts'
import type { RateLimits } from './limited-handle.ts'

/** Bounds of what a server takes and gives. */
export interface ServerLimits extends StreamLimits, RateLimits {
  /** The largest body. */
  bodyBytes: number
}

const defaults: ServerLimits = {
  bodyBytes: 4 * 1024 * 1024,
  streams: 32,
  streamMs: 15 * 60_000,
  heartbeatMs: 15_000,
  startsPerMinute: 120,
  answersPerMinute: 600,
  newcomersPerMinute: 120,
}

/** The limits of a server: those that are given, and the defaults. @throws QuerentError T1003. */
export function limitsOf(given: Partial<ServerLimits> = {}): ServerLimits {
  const limits = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    // What is misspelt would limit nothing.
    if (!(name in defaults)) {
      throw wrong(`limits has the unknown "${name}". Known: ${Object.keys(defaults).join(', ')}.`)
    }
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw wrong(`limits.${name} is ${JSON.stringify(value)}. Give a whole number above 0.`)
    }
    limits[name as keyof ServerLimits] = value
  }
  return limits
}

function wrong(message: string): QuerentError {
  return new QuerentError('T1003', message)
}
