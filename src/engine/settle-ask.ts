import { nextTurn } from '../core/ambient.ts'
import type { AskAt, AskRef } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { Answer, Refusal, Settling } from '../core/helper.ts'
import type { Json } from '../core/json.ts'
import type { SettleFacts } from '../core/telemetry.ts'
import { isoOf } from '../core/view.ts'
import { checkAnswer } from '../shape/check-answer.ts'
import { excessIn } from '../shape/check-size.ts'
import type { AskRow, RunRow, Settled } from '../store/store.ts'
import { callDigest, checkGuards, digestOf, type WriteParts, withOffer } from './start-run.ts'
import { askOfRow, type Caller, knownRun } from './views.ts'

export type SettleAt = AskAt | AskRef

/** Answers or approves. */
export async function approveAsk(parts: WriteParts, caller: Caller, at: SettleAt, answer: Answer): Promise<Settling> {
  const { data, answerId } = answer
  const ending: Ending = { outcome: 'approved' }
  if (data !== undefined) ending.data = await asJson(data)
  if (answerId !== undefined) ending.answerId = checkAnswerId(answerId)
  return settle(parts, caller, at, ending)
}

/** Refuses. A refusal needs no value and is checked against no schema; its reason passes the in guards. */
export async function refuseAsk(parts: WriteParts, caller: Caller, at: SettleAt, refusal: Refusal): Promise<Settling> {
  if (refusal.reason !== undefined && (typeof refusal.reason !== 'string' || refusal.reason.length > 10_000)) {
    throw new QuerentError('T0008', 'A reason is a text of at most 10,000 characters.')
  }
  const { reason, answerId } = refusal
  const ending: Ending = { outcome: 'refused' }
  if (reason !== undefined) ending.reason = reason
  if (answerId !== undefined) ending.answerId = checkAnswerId(answerId)
  return settle(parts, caller, at, ending)
}

/** What JavaScript has and JSON has not is refused here: stored, it would be something else than was checked. */
async function asJson(data: Json): Promise<Json> {
  // First of all: what is far too large would hold up the process while it is copied.
  const excess = excessIn(data)
  if (excess) throw doesNotFit([excess])
  const text = textOf(data)
  if (text === undefined) throw doesNotFit([{ path: '', message: 'is not JSON' }])
  if (text.length < largeText) return JSON.parse(text) as Json
  await nextTurn()
  const copy = JSON.parse(text) as Json
  await nextTurn()
  return copy
}

/** An answer of that many characters is read, copied, checked and stored in turns: in one, nobody else would be heard. */
const largeText = 32 * 1024

function textOf(data: Json): string | undefined {
  try {
    return JSON.stringify(data, refuseLoss)
  } catch {
    return undefined
  }
}

/** JSON writes null in place of these: `1e400`, which a body may say, must not settle what null fits. */
function refuseLoss(this: unknown, _key: string, value: unknown): unknown {
  const isLost =
    typeof value === 'number'
      ? !Number.isFinite(value)
      : Array.isArray(this) && ['undefined', 'function', 'symbol'].includes(typeof value)
  if (isLost) throw new TypeError('There is no JSON for it.')
  return value
}

interface Ending {
  outcome: 'approved' | 'refused'
  data?: Json
  reason?: string
  answerId?: string
}

/**
 * Ends an ask. Judged in this order: T0001, T3101, T0006, T0004, T0003/T0005, T0010, T0002, T0009, T0012. What does not
 * fit changes nothing: the ask still waits, the run is not woken.
 */
async function settle(parts: WriteParts, caller: Caller, at: SettleAt, end: Ending): Promise<Settling> {
  const run = await knownRun(parts.store, caller, at?.run)
  if (caller.type === 'system' && run.starter.type === 'person') {
    throw new QuerentError(
      'T3101',
      `Run ${run.id} was started by a person: only they answer its asks. Use engine.as(person).`,
    )
  }
  const row = await findAsk(parts, run, at)
  const { telemetry } = parts
  const settled = await (telemetry
    ? telemetry.settle(factsOf(row, end), () => settleFound(parts, caller, { row, end }))
    : settleFound(parts, caller, { row, end }))
  return settlingOf(parts, settled, row)
}

function factsOf(row: AskRow, { outcome }: Ending): SettleFacts {
  const { run, agent, kind, trace } = row
  return trace === undefined ? { run, agent, kind, outcome } : { run, agent, kind, outcome, after: trace }
}

async function settleFound(
  parts: WriteParts,
  caller: Caller,
  { row, end }: { row: AskRow; end: Ending },
): Promise<Settled> {
  // A settled or expired ask is the store's to judge: it knows the answer ids and the clock.
  if (row.state === 'open' && !isPast(parts, row)) {
    if (end.outcome === 'approved') await checkData(parts, row, end.data)
    else if (end.reason !== undefined) await guardAnswer(parts, row, end.reason)
  }
  const actor =
    caller.type === 'person' ? { type: 'person' as const, id: caller.person.id } : { type: 'system' as const }
  const offer = parts.dispatcher.offer(row.agent)
  return withOffer(parts.dispatcher, offer, () =>
    parts.store.settleAsk({
      ask: row.id,
      outcome: end.outcome,
      by: actor,
      ...(end.data === undefined ? {} : { data: end.data }),
      ...(end.reason === undefined ? {} : { reason: end.reason }),
      ...(end.outcome === 'approved' && isLeave(row) ? { shown: callDigest(row) } : {}),
      ...(end.answerId === undefined ? {} : { answer: { id: end.answerId, hash: hashOf(end) } }),
      ...(offer ? { claim: offer } : {}),
    }),
  )
}

function settlingOf(parts: WriteParts, settled: Settled, row: AskRow): Settling {
  switch (settled.case) {
    case 'settled':
      if (!settled.claim) parts.dispatcher.mailed(row.owner)
      return { ask: askOfRow(settled.ask), duplicate: false }
    case 'duplicate':
      return { ask: askOfRow(settled.ask), duplicate: true }
    case 'already':
      throw alreadySettled(settled.ask)
    case 'expired':
      throw new QuerentError('T0005', `This ask expired at ${isoOf(settled.ask.until ?? 0)}. Nothing was changed.`, {
        data: { until: isoOf(settled.ask.until ?? 0) },
      })
    case 'none':
      throw new QuerentError('T0006', 'This ask is not there any more: its run was erased.')
  }
}

function alreadySettled(ask: AskRow): QuerentError {
  const { end } = ask
  const by =
    end?.by.type === 'person'
      ? `the person ${JSON.stringify(end.by.id)}`
      : { system: 'backend code', clock: 'its deadline', run: 'its run' }[end?.by.type ?? 'run']
  const at = isoOf(end?.at ?? 0)
  return new QuerentError(
    'T0003',
    `This ask is settled already: ${ask.state} by ${by} at ${at}. Nothing was changed.`,
    {
      data: {
        outcome: ask.state,
        by: end?.by,
        at,
        ...(end?.data === undefined ? {} : { answer: end.data }),
        ...(end?.reason === undefined ? {} : { reason: end.reason }),
      },
    },
  )
}

async function findAsk(parts: WriteParts, run: RunRow, at: SettleAt): Promise<AskRow> {
  if (isRef(at)) {
    const row = await parts.store.getAsk(at.id)
    if (row?.run === run.id) return row
    throw await noSuchAsk(parts, run, `with the id ${JSON.stringify(at.id)}`)
  }
  const all = await parts.store.findAsks(run.id, String(at.step))
  const { repeat, n } = at
  const fits = all.filter((row) => (repeat === undefined || row.repeat === repeat) && (n === undefined || row.n === n))
  const [row] = fits
  if (!row) throw await noSuchAsk(parts, run, `at step ${JSON.stringify(at.step)}`)
  if (fits.length === 1) return row
  throw new QuerentError('T0004', `${fits.length} asks have been at step "${at.step}". Say which: repeat and n.`, {
    data: { asks: fits.map((each) => ({ repeat: each.repeat, n: each.n, state: each.state, ask: askOfRow(each) })) },
  })
}

function isRef(at: SettleAt): at is AskRef {
  return 'id' in at && typeof at.id === 'string'
}

async function noSuchAsk(parts: WriteParts, run: RunRow, what: string): Promise<QuerentError> {
  const open = await parts.store.listAsks({ run: run.id })
  const steps = open.items.map((row) => `"${row.step}"`).join(', ') || 'none'
  return new QuerentError('T0006', `There has never been an ask ${what} of this run. Open now: ${steps}.`, {
    data: { open: open.items.map(askOfRow) },
  })
}

function isPast(parts: WriteParts, row: AskRow): boolean {
  return row.until !== undefined && parts.clock.now() > row.until
}

async function checkData(parts: WriteParts, row: AskRow, data: Json | undefined): Promise<void> {
  if (row.answerSchema === undefined) {
    if (data === undefined) return
    throw new QuerentError(
      'T0010',
      'This approval takes no data: its input may not be edited. Approve it as it is, or refuse it.',
    )
  }
  if (data === undefined) {
    if (row.rule.editable) return
    throw doesNotFit([{ path: '', message: 'is required: an answer needs data' }])
  }
  const issues = await checkAnswer(row.answerSchema, data)
  if (issues.length > 0) throw doesNotFit(issues)
  await guardAnswer(parts, row, data)
}

/** Whether an ask takes no answer of its own: it is a leave to act, and its answer may change the input at most. */
function isLeave({ answerSchema, rule }: AskRow): boolean {
  return answerSchema === undefined || rule.editable === true
}

/** What a person writes passes the in guards before it counts: an answer, and the reason of a refusal. */
async function guardAnswer(parts: WriteParts, row: AskRow, data: Json): Promise<void> {
  if (!row.rule.guarded) return
  const agent = parts.registry.find(row.agent)
  if (!agent) {
    throw new QuerentError(
      'T0009',
      `The guards of agent "${row.agent}" must see this answer, and this process does not have it. Send it where the agent is.`,
    )
  }
  await checkGuards(agent, row.run, 'answer', typeof data === 'string' ? data : JSON.stringify(data))
}

function doesNotFit(issues: { path: string; message: string }[]): QuerentError {
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  return new QuerentError('T0002', `The answer does not fit, and the ask still waits: ${lines.join('; ')}.`, {
    data: { issues },
  })
}

function checkAnswerId(answerId: string): string {
  if (typeof answerId === 'string' && answerId !== '' && answerId.length <= 200) return answerId
  throw new QuerentError('T0008', 'An answerId is a text of 1 to 200 characters.')
}

function hashOf({ outcome, data, reason }: Ending): string {
  return digestOf([outcome, data === undefined ? [] : [data], reason ?? null])
}
