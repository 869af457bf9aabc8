import { sql } from 'kysely'
import { type NewEvent, newEvent, type RunEvent, type RunStatus } from '../../core/event.ts'
import { query, type Slots, type Transition } from '../query.ts'
import type { StopRun } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { withdrawAsks } from './asks.ts'
import { endChild, withChildren } from './children.ts'
import { type Context, noteChange } from './context.ts'
import { readEvents, writeEvents } from './events.ts'
import { emptyMail, readMail } from './mail.ts'
import { isOver, lockRun } from './runs.ts'

const setStopped = query((db, $: Slots<{ number: number; now: number; lastSeq: number }>) =>
  db
    .updateTable('runs')
    .set({
      status: 'stopped',
      // Whoever holds the claim has lost it by this.
      fence: sql<number>`fence + 1`,
      last_seq: $.lastSeq,
      attempts: 0,
      due_at: null,
      owner: null,
      host: null,
      pid: null,
      born_at: null,
      updated_at: $.now,
      ended_at: $.now,
    })
    .where('number', '=', $.number)
    .where('status', 'in', ['ready', 'working', 'waiting']),
)

type Stopped = { case: 'stopped' } | { case: 'over'; status: RunStatus } | { case: 'none' }

/** Stops a run and its children: each log is closed as by its holder, whoever that was. */
export function* stopRun(context: Context, stop: StopRun): Transition<Stopped> {
  const [run] = yield* lockRun({ run: stop.run })
  if (!run) return { case: 'none' }
  if (isOver(run)) return { case: 'over', status: run.status as RunStatus }
  for (const each of yield* withChildren(run)) if (!isOver(each)) yield* closeRun(context, each, stop)
  yield* endChild(context, run, { status: 'stopped', output: null })
  return { case: 'stopped' }
}

function* closeRun(context: Context, run: StoredRun, { close }: StopRun): Transition<void> {
  const settled = yield* settledMail(run)
  const log = yield* readEvents(run.id, 0, run.last_seq)
  const at = new Date(context.now).toISOString()
  const asHolder: RunEvent[] = settled.map((event) => ({ ...event, run: run.id, at }))
  const events = [...settled, ...close([...log, ...asHolder])]
  const lastSeq = yield* writeEvents(context, run, { events })
  yield* withdrawAsks(context, run, 'stop')
  yield* emptyMail(run.number)
  yield* setStopped({ number: run.number, now: context.now, lastSeq })
  noteChange(context, run)
}

/** What people answered before the stop stands in the log: an accepted answer is not lost because a stop came too. */
function* settledMail(run: StoredRun): Transition<NewEvent[]> {
  const events: NewEvent[] = []
  for (const mail of yield* readMail(run.number)) {
    if (mail.kind !== 'settled') continue
    events.push(newEvent(run.last_seq + events.length + 1, 'ask.settled', mail.settlement))
  }
  return events
}
