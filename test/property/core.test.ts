import fc from 'fast-check'
import { wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { closeLog } from '../../src/core/close.ts'
import { type NewEvent, newEvent, type RunEvent } from '../../src/core/event.ts'
import { emptyState, fold, lastTurn, type RunState } from '../../src/core/fold.ts'
import type { ModelMessage } from '../../src/core/model.ts'
import { type NextStep, nextStep } from '../../src/core/next-step.ts'
import { promptOf } from '../../src/core/prompt.ts'
import { defaultTexts } from '../../src/core/texts.ts'
import { conversationOf, type LoggedViewEvent, Viewer } from '../../src/core/view.ts'
import { simulate } from './simulate.ts'
import { resolve, secretMarks } from './simulated-calls.ts'
import type { SimulatedRun } from './simulated-run.ts'
import { runsOf, Tape, tapes } from './tape.ts'

/* Random histories of one run, played by the rules of the engine over the pure core alone. */

const history = tapes(300)
const ignore = () => undefined

function faultsOf(prompt: string[]): string[] {
  return wellFormed(prompt.map((text) => JSON.parse(text) as ModelMessage))
}

/** The ids of our calls, or of their results, in the order in which they stand. */
function idsIn(prompt: string[], type: 'tool-call' | 'tool-result'): string[] {
  const parts = prompt.flatMap((text) => {
    const { role, content } = JSON.parse(text) as ModelMessage
    return typeof content !== 'string' && role === (type === 'tool-call' ? 'assistant' : 'tool') ? content : []
  })
  const ours = parts.filter((part) => part.type === type && !('providerExecuted' in part))
  return ours.map((part) => String((part as { toolCallId?: unknown }).toolCallId))
}

/** Watches every decision of a run: what the model is sent, and whether the run may end. */
function promptWatch() {
  let before: string[] = []
  const see = ({ state }: SimulatedRun) => {
    const prompt = promptOf(state)
    expect(faultsOf(prompt)).toEqual([])
    expect(idsIn(prompt, 'tool-result')).toEqual(idsIn(prompt, 'tool-call'))
    expect(prompt.slice(0, before.length)).toEqual(before)
    before = prompt
  }
  return {
    watch(run: SimulatedRun, step: NextStep): void {
      if (step.do === 'model' && !run.hasEffects) see(run)
    },
  }
}

test('at every model call the prompt is well formed, results in call order, and begins with the one before (G9)', () => {
  const property = fc.property(history, (choices) => {
    simulate(new Tape(choices), promptWatch().watch)
  })
  fc.assert(property, runsOf(1500))
})

test('the model is never called while a call of the turn lacks its result or an ask of it is open', () => {
  let calls = 0
  const watch = ({ state }: SimulatedRun, step: NextStep) => {
    if (step.do !== 'model') return
    calls++
    const turn = lastTurn(state)
    expect(turn?.calls.filter((call) => !call.result)).toEqual(turn && [])
    expect([...state.asks.values()].filter((ask) => !ask.end)).toEqual([])
    expect(state.queue).toEqual([])
  }
  fc.assert(
    fc.property(history, (choices) => void simulate(new Tape(choices), watch)),
    runsOf(1000),
  )
  expect(calls).toBeGreaterThan(1000)
})

test('a run never finishes or fails while a message of the person waits for the model', () => {
  const watch = ({ state, mailbox }: SimulatedRun, step: NextStep) => {
    if (step.do !== 'finish' && step.do !== 'fail') return
    expect([state.queue.filter(({ from }) => from !== 'notice'), mailbox]).toEqual([[], []])
    if (step.do === 'fail') return
    expect(state.items.at(-1)).toBe(lastTurn(state))
  }
  fc.assert(
    fc.property(history, (choices) => void simulate(new Tape(choices), watch)),
    runsOf(1000),
  )
})

test('every history comes to its end: each decision changes something, and nothing waits for nobody', () => {
  const property = fc.property(history, (choices) => {
    const run = simulate(new Tape(choices), ignore)
    expect(run.over).toBe(true)
    expect([...run.state.asks.values()].filter((ask) => !ask.end)).toEqual([])
    expect(settlements(run.log)).toEqual(new Map([...run.state.asks.keys()].map((id) => [id, 1])))
  })
  fc.assert(property, runsOf(1000))
})

function settlements(log: RunEvent[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const event of log) {
    if (event.type === 'ask.opened') counts.set(event.data.id, 0)
    if (event.type === 'ask.settled') counts.set(event.data.ask, (counts.get(event.data.ask) ?? 0) + 1)
  }
  return counts
}

test('folding in parts equals folding at once, over the text of the log as a store keeps it', () => {
  const property = fc.property(history, fc.array(fc.nat({ max: 200 }), { maxLength: 8 }), (choices, cuts) => {
    const { log, state } = simulate(new Tape(choices), ignore)
    const stored = JSON.parse(JSON.stringify(log)) as RunEvent[]
    const parts = emptyState()
    let from = 0
    for (const cut of [...cuts, stored.length].sort((a, b) => a - b)) {
      fold(parts, stored.slice(from, cut))
      from = Math.max(from, cut)
    }
    expect(parts).toEqual(fold(emptyState(), stored))
    expect(parts).toEqual(state)
  })
  fc.assert(property, runsOf(500))
})

test('a log can be closed at any event, and a message after it leads to a well-formed prompt that goes on from it', () => {
  const property = fc.property(history, fc.nat(), fc.boolean(), (choices, place, stopped) => {
    const { log, terms } = simulate(new Tape(choices), ignore)
    const cut = 1 + (place % log.length)
    const state = fold(emptyState(), log.slice(0, cut))
    if (state.status !== 'open') return
    const ending = stopped
      ? ({ because: 'stop', by: { type: 'system' } } as const)
      : ({ because: 'end', failed: { code: 'T2005', message: 'It failed.' } } as const)
    const closing = closeLog(state, ending, { texts: defaultTexts, resolve })
    expectClosed(state, closing, log.slice(0, cut))

    const message = newEvent(state.seq + 1, 'message.added', { from: 'person', content: 'Go on.' })
    fold(state, [message])
    const decided = nextStep(state, {
      mailed: false,
      running: new Set(),
      planned: new Set(),
      traits: () => ({ retrySafe: false, replays: false }),
      limits: { steps: terms.steps },
    })
    expect(decided).toMatchObject({ do: 'model' })
    expect(faultsOf(promptOf(state))).toEqual([])
    expect(promptOf(state).at(-1)).toContain('Go on.')
  })
  fc.assert(property, runsOf(1000))
})

function expectClosed(state: RunState, closing: NewEvent[], before: NewEvent[]): void {
  expect(closing.map((event) => event.seq)).toEqual(closing.map((_, index) => before.length + 1 + index))
  expect(['run.stopped', 'run.failed']).toContain(closing.at(-1)?.type)
  expect([...state.calls.values()].filter((call) => !call.result)).toEqual([])
  expect([...state.asks.values()].filter((ask) => !ask.end)).toEqual([])
  expect(state.queue).toEqual([])
  // It was folded as it was made: what is stored must say the same.
  expect(fold(fold(emptyState(), before), closing)).toEqual(state)
}

test('a person sees no refused text, no guarded ask, no input or result of a tool, no provider metadata', () => {
  let shown = 0
  const property = fc.property(history, (choices) => {
    const { log } = simulate(new Tape(choices), ignore)
    const viewer = new Viewer()
    const seen = log.flatMap((event) => viewer.see(event) ?? [])
    const text = JSON.stringify([seen, conversationOf(log)])
    for (const mark of secretMarks) expect(text).not.toContain(mark)
    if (/said-|asked-/.test(text)) shown++
  })
  fc.assert(property, runsOf(1000))
  expect(shown).toBeGreaterThan(100)
})

test('a view that goes on from any event is the view from the first', () => {
  const property = fc.property(history, fc.nat(), (choices, place) => {
    const { log } = simulate(new Tape(choices), ignore)
    const cut = place % (log.length + 1)
    const viewer = new Viewer()
    for (const event of log.slice(0, cut)) viewer.see(event)
    const later = log.slice(cut).flatMap((event) => viewer.see(event) ?? [])
    expect(goOn(conversationOf(log.slice(0, cut)), later)).toEqual(conversationOf(log))
  })
  fc.assert(property, runsOf(500))
})

type Conversation = ReturnType<typeof conversationOf>

/** What a screen does that has a conversation and hears of more. */
function goOn({ messages, text }: Conversation, later: LoggedViewEvent[]): Conversation {
  const after: Conversation = { messages: [...messages], text }
  for (const event of later) {
    const { seq, at } = event
    if (event.type === 'message') {
      after.messages.push({ role: event.role, seq, at, text: event.text })
      if (event.role === 'assistant') after.text = event.text
    }
    if (event.type === 'ask.opened') after.messages.push({ role: 'ask', seq, at, ask: event.ask })
    if (event.type !== 'ask.settled') continue
    after.messages = after.messages.map((line) =>
      line.role === 'ask' && line.ask.id === event.ask.id ? { ...line, end: event.end } : line,
    )
  }
  return after
}
