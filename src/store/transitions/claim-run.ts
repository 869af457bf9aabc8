import { type Kysely, sql } from '../kysely.ts'
import { type Call, type Query, query, type Slots, type Transition } from '../query.ts'
import type { Claim, ClaimOffer, Held, HeldRun, Kept, Lost, Owner } from '../store.ts'
import type { StoredRun, Tables } from '../tables.ts'
import { type Context, noteChange, noteReady } from './context.ts'
import { readMail } from './mail.ts'
import { claimOf, heldRun, lockRun, takeRun } from './runs.ts'

/*
 * `due_at` orders the work: a ready run is due since it was readied, a working one when its lease ends. What is due of
 * each agent is looked up in the index of due runs, one row each. Only the one that is taken is locked, and a row that
 * somebody else has locked is passed over: those who claim at the same time do not wait for each other. Where that leaves
 * nothing, the first is waited for: who has it may change nothing, and then nobody would tell of it again.
 */

type Due = Slots<{ agent: string; owner: string; now: number }>

function due(db: Kysely<Tables>, $: Pick<Due, 'agent'>, status: 'ready' | 'working') {
  const rows = db.selectFrom('runs').where('status', '=', status).where('agent', '=', $.agent)
  return rows.where('due_at', 'is not', null).orderBy('due_at').orderBy('number').limit(1)
}

/** Looks a run up, and locks it if nobody else has. */
interface Place {
  seek: Query<DueValues, Pick<StoredRun, 'due_at'>>
  lockFree: Query<DueValues, StoredRun>
  lock: Query<DueValues, StoredRun>
}

type DueValues = { agent: string; owner: string; now: number }

function place(of: (db: Kysely<Tables>, $: Due) => ReturnType<typeof due>): Place {
  return {
    seek: query((db, $: Due) => of(db, $).select('due_at')),
    lockFree: query((db, $: Due) => of(db, $).selectAll().forUpdate().skipLocked()),
    lock: query((db, $: Due) => of(db, $).selectAll().forUpdate()),
  }
}

const ready = place((db, $) => due(db, $, 'ready'))
const lapsed = place((db, $) => due(db, $, 'working').where('due_at', '<', $.now))
const ofDead = place((db, $) => due(db, $, 'working').where('owner', '=', $.owner))

const prolong = query((db, $: Slots<{ run: string; fence: number; until: number }>) =>
  db
    .updateTable('runs')
    .set({ due_at: $.until })
    .where('id', '=', $.run)
    .where('fence', '=', $.fence)
    .where('status', '=', 'working')
    .returning('number'),
)

const handBack = query((db, $: Slots<{ number: number; fence: number; now: number }>) =>
  db
    .updateTable('runs')
    .set({
      status: 'ready',
      due_at: $.now,
      updated_at: $.now,
      // The claim that is given back did not kill its worker.
      attempts: sql<number>`case when attempts > 0 then attempts - 1 else 0 end`,
      owner: null,
      host: null,
      pid: null,
      born_at: null,
    })
    .where('number', '=', $.number)
    .where('fence', '=', $.fence),
)

const selectOwners = query((db, $: Slots<{ host: string }>) =>
  db
    .selectFrom('runs')
    .select(['owner', 'host', 'pid', 'born_at'])
    .distinct()
    .where('status', '=', 'working')
    .where('due_at', 'is not', null)
    .where('host', '=', $.host),
)

export type ClaimRequest = ClaimOffer & { agents: string[]; dead?: string[]; run?: string }

/** Claims the run that has been due longest: ready, or left by a worker whose lease ended or who is dead. */
export function* claimRun(context: Context, request: ClaimRequest): Transition<Claim | undefined> {
  const run = request.run === undefined ? yield* longestDue(context, request) : yield* oneDue(context, request)
  if (!run) return undefined
  const taken = yield* takeRun(context, run, { offer: request })
  if (!taken) return undefined
  noteChange(context, taken)
  return yield* claimOf(taken)
}

function* longestDue(context: Context, { agents, dead = [] }: ClaimRequest): Transition<StoredRun | undefined> {
  const found: { dueAt: number; lockFree: Call<StoredRun>; lock: Call<StoredRun> }[] = []
  for (const agent of agents) {
    for (const [{ seek, lockFree, lock }, owner] of placesOf(dead)) {
      const values = { agent, owner, now: context.now }
      const [first] = yield* seek(values)
      if (first) found.push({ dueAt: first.due_at ?? 0, lockFree: lockFree(values), lock: lock(values) })
    }
  }
  found.sort((a, b) => a.dueAt - b.dueAt)
  for (const call of [...found.map(({ lockFree }) => lockFree), ...found.map(({ lock }) => lock)]) {
    const [run] = yield* call
    if (run) return run
  }
  return undefined
}

function placesOf(dead: string[]): [Place, string][] {
  return [[ready, ''], [lapsed, ''], ...dead.map((owner): [Place, string] => [ofDead, owner])]
}

function* oneDue(context: Context, { run: id, agents, dead = [] }: ClaimRequest): Transition<StoredRun | undefined> {
  const [run] = yield* lockRun({ run: id ?? '' })
  if (!run || !agents.includes(run.agent)) return undefined
  if (run.status === 'ready') return run
  if (run.status !== 'working') return undefined
  const left = (run.due_at ?? 0) < context.now || dead.includes(run.owner ?? '')
  return left ? run : undefined
}

/** Prolongs the lease and looks into the mailbox. A lease that ended unnoticed is still the holder's. */
export function* renewClaim(context: Context, held: Held, leaseMs: number): Transition<Kept | Lost> {
  const [run] = yield* prolong({ run: held.run, fence: held.fence, until: context.now + leaseMs })
  if (!run) return { case: 'lost' }
  return { case: 'ok', mail: yield* readMail(run.number), at: context.now }
}

/** Gives a claim back without a write. */
export function* giveBack(context: Context, held: Held): Transition<{ case: 'ok' } | Lost> {
  const run = yield* heldRun(held)
  if (!run) return { case: 'lost' }
  yield* handBack({ number: run.number, fence: run.fence, now: context.now })
  noteReady(context, run)
  noteChange(context, run)
  return { case: 'ok' }
}

/** Who holds claims, of one host. */
export function* listOwners(host: string): Transition<Owner[]> {
  const rows = yield* selectOwners({ host })
  return rows.map((row) => ({
    id: row.owner ?? '',
    host: row.host ?? '',
    pid: row.pid ?? 0,
    bornAt: row.born_at ?? '',
  }))
}

const selectClaims = query((db, $: Slots<{ owner: string }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'fence'])
    .select((select) =>
      select
        .case()
        .when(select.exists(select.selectFrom('mail').select('mail.id').whereRef('mail.run', '=', 'runs.number')))
        .then(sql.lit(1))
        .else(sql.lit(0))
        .end()
        .as('mailed'),
    )
    .where('status', '=', 'working')
    .where('due_at', 'is not', null)
    .where('owner', '=', $.owner),
)

/** What an owner holds, and whether it was told anything. */
export function* listClaims(owner: string): Transition<HeldRun[]> {
  const rows = yield* selectClaims({ owner })
  return rows.map(({ id, fence, mailed }) => ({ run: id, fence, mailed: mailed === 1 }))
}

const selectReadyAgents = query((db) =>
  db.selectFrom('runs').select('agent').distinct().where('status', '=', 'ready').where('due_at', 'is not', null),
)

/** Whose runs are ready. */
export function* readyAgents(): Transition<string[]> {
  const rows = yield* selectReadyAgents({})
  return rows.map((row) => row.agent)
}
