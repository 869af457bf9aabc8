import type { OpenedAsk, Settlement } from './ask.ts'
import { QuerentError } from './error.ts'
import { type EventData, eventVersion, type NewEvent, type ParentCall, type Starter, type Trigger } from './event.ts'
import type { Json } from './json.ts'
import type { Usage, UserInput } from './model.ts'
import type { ToolResult } from './tool.ts'

/** An ask in the state: how it was opened, and its end once that is in the log. */
export interface AskState extends OpenedAsk {
  end?: Settlement
}

/** One call of a turn, and all that the log says of it. */
export interface CallState {
  effect: string
  repeat: number
  turn: number
  /** Which call of its turn, from 1. */
  m: number
  /** The provider's id. */
  id: string
  tool: string
  input: Json
  invalid?: string
  /** Whether it must be approved, once that was decided. */
  gated?: boolean
  started: boolean
  /** The run that does it. */
  child?: string
  result?: ToolResult
  asks: AskState[]
  kept: Map<string, Json>
}

/** One model call and what came of it. */
export interface TurnState {
  type: 'turn'
  repeat: number
  turn: number
  messages: string[]
  text: string
  /** An out guard refused its text: nobody sees it. */
  hidden: boolean
  finish: string
  calls: CallState[]
  /** Asks delivered as a message: whether that message is in the prompt. */
  delivered: boolean
}

/** A message of the prompt that is not the model's. */
export interface UserItem {
  type: 'user'
  from: EventData['message.added']['from'] | 'notice'
  repeat: number
  content: UserInput
}

/** All that a run's log says, in the form decisions need. Made by `fold` alone. */
export interface RunState {
  agent: string
  fingerprint: string
  trigger: Trigger
  starter: Starter
  parent?: ParentCall
  seq: number
  status: 'open' | 'done' | 'failed' | 'stopped'
  /** The round, from 1. */
  repeat: number
  /** Model calls made in this round. */
  turns: number
  /** The prompt in order: messages and turns. */
  items: (UserItem | TurnState)[]
  /** What waits until every call of the last turn has its result: notices first, then messages. */
  queue: Omit<UserItem, 'repeat'>[]
  calls: Map<string, CallState>
  asks: Map<string, AskState>
  usage: Usage
  /** Refusals by the person since their last message. */
  refused: { tool: string; input: Json }[]
  /** What a driver of one's own keeps. */
  driver: Map<string, Json>
  /** A driver has done something in this round: a later message opens the next, though no model has replied. */
  driven: boolean
  /** The newest trace that the log names while the run is not over: whoever works on it next goes on from there. */
  trace?: string
}

/** A state before any event. */
export function emptyState(): RunState {
  return {
    agent: '',
    fingerprint: '',
    trigger: 'system',
    starter: { type: 'system' },
    seq: 0,
    status: 'open',
    repeat: 1,
    turns: 0,
    items: [],
    queue: [],
    calls: new Map(),
    asks: new Map(),
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    refused: [],
    driver: new Map(),
    driven: false,
  }
}

/**
 * Folds events into a state, in place, and gives it back. Folding in parts equals folding at once.
 * @throws QuerentError T3002 where an event is newer than this code.
 */
export function fold(state: RunState, events: readonly NewEvent[]): RunState {
  for (const event of events) {
    if (event.v > eventVersion || !(event.type in on)) {
      throw new QuerentError(
        'T3002',
        `The log has an event "${event.type}" of version ${event.v} at ${event.seq}, which this code cannot read. ` +
          'A newer Querent wrote it: run that version, or a later one.',
      )
    }
    // The table is keyed by the event's own type, which TypeScript cannot follow through an index.
    const apply = on[event.type] as (state: RunState, data: NewEvent['data']) => void
    apply(state, event.data)
    state.seq = event.seq
    admitQueue(state)
  }
  return state
}

const on: { [T in NewEvent['type']]: (state: RunState, data: EventData[T]) => void } = {
  'run.started'(state, data) {
    state.agent = data.agent
    state.fingerprint = data.fingerprint
    state.trigger = data.trigger
    state.starter = data.starter
    if (data.parent) state.parent = data.parent
    noteTrace(state, data)
    state.items.push({ type: 'user', from: fromOf(data.starter), repeat: 1, content: data.input })
  },
  'model.replied'(state, data) {
    const { repeat } = state
    const calls = data.calls.map((call, index) => callState({ ...call, repeat, turn: data.turn, m: index + 1 }))
    for (const call of calls) state.calls.set(call.effect, call)
    const { turn, messages, text, finish, refused } = data
    state.items.push({ type: 'turn', repeat, turn, messages, text, hidden: !!refused, finish, calls, delivered: false })
    if (refused) state.queue.unshift({ type: 'user', from: 'notice', content: refused.notice })
    state.turns = turn
    if (data.fingerprint) state.fingerprint = data.fingerprint
    state.status = 'open'
    addUsage(state.usage, data.usage)
  },
  'approval.decided'(state, data) {
    if (data.call) addCall(state, data.effect, data.call)
    callOf(state, data.effect).gated = data.needed
  },
  'tool.started'(state, data) {
    const call = callOf(state, data.effect)
    call.started = true
    if (data.child !== undefined) call.child = data.child
    noteTrace(state, data)
  },
  'tool.returned'(state, data) {
    callOf(state, data.effect).result = data.result
    if (data.usage) addUsage(state.usage, data.usage)
  },
  'tool.kept'(state, data) {
    callOf(state, data.effect).kept.set(data.key, data.value)
  },
  'ask.opened'(state, data) {
    const ask: AskState = { ...data }
    state.asks.set(ask.id, ask)
    addCall(state, data.effect, data)
    callOf(state, data.effect).asks.push(ask)
    noteTrace(state, data)
  },
  'ask.settled'(state, data) {
    const ask = state.asks.get(data.ask)
    if (!ask || ask.end) return
    ask.end = data
    if (data.outcome === 'refused') state.refused.push({ tool: ask.tool, input: ask.input })
  },
  // What it refused became the result of its call, or never came in: nothing depends on it.
  'guard.refused'() {},
  'message.added'(state, data) {
    if (data.from === 'answers') {
      const turn = lastTurn(state)
      if (turn) turn.delivered = true
      state.items.push({ type: 'user', from: 'answers', repeat: state.repeat, content: data.content })
    } else {
      state.queue.push({ type: 'user', from: data.from, content: data.content })
    }
    state.status = 'open'
  },
  'driver.kept'(state, data) {
    state.driver.set(data.key, data.value)
    state.driven = true
    state.status = 'open'
  },
  'run.failed': (state) => end(state, 'failed'),
  'run.finished': (state) => end(state, 'done'),
  'run.stopped': (state) => end(state, 'stopped'),
}

function end(state: RunState, status: RunState['status']): void {
  state.status = status
  // Nothing has waited since: a later round does not go on from there.
  delete state.trace
}

function noteTrace(state: RunState, { trace }: { trace?: string }): void {
  if (trace !== undefined) state.trace = trace
}

function callState(call: Omit<CallState, 'started' | 'asks' | 'kept'>): CallState {
  const { effect, repeat, turn, m, id, tool, input, invalid } = call
  const state: CallState = { effect, repeat, turn, m, id, tool, input, started: false, asks: [], kept: new Map() }
  if (invalid !== undefined) state.invalid = invalid
  return state
}

/** A call that stands in no reply: a driver's own. */
function addCall(state: RunState, effect: string, call: { step: string; tool: string; input: Json }): void {
  if (state.calls.has(effect)) return
  state.driven = true
  const m = Number(call.step.split('.').at(-1))
  const { tool, input } = call
  const place = { effect, id: '', repeat: state.repeat, turn: Math.max(state.turns, 1), m }
  state.calls.set(effect, callState({ ...place, tool, input }))
}

function callOf(state: RunState, effect: string): CallState {
  const call = state.calls.get(effect)
  if (!call)
    throw new QuerentError('T2005', `The log names the call "${effect}", which it has not seen. It is damaged.`)
  return call
}

function addUsage(sum: Usage, usage: Usage): void {
  sum.inputTokens += usage.inputTokens
  sum.outputTokens += usage.outputTokens
  sum.totalTokens += usage.totalTokens
  if (usage.estimated) sum.estimated = true
}

/** Who a message of a starter is from. */
export function fromOf(starter: Starter): 'person' | 'system' {
  return starter.type === 'person' ? 'person' : 'system'
}

/** The newest turn, if there was one. */
export function lastTurn(state: RunState): TurnState | undefined {
  for (let i = state.items.length - 1; i >= 0; i--) {
    const item = state.items[i]
    if (item?.type === 'turn') return item
  }
  return undefined
}

/** Whether every call of a turn has its result and every ask of it has reached the model. */
export function isComplete(turn: TurnState): boolean {
  return (
    turn.calls.every((call) => call.result && call.asks.every((ask) => ask.end)) &&
    (turn.delivered || !owesAnswers(turn))
  )
}

/** Whether a turn has asks whose answers follow as a message. */
export function owesAnswers(turn: TurnState): boolean {
  return turn.calls.some((call) => call.asks.some((ask) => ask.waiting !== undefined))
}

/**
 * Lets what waits join the prompt: at once where the last turn is complete, since nothing may stand between calls and
 * their results. A person's message opens the next round; those that come before the model is called share it.
 */
function admitQueue(state: RunState): void {
  if (state.queue.length === 0) return
  const turn = lastTurn(state)
  if (turn && !isComplete(turn)) return
  for (const item of state.queue) {
    if (item.from !== 'notice' && opensRound(state)) {
      state.repeat++
      state.turns = 0
      state.refused = []
      state.driven = false
    }
    state.items.push({ ...item, repeat: state.repeat })
  }
  state.queue = []
}

function opensRound(state: RunState): boolean {
  const last = state.items.at(-1)
  return state.driven || last?.type === 'turn' || last?.from === 'notice' || last?.from === 'answers'
}
