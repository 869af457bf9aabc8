import type { OpenedAsk, Settlement, Withdrawal } from '../../core/ask.ts'
import type { NewEvent } from '../../core/event.ts'
import { sql } from '../kysely.ts'
import { packAsk } from '../packed.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { askRowOf, type NewMail, type StoredAskOfRun, settlementText } from '../rows.ts'
import type { AskRow, OpenedAskWrite } from '../store.ts'
import { never, type StoredRun } from '../tables.ts'
import type { Context } from './context.ts'
import { putMail, readMail } from './mail.ts'
import { announce } from './outbox.ts'

// The indexes of open asks hold for a literal 'open' only: a database does not look at a parameter to choose one.
export const open = sql.lit('open')

type AskSlots = Slots<{
  id: string
  owner: number
  run: number
  step: string
  path: string | null
  starter: string
  since: number
  until: number
  opened: string
}>

const insertAsk = query((db, $: AskSlots) =>
  db
    .insertInto('asks')
    .values({
      id: $.id,
      owner: $.owner,
      run: $.run,
      step: $.step,
      path: $.path,
      starter: $.starter,
      state: open,
      since: $.since,
      until_at: $.until,
      opened: $.opened,
    })
    .returning('number'),
)

type EndSlots = Slots<{
  number: number
  notAfter: number
  state: string
  settlement: string
  ended_at: number
  answer_id: string | null
  answer_hash: string | null
}>

const endOpenAsk = query((db, $: EndSlots) =>
  db
    .updateTable('asks')
    .set({
      state: $.state,
      settlement: $.settlement,
      ended_at: $.ended_at,
      answer_id: $.answer_id,
      answer_hash: $.answer_hash,
    })
    .where('number', '=', $.number)
    .where('state', '=', open)
    .where('until_at', '>=', $.notAfter)
    .returning('number'),
)

const withdrawOpenAsks = query((db, $: Slots<{ owner: number; settlement: string; now: number }>) =>
  db
    .updateTable('asks')
    .set({ state: 'withdrawn', settlement: $.settlement, ended_at: $.now })
    .where('owner', '=', $.owner)
    .where('state', '=', open)
    .returning(['number', 'id']),
)

const selectAsk = query((db, $: Slots<{ ask: string }>) =>
  db
    .selectFrom('asks')
    .innerJoin('runs as owners', 'owners.number', 'asks.owner')
    .innerJoin('runs as roots', 'roots.number', 'asks.run')
    .selectAll('asks')
    .select(['owners.id as owner_id', 'owners.agent', 'roots.id as run_id'])
    .where('asks.id', '=', $.ask),
)

const selectRoot = query((db, $: Slots<{ run: string }>) =>
  db.selectFrom('runs').select(['number', 'starter']).where('id', '=', $.run),
)

const selectMessages = query((db, $: Slots<{ run: number; after: number }>) =>
  db
    .selectFrom('events')
    .select('seq')
    .where('run', '=', $.run)
    .where('seq', '>', $.after)
    .where('type', '=', 'message.added')
    .limit(1),
)

/** An ask as the database keeps it. */
export function* findAsk(ask: string): Transition<StoredAskOfRun | undefined> {
  const [row] = yield* selectAsk({ ask })
  return row
}

/** An ask as callers see it. */
export function* getAsk(ask: string): Transition<AskRow | undefined> {
  const row = yield* findAsk(ask)
  return row && askRowOf(row)
}

/**
 * Opens asks of a run. With `messageBefore`, or where the person wrote to the root of a child, they are withdrawn as they
 * open: nobody is shown what was asked before their message was heard. Gives the number of each by its id, for the log.
 */
export function* openAsks(
  context: Context,
  run: StoredRun,
  { events, asks, messageBefore }: { events: NewEvent[]; asks: OpenedAskWrite[]; messageBefore: boolean },
): Transition<Map<string, number>> {
  const numbers = new Map<string, number>()
  if (asks.length === 0) return numbers
  const opened = new Map<string, OpenedAsk>()
  for (const event of events) if (event.type === 'ask.opened') opened.set(event.data.id, event.data)
  for (const ask of asks) {
    const data = opened.get(ask.id)
    if (!data) throw new Error(`Ask ${ask.id} of run ${run.id} is to be opened without an event that says so.`)
    const root = ask.root ? yield* rootOf(run, ask.root) : run
    const number = yield* insertOne(context, run, { ask, data, root })
    numbers.set(ask.id, number)
    if (messageBefore || (ask.root && (yield* wroteTo(root.number, ask.root.seq))))
      yield* withdrawOne(context, run, { ask: ask.id, number })
    else yield* announce(context, 'ask.opened', number)
  }
  return numbers
}

type Root = Pick<StoredRun, 'number' | 'starter'>

function* rootOf(run: StoredRun, { run: id }: { run: string }): Transition<Root> {
  const [root] = yield* selectRoot({ run: id })
  if (!root) throw new Error(`An ask of run ${run.id} names the root run ${id}, and there is none.`)
  return root
}

/** Whether the person wrote to a run since a line of its log. The child's own row, locked by both, keeps the order. */
function* wroteTo(run: number, seq: number): Transition<boolean> {
  const mail = yield* readMail(run)
  return mail.some((each) => each.kind === 'message') || (yield* selectMessages({ run, after: seq })).length > 0
}

function* insertOne(
  context: Context,
  run: StoredRun,
  { ask, data, root }: { ask: OpenedAskWrite; data: OpenedAsk; root: Root },
): Transition<number> {
  const step = ask.root?.step ?? ask.step
  const [row] = yield* insertAsk({
    id: ask.id,
    owner: run.number,
    run: root.number,
    step,
    path: ask.root ? JSON.stringify(ask.root.path) : null,
    starter: root.starter,
    since: context.now,
    until: ask.waitMs === undefined ? never : Math.min(context.now + ask.waitMs, never),
    opened: packAsk(run.id, data, step),
  })
  if (!row) throw new Error(`Ask ${ask.id} of run ${run.id} was not written.`)
  return row.number
}

function* withdrawOne(
  context: Context,
  run: StoredRun,
  { ask, number }: { ask: string; number: number },
): Transition<void> {
  const settlement: Settlement = { ask, outcome: 'withdrawn', by: { type: 'run' }, because: 'messageBefore' }
  yield* endAsk(number, endColumns(context, settlement), context.now)
  yield* putMail(run.number, { kind: 'settled', settlement })
}

/** What changes in the row of an ask when it ends. */
export function endColumns(context: Context, settlement: Settlement, answer?: { id: string; hash: string }) {
  return {
    state: settlement.outcome,
    settlement: settlementText(settlement),
    ended_at: context.now,
    answer_id: answer?.id ?? null,
    answer_hash: answer?.hash ?? null,
  }
}

/** Ends an ask if it is open, and its deadline is not before `notAfter`. Gives whether it did. */
export function* endAsk(number: number, columns: ReturnType<typeof endColumns>, notAfter: number): Transition<boolean> {
  const ended = yield* endOpenAsk({ ...columns, number, notAfter })
  return ended.length > 0
}

/** Withdraws every open ask of a run's own log. Gives what a mailbox would be told of it, in the order they opened. */
export function* withdrawAsks(context: Context, run: StoredRun, because: Withdrawal): Transition<NewMail[]> {
  const by = { type: 'run' } as const
  const settlement = settlementText({ by, because })
  const rows = yield* withdrawOpenAsks({ owner: run.number, settlement, now: context.now })
  rows.sort((a, b) => a.number - b.number)
  const told: NewMail[] = []
  for (const { number, id } of rows) {
    yield* announce(context, 'ask.settled', number)
    told.push({ kind: 'settled', settlement: { ask: id, outcome: 'withdrawn', by, because } })
  }
  return told
}
