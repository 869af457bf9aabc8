import { answersOf } from '../core/answers.ts'
import type { TurnState } from '../core/fold.ts'
import { resolveFor } from './resolve-asks.ts'
import type { RunSession } from './session.ts'

/** Brings the answers of a turn as one message. */
export function deliverAnswers(session: RunSession, turn: TurnState): void {
  const resolve = resolveFor(session.parts, session.equipment.agent)
  session.addKnown('message.added', { from: 'answers', content: answersOf(turn, resolve) })
}
