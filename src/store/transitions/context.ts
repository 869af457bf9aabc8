import { parentCallOf } from '../rows.ts'
import type { StoredRun } from '../tables.ts'

/** What surrounds a transition: the store's clock at that moment, and what it changed, for the hints after the commit. */
export interface Context {
  now: number
  /** Ids of runs. */
  changed: Set<string>
}

/** Notes that a run changed, and the run that people know it by: they watch the root of a delegation. */
export function noteChange(context: Context, run: StoredRun): void {
  context.changed.add(run.id)
  const call = parentCallOf(run)
  if (call) context.changed.add(call.root)
}
