import type { Actor } from '../core/ask.ts'
import { closeLog } from '../core/close.ts'
import { newEvent, type RunStatus } from '../core/event.ts'
import { emptyState, fold } from '../core/fold.ts'
import type { StopRun } from '../store/store.ts'
import { factOf } from './absorb.ts'
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
  if (row.parent) parts.dispatcher.mailed(row.parent.run)
  if (stopped.case === 'stopped') parts.telemetry?.stopped({ agent: row.agent })
  return { run: row.id, status: stopped.case === 'over' ? stopped.status : 'stopped' }
}

/**
 * Closes the log of a stopped run, or of a child, each with the words of an agent of its own. What came in before the stop
 * was accepted: answers, messages and what children used stand in the log, though no worker had read them.
 */
export function closing(parts: EngineParts, by: Actor): StopRun['close'] {
  return (log, mail) => {
    const { texts } = parts
    const state = fold(emptyState(), log)
    const events = mail.map((each) => {
      const { type, data } = factOf(each, state, texts)
      const event = newEvent(state.seq + 1, type, data)
      fold(state, [event])
      return event
    })
    const resolve = resolveFor(parts, parts.registry.find(state.agent))
    events.push(...closeLog(state, { because: 'stop', by }, { texts, resolve }))
    return { events, usage: state.usage }
  }
}
