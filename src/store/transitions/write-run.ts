import type { Usage } from '../../core/model.ts'
import { query, type Slots, type Transition } from '../query.ts'
import type { Held, Kept, Lost, Mail, RunEnd, Write } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { openAsks, withdrawAsks } from './asks.ts'
import { endChild } from './children.ts'
import { type Context, noteChange, noteReady } from './context.ts'
import { writeEvents } from './events.ts'
import { readMail, takeMail } from './mail.ts'
import { heldRun, lockToEnd } from './runs.ts'

/* What the holder of a claim writes: `append` keeps the claim, `parkRun` and `finishRun` give it back. */

type ProgressSlots = Slots<{
  number: number
  fence: number
  now: number
  lastSeq: number
  repeat: number
  inputTokens: number
  outputTokens: number
  totalTokens: number
  estimated: number
}>

function progress($: ProgressSlots) {
  return {
    last_seq: $.lastSeq,
    attempts: 0,
    repeat: $.repeat,
    input_tokens: $.inputTokens,
    output_tokens: $.outputTokens,
    total_tokens: $.totalTokens,
    estimated: $.estimated,
    updated_at: $.now,
  }
}

const keepClaim = query((db, $: ProgressSlots) =>
  db.updateTable('runs').set(progress($)).where('number', '=', $.number).where('fence', '=', $.fence),
)

type ReleaseSlots = ProgressSlots &
  Slots<{
    status: string
    dueAt: number | null
    endedAt: number | null
    output: string | null
    error: string | null
  }>

const releaseClaim = query((db, $: ReleaseSlots) =>
  db
    .updateTable('runs')
    .set({
      ...progress($),
      status: $.status,
      due_at: $.dueAt,
      ended_at: $.endedAt,
      output: $.output,
      error: $.error,
      owner: null,
      host: null,
      pid: null,
      born_at: null,
    })
    .where('number', '=', $.number)
    .where('fence', '=', $.fence),
)

/** Writes events, opens asks, takes mail, looks into the mailbox; keeps the claim. */
export function* append(context: Context, held: Held, write: Write): Transition<Kept | Lost> {
  const run = yield* heldRun(held)
  if (!run) return { case: 'lost' }
  const { lastSeq, mail } = yield* writeHeld(context, run, { write, unread: yield* unreadMail(run, write) })
  yield* keepClaim(progressOf(context, run, { write, lastSeq }))
  return { case: 'ok', mail, at: context.now }
}

/** As `append`, and gives the claim back: `waiting` only where the mailbox is empty, so that no wake-up is lost. */
export function* parkRun(
  context: Context,
  held: Held,
  write: Write,
): Transition<{ case: 'parked' } | { case: 'ready' } | Lost> {
  const run = yield* heldRun(held)
  if (!run) return { case: 'lost' }
  const { lastSeq, mail } = yield* writeHeld(context, run, { write, unread: yield* unreadMail(run, write) })
  const more = mail.length > 0
  if (more) noteReady(context, run)
  yield* releaseClaim({
    ...progressOf(context, run, { write, lastSeq }),
    ...(more ? readyAgain(context) : { ...readyAgain(context), status: 'waiting', dueAt: null }),
  })
  return { case: more ? 'ready' : 'parked' }
}

/** As `append`, and ends the run, unless a message still waits for it. */
export function* finishRun(
  context: Context,
  held: Held,
  { write, end }: { write: Write; end: RunEnd },
): Transition<{ case: 'ok'; readied?: true } | { case: 'mail' } | Lost> {
  const run = yield* lockToEnd(held.run)
  if (!run || run.fence !== held.fence || run.status !== 'working') return { case: 'lost' }
  const unread = yield* unreadMail(run, write)
  // An answer that was accepted must be in the log before the log is closed.
  if (unread.some((each) => each.kind !== 'message')) return { case: 'mail' }
  const { lastSeq, mail } = yield* writeHeld(context, run, { write, unread })
  yield* withdrawAsks(context, run, 'end')
  const kept = progressOf(context, run, { write, lastSeq })
  if (mail.some((each) => each.kind === 'message')) {
    yield* releaseClaim({ ...kept, ...readyAgain(context) })
    noteReady(context, run)
    return { case: 'ok', readied: true }
  }
  yield* releaseClaim({
    ...kept,
    status: end.status,
    dueAt: null,
    endedAt: context.now,
    output: end.output === undefined ? null : JSON.stringify(end.output),
    error: end.error === undefined ? null : JSON.stringify(end.error),
  })
  const output = end.status === 'done' ? (end.output ?? null) : (end.error?.message ?? null)
  yield* endChild(context, run, { status: end.status, output, usage: write.usage })
  return context.readied.size > 0 ? { case: 'ok', readied: true } : { case: 'ok' }
}

function readyAgain({ now }: Context) {
  return { status: 'ready', dueAt: now, endedAt: null, output: null, error: null }
}

/** What will be in the mailbox after a write. */
function* unreadMail(run: StoredRun, { consumed = [] }: Write): Transition<Mail[]> {
  const mail = yield* readMail(run.number)
  return mail.filter((each) => !consumed.includes(each.id))
}

function* writeHeld(
  context: Context,
  run: StoredRun,
  { write, unread }: { write: Write; unread: Mail[] },
): Transition<{ lastSeq: number; mail: Mail[] }> {
  yield* takeMail(run.number, write.consumed ?? [])
  const messageBefore = unread.some((each) => each.kind === 'message')
  const open = write.open ?? []
  const asks = yield* openAsks(context, run, { events: write.events, asks: open, messageBefore })
  const lastSeq = yield* writeEvents(context, run, { events: write.events, asks })
  noteChange(context, run)
  // Asks that were withdrawn as they opened are told there.
  const told = open.length > 0 && (messageBefore || run.parent !== null)
  return { lastSeq, mail: told ? yield* readMail(run.number) : unread }
}

function progressOf(context: Context, run: StoredRun, { write, lastSeq }: { write: Write; lastSeq: number }) {
  const usage: Usage = write.usage ?? {
    inputTokens: run.input_tokens,
    outputTokens: run.output_tokens,
    totalTokens: run.total_tokens,
    ...(run.estimated === 1 ? { estimated: true } : {}),
  }
  return {
    number: run.number,
    fence: run.fence,
    now: context.now,
    lastSeq,
    repeat: write.repeat ?? run.repeat,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
    estimated: usage.estimated ? 1 : 0,
  }
}
