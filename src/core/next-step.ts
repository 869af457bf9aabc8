import type { SettledAsk } from './ask.ts'
import type { AskState, CallState, RunState, TurnState } from './fold.ts'
import { lastTurn } from './fold.ts'

/** What the definitions say of a call's tool today. A tool that is gone is neither. */
export interface ToolTraits {
  retrySafe: boolean
  replays: boolean
}

/** What a decision needs besides the log: what is going on in this process, and the definitions. */
export interface Situation {
  /** Something came into the mailbox that the log does not have. */
  mailed: boolean
  /** Calls that run in this process, by effect. */
  running: ReadonlySet<string>
  /** Calls that were prepared in this process and may run, by effect. */
  planned: ReadonlySet<string>
  traits(call: CallState): ToolTraits
  limits: { steps: number; tokensOut?: number }
}

export type NextStep =
  /** Copy the mailbox into the log. */
  | { do: 'absorb' }
  /** Prepare these calls: check, guard, decide approvals; ask, fail or let go. */
  | { do: 'plan'; calls: CallState[] }
  /** Turn settled asks into results, or let their calls run. */
  | { do: 'resolve'; asks: { call: CallState; ask: SettledAsk }[] }
  /** Run these. */
  | { do: 'start'; calls: CallState[] }
  /** A process died while these ran, and they may not run again: say so. */
  | { do: 'interrupt'; calls: CallState[] }
  /** Calls run; something must happen first. */
  | { do: 'wait' }
  /** Every ask of the turn has ended: bring the answers as one message. */
  | { do: 'deliver'; turn: TurnState }
  | { do: 'model'; turn: number }
  | { do: 'park' }
  | { do: 'finish'; turn: TurnState }
  | { do: 'fail'; code: 'T2001' | 'T2002' | 'T2004'; message: string }

/** Decides what comes next, from the log alone and what goes on here. Pure: the whole loop is this, and effects. */
export function nextStep(state: RunState, now: Situation): NextStep {
  if (now.mailed) return { do: 'absorb' }
  const turn = lastTurn(state)
  // Who has written since is there: an ask that expired before that is told as such, and does not end the run over it.
  const mayFail = !state.queue.some((item) => item.from !== 'notice')
  return (turn && stepOfTurn(turn, now, mayFail)) ?? stepBetweenTurns(state, turn, now)
}

function stepOfTurn(turn: TurnState, now: Situation, mayFail: boolean): NextStep | undefined {
  const owed = turn.delivered ? [] : turn.calls.flatMap((call) => call.asks).filter((ask) => ask.waiting !== undefined)
  // First: the call has its waiting result, and what else is open could keep the run waiting for months.
  const failed = mayFail && owed.find(mustFail)
  if (failed) return failure(failed)
  const step = stepOfCalls(turn.calls, now, mayFail)
  if (step) return step
  return owed.length > 0 ? { do: 'deliver', turn } : undefined
}

/** What is to be done about these calls, if anything: the part of the decision that a driver of one's own shares. */
export function stepOfCalls(calls: readonly CallState[], now: Situation, mayFail = true): NextStep | undefined {
  const phases = calls.map((call) => ({ call, phase: phaseOf(call, now) }))
  const of = (wanted: Phase) => phases.filter(({ phase }) => phase === wanted).map(({ call }) => call)

  const failed = mayFail && calls.flatMap((call) => (call.result ? [] : call.asks)).find(mustFail)
  if (failed) return failure(failed)
  const settled = calls.flatMap((call) => unresolved(call, now).map((ask) => ({ call, ask })))
  if (settled.length > 0) return { do: 'resolve', asks: settled }
  if (of('interrupted').length > 0) return { do: 'interrupt', calls: of('interrupted') }
  if (of('fresh').length > 0) return { do: 'plan', calls: of('fresh') }

  const startable = inOrder(
    of('startable'),
    of('running').some((call) => isOrdered(call, now)),
    now,
  )
  if (startable.length > 0) return { do: 'start', calls: startable }
  if (of('running').length > 0) return { do: 'wait' }
  const isOpen = (call: CallState) => call.asks.some((ask) => !ask.end)
  return of('waiting').length > 0 || calls.some(isOpen) ? { do: 'park' } : undefined
}

function stepBetweenTurns(state: RunState, turn: TurnState | undefined, now: Situation): NextStep {
  const last = state.items.at(-1)
  if (turn && last === turn && turn.calls.length === 0) return { do: 'finish', turn }
  const used = noCallLeft(state, now.limits)
  if (used) return { do: 'fail', ...used }
  return { do: 'model', turn: state.turns + 1 }
}

type Phase = 'returned' | 'waiting' | 'running' | 'interrupted' | 'startable' | 'fresh'

function phaseOf(call: CallState, now: Situation): Phase {
  if (call.result) return 'returned'
  if (now.running.has(call.effect)) return 'running'
  if (call.child !== undefined || call.asks.some((ask) => !ask.end)) return 'waiting'
  if (call.started) return mayRepeat(call, now) ? 'startable' : 'interrupted'
  return now.planned.has(call.effect) ? 'startable' : 'fresh'
}

function mustFail(ask: AskState): boolean {
  return ask.end?.outcome === 'expired' && ask.rule.onExpire === 'fail'
}

function failure(ask: AskState): NextStep {
  return { do: 'fail', code: 'T2004', message: `Nobody answered ${ask.step} in time.` }
}

function mayRepeat(call: CallState, now: Situation): boolean {
  const traits = now.traits(call)
  return traits.retrySafe || traits.replays
}

/** Asks that gate a call, have ended, and whose end has not become the call's result or its start. */
function unresolved(call: CallState, now: Situation): SettledAsk[] {
  if (call.result || now.planned.has(call.effect) || now.running.has(call.effect)) return []
  const ask = endedAskOf(call)
  return ask ? [ask] : []
}

/** The ended ask that decides what becomes of a call without a result, if there is one. */
export function endedAskOf(call: CallState): SettledAsk | undefined {
  // An ask inside a tool: its answer goes to the tool, which runs again. Withdrawn, it ends the call instead.
  const ask = call.started ? call.asks.find((each) => each.end?.outcome === 'withdrawn') : call.asks.at(-1)
  return ask?.end && (ask as SettledAsk)
}

/** Whether a call waits its turn: ungated ones that are not retry-safe run one after another, in call order. */
function isOrdered(call: CallState, now: Situation): boolean {
  return !now.traits(call).retrySafe && !call.asks.some((ask) => ask.key === undefined)
}

function inOrder(startable: CallState[], busy: boolean, now: Situation): CallState[] {
  const free = startable.filter((call) => !isOrdered(call, now))
  const next = busy ? undefined : startable.find((call) => isOrdered(call, now))
  return next ? [...free, next] : free
}

/**
 * Why the model may not be called again in this round, if so. Nothing may be asked then either, since nobody would hear
 * the answer.
 */
export function noCallLeft(
  state: RunState,
  { steps, tokensOut }: Situation['limits'],
): { code: 'T2001' | 'T2002'; message: string } | undefined {
  if (state.turns >= steps) {
    return { code: 'T2001', message: `The round used its ${steps} model calls (limits.steps), and needs one more.` }
  }
  const used = state.usage.outputTokens
  if (tokensOut === undefined || used < tokensOut) return undefined
  return { code: 'T2002', message: `The run used ${used} output tokens of ${tokensOut} (limits.perRun.tokensOut).` }
}
