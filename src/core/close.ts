import type { Actor, Withdrawal } from './ask.ts'
import { type EventData, type EventType, type NewEvent, newEvent } from './event.ts'
import { fold, isComplete, lastTurn, owesAnswers, type RunState } from './fold.ts'
import type { Texts } from './texts.ts'

/** How a run ends while calls are open. */
export type Ending = { because: 'stop'; by: Actor } | { because: 'end'; failed: EventData['run.failed'] }

/**
 * Closes a log: every open call gets its result, every open ask is withdrawn, then the run ends. After it the prompt is
 * well formed, so that a new round can follow. Pure, since a stop calls it inside the store's transaction.
 */
export function closeLog(state: RunState, ending: Ending, texts: Texts): NewEvent[] {
  const events: NewEvent[] = []
  const add = <T extends EventType>(type: T, data: EventData[T]) => {
    const event = newEvent(state.seq + 1, type, data)
    events.push(event)
    fold(state, [event])
  }
  const because: Withdrawal = ending.because
  for (const ask of state.asks.values()) {
    if (!ask.end) add('ask.settled', { ask: ask.id, outcome: 'withdrawn', by: { type: 'run' }, because })
  }
  const notRun = ending.because === 'stop' ? texts.stopped : texts.ended
  for (const call of state.calls.values()) {
    if (call.result) continue
    add('tool.returned', {
      effect: call.effect,
      result: { type: 'error', value: call.started ? texts.interrupted : notRun },
    })
  }
  const turn = lastTurn(state)
  if (turn && owesAnswers(turn) && !isComplete(turn)) add('message.added', { from: 'answers', content: notRun })
  if (ending.because === 'stop') add('run.stopped', { by: ending.by })
  else add('run.failed', ending.failed)
  return events
}
