import type { Json } from '../../core/json.ts'
import type { Usage } from '../../core/model.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { parentCallOf, runRowOf } from '../rows.ts'
import type { ChildEnd } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { type Context, noteChange } from './context.ts'
import { putMail } from './mail.ts'
import { isOver, lockRunNumber, readyRun } from './runs.ts'

const lockChildren = query((db, $: Slots<{ parent: number }>) =>
  db.selectFrom('runs').selectAll().where('parent', '=', $.parent).orderBy('number').forUpdate(),
)

/** A run and every run that was delegated from it, at any depth, it first. */
export function* withChildren(run: StoredRun): Transition<StoredRun[]> {
  const family = [run]
  for (const each of family) family.push(...(yield* lockChildren({ parent: each.number })))
  return family
}

/** Tells the parent of a child that it ended, and readies it. A parent that is over needs no telling. */
export function* endChild(
  context: Context,
  child: StoredRun,
  { status, output, usage }: { status: ChildEnd['status']; output: Json; usage?: Usage },
): Transition<void> {
  const call = parentCallOf(child)
  if (child.parent === null || !call) return
  const [parent] = yield* lockRunNumber({ number: child.parent })
  if (!parent || isOver(parent)) return
  const data: ChildEnd = { effect: call.effect, run: child.id, status, output, usage: usage ?? runRowOf(child).usage }
  yield* putMail(parent.number, { kind: 'child', data })
  yield* readyRun(context, parent)
  noteChange(context, parent)
}
