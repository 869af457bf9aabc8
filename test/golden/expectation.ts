import type { RunEvent } from '../../src/core/event.ts'
import { emptyState, fold } from '../../src/core/fold.ts'
import { nextStep, type Situation } from '../../src/core/next-step.ts'
import { promptOf } from '../../src/core/prompt.ts'
import { conversationOf, type LoggedViewEvent, Viewer } from '../../src/core/view.ts'

/** What a log must mean to every later version of this major: what a model is sent, what its person sees, what is next. */
export interface Expectation {
  status: string
  repeat: number
  prompt: string[]
  view: LoggedViewEvent[]
  conversation: ReturnType<typeof conversationOf>
  /**
   * What a process does that finds the log at each of its events, from the first on, with an agent whose tools `read` and
   * `waits` are retry-safe and `form` replays.
   */
  decisions: unknown[]
}

const situation: Situation = {
  mailed: false,
  running: new Set(),
  planned: new Set(),
  traits: ({ tool }) => ({ retrySafe: tool === 'read' || tool === 'waits', replays: tool === 'form' }),
  limits: { steps: 3 },
}

/** Reads a log. */
export function expectationOf(log: RunEvent[]): Expectation {
  const state = emptyState()
  const decisions = log.map((event) => brief(nextStep(fold(state, [event]), situation)))
  const viewer = new Viewer()
  const view = log.flatMap((event) => viewer.see(event) ?? [])
  const { status, repeat } = state
  return { status, repeat, prompt: promptOf(state), view, conversation: conversationOf(log), decisions }
}

/** A decision by what it is about: the state of a call is the fold's own business and may grow. */
function brief(step: ReturnType<typeof nextStep>): unknown {
  if ('calls' in step) return { do: step.do, calls: step.calls.map((call) => call.effect) }
  if ('asks' in step) return { do: step.do, asks: step.asks.map(({ ask }) => ask.id) }
  if (step.do === 'finish' || step.do === 'deliver') return { do: step.do, turn: step.turn.turn }
  if (step.do === 'fail') return { do: step.do, code: step.code }
  return step
}

/** A log as a file: one event a line. */
export function textOfLog(log: RunEvent[]): string {
  return log.map((event) => `${JSON.stringify(event)}\n`).join('')
}

export function readLog(text: string): RunEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
}
