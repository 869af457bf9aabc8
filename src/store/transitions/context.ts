import { parentCallOf } from '../rows.ts'
import type { StoredRun } from '../tables.ts'

/** What surrounds a transition: the store's clock at that moment, and what it did that others are told of. */
export interface Context {
  now: number
  /** Ids of runs that changed, for the hints after the commit. */
  changed: Set<string>
  /** Agents of the runs that it readied and no worker took in the same stroke, by run: who dispatches must wake them. */
  readied: Map<string, string>
}

/** What a transition begins with. */
export function contextAt(now: number): Context {
  return { now, changed: new Set(), readied: new Map() }
}

/** Notes that a run changed, and the run that people know it by: they watch the root of a delegation. */
export function noteChange(context: Context, run: StoredRun): void {
  context.changed.add(run.id)
  const call = parentCallOf(run)
  if (call) context.changed.add(call.root)
}

/** Notes that a run is ready, and waits for a worker. */
export function noteReady(context: Context, run: Pick<StoredRun, 'id' | 'agent'>): void {
  context.readied.set(run.id, run.agent)
}
