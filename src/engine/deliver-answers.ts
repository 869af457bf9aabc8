import type { TurnState } from '../core/fold.ts'
import { isObject } from '../core/json.ts'
import type { ToolResult } from '../core/tool.ts'
import { resolveAsk } from './resolve-asks.ts'
import type { RunSession } from './session.ts'

/** Brings the answers of a turn as one message, in call order, each under its question. */
export function deliverAnswers(session: RunSession, turn: TurnState): void {
  const asks = turn.calls.flatMap((call) => call.asks).filter((ask) => ask.waiting !== undefined)
  const parts = asks.map((ask) => {
    const answer = resolveAsk(session, ask)
    const question = isObject(ask.input) && typeof ask.input.question === 'string' ? ask.input.question : ask.tool
    return `${question}\n${answer === 'run the call' ? '' : plain(answer)}`
  })
  session.addKnown('message.added', { from: 'answers', content: parts.join('\n\n') })
}

function plain(result: ToolResult): string {
  return result.type === 'json' ? JSON.stringify(result.value) : result.value
}
