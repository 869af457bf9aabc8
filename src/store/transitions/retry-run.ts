import type { RunStatus } from '../../core/event.ts'
import { query, type Slots, type Transition } from '../query.ts'
import type { Context } from './context.ts'
import { lockRun, readyRun } from './runs.ts'

const resetAttempts = query((db, $: Slots<{ number: number }>) =>
  db.updateTable('runs').set({ attempts: 0 }).where('number', '=', $.number),
)

type Retried = { case: 'ready' } | { case: 'not failed'; status: RunStatus } | { case: 'none' }

/** Readies a failed run again, with nothing new in its mailbox. */
export function* retryRun(context: Context, id: string): Transition<Retried> {
  const [run] = yield* lockRun({ run: id })
  if (!run) return { case: 'none' }
  if (run.status !== 'failed') return { case: 'not failed', status: run.status as RunStatus }
  yield* readyRun(context, run)
  yield* resetAttempts({ number: run.number })
  context.changed.add(run.id)
  return { case: 'ready' }
}
