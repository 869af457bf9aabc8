import type { RunStatus } from '../../core/event.ts'
import { sql } from '../kysely.ts'
import { query, type Slots, type Transition } from '../query.ts'
import type { StopRun } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { withdrawAsks } from './asks.ts'
import { endChild, withChildren } from './children.ts'
import { type Context, noteChange } from './context.ts'
import { readEvents, writeEvents } from './events.ts'
import { emptyMail, readMail } from './mail.ts'
import { isOver, lockToEnd } from './runs.ts'

type StoppedSlots = Slots<{
  number: number
  now: number
  lastSeq: number
  inputTokens: number
  outputTokens: number
  totalTokens: number
  estimated: number
}>

const setStopped = query((db, $: StoppedSlots) =>
  db
    .updateTable('runs')
    .set({
      status: 'stopped',
      // Whoever holds the claim has lost it by this.
      fence: sql<number>`fence + 1`,
      last_seq: $.lastSeq,
      attempts: 0,
      input_tokens: $.inputTokens,
      output_tokens: $.outputTokens,
      total_tokens: $.totalTokens,
      estimated: $.estimated,
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
  const run = yield* lockToEnd(stop.run)
  if (!run) return { case: 'none' }
  if (isOver(run)) return { case: 'over', status: run.status as RunStatus }
  // The deepest first: how a child ended, and what it used, belongs into the log of its parent.
  for (const each of (yield* withChildren(run)).reverse()) if (!isOver(each)) yield* closeRun(context, each, stop)
  return { case: 'stopped' }
}

function* closeRun(context: Context, run: StoredRun, { close }: StopRun): Transition<void> {
  const mail = yield* readMail(run.number)
  const log = yield* readEvents(run.id, 0, run.last_seq)
  const { events, usage } = close(log, mail)
  const lastSeq = yield* writeEvents(context, run, { events })
  yield* withdrawAsks(context, run, 'stop')
  yield* emptyMail(run.number)
  const { inputTokens, outputTokens, totalTokens, estimated = false } = usage
  const used = { inputTokens, outputTokens, totalTokens, estimated: Number(estimated) }
  yield* setStopped({ number: run.number, now: context.now, lastSeq, ...used })
  yield* endChild(context, run, { status: 'stopped', output: null, usage })
  noteChange(context, run)
}
