import type { Settlement } from '../../core/ask.ts'
import { newEvent } from '../../core/event.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { askRowOf } from '../rows.ts'
import type { Claim, SettleAsk, Settled } from '../store.ts'
import type { StoredAsk, StoredRun } from '../tables.ts'
import { endAsk, endColumns, findAsk, open } from './asks.ts'
import { type Context, noteChange } from './context.ts'
import { writeEvents } from './events.ts'
import { putMail } from './mail.ts'
import { announce } from './outbox.ts'
import { claimOf, lockFreeRun, lockRunNumber, readyRun, takeRun } from './runs.ts'

const selectOverdue = query((db, $: Slots<{ now: number; limit: number }>) =>
  db
    .selectFrom('asks')
    .select(['number', 'id', 'owner'])
    .where('state', '=', open)
    .where('until_at', '<', $.now)
    .orderBy('until_at')
    .orderBy('number')
    .limit($.limit),
)

/**
 * Ends an ask if it is open and not past its deadline. The first writer wins, by the guard in the WHERE; what a later
 * one is told is judged after that. The run is locked before its ask, here as everywhere: two transitions that take
 * their locks in one order cannot wait for each other.
 */
export function* settleAsk(context: Context, settle: SettleAsk): Transition<Settled> {
  const ask = yield* findAsk(settle.ask)
  if (!ask) return { case: 'none' }
  const [run] = yield* lockRunNumber({ number: ask.owner })
  // Erased since the line before.
  if (!run) return { case: 'none' }
  const settlement = settlementOf(settle)
  const columns = endColumns(context, settlement, settle.answer)
  if (!(yield* endAsk(ask.number, columns, context.now))) return yield* judge(settle)
  yield* announce(context, 'ask.settled', ask.number)
  const claim = yield* goOn(context, run, { settlement, offer: settle.claim })
  const settled: Settled = { case: 'settled', ask: askRowOf({ ...ask, ...columns }) }
  if (claim) settled.claim = claim
  return settled
}

function settlementOf({ ask, outcome, by, data, reason, shown }: SettleAsk): Settlement {
  const settlement: Settlement = { ask, outcome, by }
  if (data !== undefined) settlement.data = data
  if (reason !== undefined) settlement.reason = reason
  if (shown !== undefined) settlement.shown = shown
  return settlement
}

/** Why an ask could not be settled: the same answer again first, then its state, then its deadline. */
function* judge(settle: SettleAsk): Transition<Settled> {
  const stored = yield* findAsk(settle.ask)
  if (!stored) return { case: 'none' }
  const ask = askRowOf(stored)
  if (isAnswer(stored, settle.answer)) return { case: 'duplicate', ask }
  return { case: ask.state === 'open' || ask.state === 'expired' ? 'expired' : 'already', ask }
}

function isAnswer(stored: StoredAsk, answer: SettleAsk['answer']): boolean {
  return answer !== undefined && stored.answer_id === answer.id && stored.answer_hash === answer.hash
}

/**
 * Brings a settlement to its run: straight into the log where a worker takes a waiting run in the same stroke (the claim
 * makes us the one writer), else into the mailbox.
 */
function* goOn(
  context: Context,
  run: StoredRun,
  { settlement, offer }: { settlement: Settlement; offer: SettleAsk['claim'] },
): Transition<Claim | undefined> {
  noteChange(context, run)
  const waiting = run.status === 'waiting'
  const lastSeq = run.last_seq + 1
  const taken = offer && waiting ? yield* takeRun(context, run, { offer, lastSeq }) : undefined
  if (taken) {
    yield* writeEvents(context, run, { events: [newEvent(lastSeq, 'ask.settled', settlement)] })
    return yield* claimOf(taken)
  }
  yield* putMail(run.number, { kind: 'settled', settlement })
  if (waiting) yield* readyRun(context, run)
  return undefined
}

/**
 * Expires up to `limit` asks past their deadline, the longest overdue first. Gives the runs that were told. A run that
 * somebody else has locked is passed over; where that leaves nothing the first is waited for, as by a claim.
 */
export function* expireAsks(context: Context, limit: number): Transition<string[]> {
  const told = new Set<string>()
  const passed: Overdue[] = []
  for (const ask of yield* selectOverdue({ now: context.now, limit })) {
    const [run] = yield* lockFreeRun({ number: ask.owner })
    if (!run) passed.push(ask)
    else if (yield* expireAsk(context, run, ask)) told.add(run.id)
  }
  const [first] = passed
  const [run] = first && told.size === 0 ? yield* lockRunNumber({ number: first.owner }) : []
  if (run && first && (yield* expireAsk(context, run, first))) told.add(run.id)
  return [...told]
}

type Overdue = Pick<StoredAsk, 'number' | 'id' | 'owner'>

function* expireAsk(context: Context, run: StoredRun, ask: Overdue): Transition<boolean> {
  const settlement: Settlement = { ask: ask.id, outcome: 'expired', by: { type: 'clock' } }
  if (!(yield* endAsk(ask.number, endColumns(context, settlement), 0))) return false
  yield* announce(context, 'ask.settled', ask.number)
  yield* goOn(context, run, { settlement, offer: undefined })
  return true
}
