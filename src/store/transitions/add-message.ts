import type { RunStatus } from '../../core/event.ts'
import type { Transition } from '../query.ts'
import type { AddMessage, Claim } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { withdrawAsks } from './asks.ts'
import { withChildren } from './children.ts'
import { type Context, noteChange } from './context.ts'
import { takeKey } from './keys.ts'
import { putMail } from './mail.ts'
import { atRest, claimOf, lockRun, readyRun, takeRun } from './runs.ts'

type Added =
  | { case: 'accepted'; status: RunStatus; claim?: Claim; readied?: true }
  | { case: 'same'; status: RunStatus }
  | { case: 'reused' }
  | { case: 'none' }

/** Puts a message into the mailbox behind the withdrawals of what was open, and readies the run, over or not. */
export function* addMessage(context: Context, message: AddMessage): Transition<Added> {
  const [run] = yield* lockRun({ run: message.run })
  if (!run) return { case: 'none' }
  if (message.key) {
    const taken = yield* takeKey({ ...message.key, scope: `say/${run.id}`, run: run.id })
    if (taken.case === 'same') return { case: 'same', status: run.status as RunStatus }
    if (taken.case === 'reused') return { case: 'reused' }
  }
  for (const each of yield* withChildren(run)) {
    const withdrew = yield* withdrawFor(context, each)
    // A child whose ask is withdrawn goes on: it hears so, and tells its parent how it ended.
    if (withdrew && each !== run && each.status === 'waiting') yield* readyRun(context, each)
  }
  const readied = context.readied.size > 0
  yield* putMail(run.number, { kind: 'message', from: message.from, content: message.content })
  noteChange(context, run)
  const taken = message.claim && atRest(run) ? yield* takeRun(context, run, { offer: message.claim }) : undefined
  const ready = taken ?? (atRest(run) ? yield* readyRun(context, run) : run)
  const added: Added = { case: 'accepted', status: ready.status as RunStatus }
  if (taken) added.claim = yield* claimOf(taken)
  if (readied) added.readied = true
  return added
}

function* withdrawFor(context: Context, run: StoredRun): Transition<boolean> {
  const withdrawn = yield* withdrawAsks(context, run, 'message')
  for (const mail of withdrawn) yield* putMail(run.number, mail)
  if (withdrawn.length > 0) noteChange(context, run)
  return withdrawn.length > 0
}
