import type { NewEvent, RunEvent } from '../../core/event.ts'
import { packEvent } from '../packed.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { eventOf } from '../rows.ts'
import type { StoredRun } from '../tables.ts'
import type { Context } from './context.ts'

type EventSlots = Slots<{
  run: number
  seq: number
  at: number
  type: string
  v: number
  data: string | null
  ask: number | null
}>

const insertEvent = query((db, $: EventSlots) =>
  db.insertInto('events').values({ run: $.run, seq: $.seq, at: $.at, type: $.type, v: $.v, data: $.data, ask: $.ask }),
)

const selectEvents = query((db, $: Slots<{ run: string; after: number; limit: number }>) =>
  db
    .selectFrom('events')
    .leftJoin('asks', 'asks.number', 'events.ask')
    .select(['events.seq', 'events.at', 'events.type', 'events.v', 'events.data'])
    .select(['asks.id as ask_id', 'asks.step', 'asks.opened'])
    .where('events.run', '=', (where) => where.selectFrom('runs').select('runs.number').where('runs.id', '=', $.run))
    .where('events.seq', '>', $.after)
    .orderBy('events.seq')
    .limit($.limit),
)

/**
 * Writes events into a run's log. `asks` has the number of each ask that opens, by its id. Gives the last seq.
 * @throws Error where they do not go on from the run's last seq: the writer is not who it thinks it is.
 */
export function* writeEvents(
  context: Context,
  run: StoredRun,
  { events, asks }: { events: NewEvent[]; asks?: ReadonlyMap<string, number> },
): Transition<number> {
  let seq = run.last_seq
  for (const event of events) {
    seq += 1
    if (event.seq !== seq) {
      throw new Error(`Run ${run.id} is at event ${seq - 1}, and event ${event.seq} (${event.type}) cannot follow it.`)
    }
    const ask = event.type === 'ask.opened' ? asks?.get(event.data.id) : undefined
    if (event.type === 'ask.opened' && ask === undefined) {
      throw new Error(`Event ${seq} of run ${run.id} says that an ask opened, and no such ask is to be opened.`)
    }
    const data = ask === undefined ? packEvent(run.id, event) : null
    yield* insertEvent({ run: run.number, seq, at: context.now, type: event.type, v: event.v, data, ask: ask ?? null })
  }
  return seq
}

/** Events of a run after `after`, in order. */
export function* readEvents(run: string, after: number, limit: number): Transition<RunEvent[]> {
  const rows = yield* selectEvents({ run, after, limit })
  return rows.map((row) => eventOf(run, row))
}
