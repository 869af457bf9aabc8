import { createHash, timingSafeEqual } from 'node:crypto'
import type { Person } from '../core/agent-facts.ts'
import { QuerentError } from '../core/error.ts'
import type { Identify } from '../server/callers.ts'
import { isLoopback } from '../server/loopback.ts'

/**
 * Who calls `querent serve`. With a token: whoever brings it is the local person, others are nobody. Without: whoever
 * reaches this machine by its own name; that the server listens on loopback alone is the command's to see to.
 */
export function localPerson(id: string, token: string | undefined): Identify {
  return (request): Person | undefined => {
    if (token === undefined) return isLoopback(request) ? { id } : undefined
    const brought = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (brought === undefined) return undefined
    if (timingSafeEqual(digest(brought), digest(token))) return { id }
    throw new QuerentError('T0007', 'This is not the token of this server (QUERENT_TOKEN).', { status: 401 })
  }
}

/** Of one length, as a comparison that takes the same time for all needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
