import type { RunStatus } from '../../core/event.ts'
import type { Transition } from '../query.ts'
import { type Context, noteChange } from './context.ts'
import { lockRun, readyRun } from './runs.ts'

type Retried = { case: 'ready' } | { case: 'not failed'; status: RunStatus } | { case: 'none' }

/** Readies a failed run again, with nothing new in its mailbox. Its end set its attempts back, as every write does. */
export function* retryRun(context: Context, id: string): Transition<Retried> {
  const [run] = yield* lockRun({ run: id })
  if (!run) return { case: 'none' }
  if (run.status !== 'failed') return { case: 'not failed', status: run.status as RunStatus }
  yield* readyRun(context, run)
  noteChange(context, run)
  return { case: 'ready' }
}
