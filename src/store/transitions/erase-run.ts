import type { Kysely } from '../kysely.ts'
import { query, type Slots, type Transition } from '../query.ts'
import type { StoredRun, Tables } from '../tables.ts'
import { withChildren } from './children.ts'
import { type Context, noteChange } from './context.ts'
import { emptyMail } from './mail.ts'
import { isOver, lockRun } from './runs.ts'

type NumberSlots = Slots<{ number: number }>

// A run's log names every ask it opened, so its index leads to them.
const deleteEntries = query((db, $: NumberSlots) => db.deleteFrom('outbox').where('ask', 'in', asksOf(db, $)))
const deleteAsks = query((db, $: NumberSlots) => db.deleteFrom('asks').where('number', 'in', asksOf(db, $)))
const deleteEvents = query((db, $: NumberSlots) => db.deleteFrom('events').where('run', '=', $.number))
const deleteRun = query((db, $: NumberSlots) => db.deleteFrom('runs').where('number', '=', $.number))
const deleteKeys = query((db, $: Slots<{ run: string }>) => db.deleteFrom('keys').where('run', '=', $.run))

function asksOf(db: Kysely<Tables>, $: NumberSlots) {
  return db
    .selectFrom('events')
    .select('ask')
    .$narrowType<{ ask: number }>()
    .where('run', '=', $.number)
    .where('ask', 'is not', null)
}

const insertTombstone = query((db, $: Slots<{ run: string; agent: string; now: number }>) =>
  db
    .insertInto('tombstones')
    .values({ run: $.run, agent: $.agent, erased_at: $.now })
    .onConflict((conflict) => conflict.column('run').doNothing()),
)

const selectEnded = query((db, $: Slots<{ before: number; limit: number }>) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('parent', 'is', null)
    .where('ended_at', '<', $.before)
    .orderBy('ended_at')
    .limit($.limit)
    .forUpdate()
    .skipLocked(),
)

/** Removes runs that ended more than `keptMs` ago, the oldest first. Gives how many. */
export function* eraseEnded(
  context: Context,
  { keptMs, limit }: { keptMs: number; limit: number },
): Transition<number> {
  const ended = yield* selectEnded({ before: context.now - keptMs, limit })
  let erased = 0
  for (const run of ended) if (yield* eraseFamily(context, run)) erased += 1
  return erased
}

/** Removes a run that is over, with all that belongs to it, and leaves a tombstone. */
export function* eraseRun(context: Context, id: string): Transition<{ case: 'erased' | 'not over' | 'none' }> {
  const [run] = yield* lockRun({ run: id })
  if (!run) return { case: 'none' }
  return { case: (yield* eraseFamily(context, run)) ? 'erased' : 'not over' }
}

function* eraseFamily(context: Context, run: StoredRun): Transition<boolean> {
  const family = yield* withChildren(run)
  if (!family.every(isOver)) return false
  for (const each of family) yield* eraseOne(context, each)
  return true
}

function* eraseOne(context: Context, run: StoredRun): Transition<void> {
  yield* deleteEntries({ number: run.number })
  yield* deleteAsks({ number: run.number })
  yield* deleteEvents({ number: run.number })
  yield* emptyMail(run.number)
  yield* deleteKeys({ run: run.id })
  yield* deleteRun({ number: run.number })
  yield* insertTombstone({ run: run.id, agent: run.agent, now: context.now })
  noteChange(context, run)
}
