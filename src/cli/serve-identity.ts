import type { Identify } from '../server/callers.ts'
import { isLoopback } from '../server/loopback.ts'

/**
 * Who calls `querent serve` where it has no token: whoever reaches this machine by its own name is the local person. That
 * the server listens on loopback alone is the command's to see to.
 */
export function localPerson(id: string): Identify {
  return (request) => (isLoopback(request) ? { id } : undefined)
}
