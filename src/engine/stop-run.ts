import type { Actor } from '../core/ask.ts'
import { closeLog } from '../core/close.ts'
import type { NewEvent, RunEvent, RunStatus } from '../core/event.ts'
import { emptyState, fold } from '../core/fold.ts'
import type { EngineParts } from './parts.ts'
import { resolveFor } from './resolve-asks.ts'
import type { WriteParts } from './start-run.ts'
import { type Caller, knownRun } from './views.ts'

/** Stops a run at once, without a worker: the log is closed in the transaction that raises the fence. */
export async function stopRun(
  parts: WriteParts,
  caller: Caller,
  run: string,
): Promise<{ run: string; status: RunStatus }> {
  const row = await knownRun(parts.store, caller, run)
  const by: Actor = caller.type === 'person' ? { type: 'person', id: caller.person.id } : { type: 'system' }
  const stopped = await parts.store.stopRun({ run: row.id, by, close: closing(parts, by) })
  // The holder, if it is here, learns at once that its claim is gone, and aborts what runs.
  parts.dispatcher.mailed(row.id)
  return { run: row.id, status: stopped.case === 'over' ? stopped.status : 'stopped' }
}

/** Closes the log of a stopped run, or of a child, each with the words of an agent of its own. */
export function closing(parts: EngineParts, by: Actor): (log: RunEvent[]) => NewEvent[] {
  return (log) => {
    const state = fold(emptyState(), log)
    const resolve = resolveFor(parts, parts.registry.find(state.agent))
    return closeLog(state, { because: 'stop', by }, { texts: parts.texts, resolve })
  }
}
