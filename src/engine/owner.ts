import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { randomId } from '../core/ambient.ts'
import type { Owner } from '../store/store.ts'

/** Names this process as the owner of claims, for one started engine. */
export function thisOwner(): Owner {
  return { id: randomId('own'), host: hostname(), pid: process.pid, bornAt: statOf(process.pid).born ?? '' }
}

/**
 * Whether the process of an owner on this host still runs. A process id may be given to another process: where the host
 * tells when a process started, that is compared too. Without it, a reused process id looks alive until its lease ends.
 */
export function isAlive(owner: Owner): boolean {
  if (!signalReaches(owner.pid)) return false
  const { born, ended } = statOf(owner.pid)
  if (ended) return false
  return born === undefined || owner.bornAt === '' || born === owner.bornAt
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * What Linux tells of a process: when it started, in clock ticks since the machine did (field 22 of its stat file), and
 * whether it ended and only waits for its parent to notice.
 */
function statOf(pid: number): { born?: string; ended: boolean } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program in brackets, and may have spaces and brackets in it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { born: fields[19], ended: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return { ended: false }
  }
}
