import { query, type Slots, type Transition } from '../query.ts'
import { runRowOf } from '../rows.ts'
import type { Claim, ClaimOffer, Held, Mail } from '../store.ts'
import type { StoredRun } from '../tables.ts'
import { type Context, noteReady } from './context.ts'
import { readMail } from './mail.ts'

/*
 * Where a database locks rows, nobody may wait for somebody who waits for them. So whoever locks several runs takes an
 * ancestor before its descendants, level by level, and siblings by number. Whoever would lock runs that have nothing to
 * do with each other (claims, expiry, erasing what is old) passes over those that somebody else has. A run is locked
 * before its asks, mail and log; keys are taken before any run that is not their own.
 */

/** The row of a run, locked until the commit. */
export const lockRun = query((db, $: Slots<{ run: string }>) =>
  db.selectFrom('runs').selectAll().where('id', '=', $.run).forUpdate(),
)

/** As `lockRun`, by number. */
export const lockRunNumber = query((db, $: Slots<{ number: number }>) =>
  db.selectFrom('runs').selectAll().where('number', '=', $.number).forUpdate(),
)

/** As `lockRun`, where nobody else has it locked just now. */
export const lockFreeRun = query((db, $: Slots<{ number: number }>) =>
  db.selectFrom('runs').selectAll().where('number', '=', $.number).forUpdate().skipLocked(),
)

const lockRunAndParent = query((db, $: Slots<{ run: string }>) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where((where) =>
      where.or([
        where('id', '=', $.run),
        where('number', '=', where.selectFrom('runs as child').select('child.parent').where('child.id', '=', $.run)),
      ]),
    )
    // A parent's number is the lower one.
    .orderBy('number')
    .forUpdate(),
)

/** As `lockRun`, for who may tell the run's parent of its end: the parent is locked before it. */
export function* lockToEnd(id: string): Transition<StoredRun | undefined> {
  const rows = yield* lockRunAndParent({ run: id })
  return rows.find((row) => row.id === id)
}

const lockHeld = query((db, $: Slots<{ run: string; fence: number }>) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', $.run)
    .where('fence', '=', $.fence)
    .where('status', '=', 'working')
    .forUpdate(),
)

/** The row of a run that the caller still holds, locked until the commit. */
export function* heldRun(held: Held): Transition<StoredRun | undefined> {
  const [run] = yield* lockHeld({ run: held.run, fence: held.fence })
  return run
}

const setReady = query((db, $: Slots<{ number: number; now: number }>) =>
  db
    .updateTable('runs')
    .set({ status: 'ready', due_at: $.now, updated_at: $.now, ended_at: null, output: null, error: null })
    .where('number', '=', $.number)
    .where('status', 'not in', ['ready', 'working'])
    .returningAll(),
)

type ClaimSlots = Slots<{
  number: number
  seenFence: number
  fence: number
  attempts: number
  last_seq: number
  due_at: number
  owner: string
  host: string
  pid: number
  born_at: string
  updated_at: number
}>

const setWorking = query((db, $: ClaimSlots) =>
  db
    .updateTable('runs')
    .set({
      status: 'working',
      fence: $.fence,
      attempts: $.attempts,
      last_seq: $.last_seq,
      due_at: $.due_at,
      owner: $.owner,
      host: $.host,
      pid: $.pid,
      born_at: $.born_at,
      updated_at: $.updated_at,
      ended_at: null,
      output: null,
      error: null,
    })
    .where('number', '=', $.number)
    .where('fence', '=', $.seenFence)
    .returning('number'),
)

/** Whether a run is at rest: nobody works on it, and nothing of it is due. */
export function atRest(run: StoredRun): boolean {
  return run.status !== 'ready' && run.status !== 'working'
}

export function isOver(run: StoredRun): boolean {
  return run.status === 'done' || run.status === 'failed' || run.status === 'stopped'
}

/** Makes a run that is at rest `ready`. */
export function* readyRun(context: Context, run: StoredRun): Transition<StoredRun> {
  const [ready] = yield* setReady({ number: run.number, now: context.now })
  if (ready) noteReady(context, ready)
  return ready ?? run
}

/** What changes in the row of a run when a worker takes it. */
export function claimColumns({ now }: Context, run: Pick<StoredRun, 'fence' | 'attempts'>, offer: ClaimOffer) {
  const { owner, leaseMs } = offer
  return {
    fence: run.fence + 1,
    attempts: run.attempts + 1,
    due_at: now + leaseMs,
    owner: owner.id,
    host: owner.host,
    pid: owner.pid,
    born_at: owner.bornAt,
    updated_at: now,
  }
}

/**
 * Gives a run to a worker: fence + 1, and the log as far as `lastSeq` where it is written in the same stroke. The guard
 * is the fence that was seen, so of two rivals one gets nothing.
 */
export function* takeRun(
  context: Context,
  run: StoredRun,
  { offer, lastSeq = run.last_seq }: { offer: ClaimOffer; lastSeq?: number },
): Transition<StoredRun | undefined> {
  const columns = { ...claimColumns(context, run, offer), last_seq: lastSeq }
  const [taken] = yield* setWorking({ ...columns, number: run.number, seenFence: run.fence })
  return taken && { ...run, ...columns, status: 'working', ended_at: null, output: null, error: null }
}

/** What the worker is given. */
export function* claimOf(run: StoredRun): Transition<Claim> {
  return claimWith(run, yield* readMail(run.number))
}

export function claimWith(run: StoredRun, mail: Mail[]): Claim {
  return { run: run.id, fence: run.fence, row: runRowOf(run), mail }
}
