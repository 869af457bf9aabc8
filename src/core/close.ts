import { answersOf, type Resolve } from './answers.ts'
import type { Actor, Withdrawal } from './ask.ts'
import { type EventData, type EventType, type NewEvent, newEvent } from './event.ts'
import { fold, isComplete, lastTurn, owesAnswers, type RunState } from './fold.ts'
import { endedAskOf } from './next-step.ts'
import type { Texts } from './texts.ts'
import type { ToolResult } from './tool.ts'

/** How a run ends while calls are open. */
export type Ending = { because: 'stop'; by: Actor } | { because: 'end'; failed: EventData['run.failed'] }

/** What closing a log needs to know of the world: its words, and what settled asks mean. */
export interface Means {
  texts: Texts
  resolve: Resolve
}

/**
 * Closes a log: what people answered reaches its calls, every other open call is told that nothing more comes, every open
 * ask is withdrawn, then the run ends. After it the prompt is well formed, so that a new round can follow; and it says of
 * each answer what a model may have been told already, by a worker that lost its claim before it stored so. Pure, since
 * a stop calls it inside the store's transaction.
 */
export function closeLog(state: RunState, ending: Ending, { texts, resolve }: Means): NewEvent[] {
  const events: NewEvent[] = []
  const add = <T extends EventType>(type: T, data: EventData[T]) => {
    const event = newEvent(state.seq + 1, type, data)
    events.push(event)
    fold(state, [event])
  }
  const notRun: ToolResult = { type: 'error', value: ending.because === 'stop' ? texts.stopped : texts.ended }
  const interrupted: ToolResult = { type: 'error', value: texts.interrupted }
  for (const call of state.calls.values()) {
    const ended = call.result ? undefined : endedAskOf(call)
    const result = ended && resolve(ended)
    if (result && result !== 'run the call') add('tool.returned', { effect: call.effect, result })
  }
  const because: Withdrawal = ending.because
  for (const ask of state.asks.values()) {
    if (!ask.end) add('ask.settled', { ask: ask.id, outcome: 'withdrawn', by: { type: 'run' }, because })
  }
  for (const call of state.calls.values()) {
    if (call.result) continue
    add('tool.returned', { effect: call.effect, result: call.started ? interrupted : notRun })
  }
  const turn = lastTurn(state)
  if (turn && owesAnswers(turn) && !isComplete(turn))
    add('message.added', { from: 'answers', content: answersOf(turn, resolve) })
  if (ending.because === 'stop') add('run.stopped', { by: ending.by })
  else add('run.failed', ending.failed)
  return events
}
