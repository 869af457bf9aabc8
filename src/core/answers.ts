import type { SettledAsk } from './ask.ts'
import type { TurnState } from './fold.ts'
import { isObject } from './json.ts'
import type { ToolResult } from './tool.ts'

/** What a settled ask becomes: the result of its call, or the call itself is run. See `AskKind.resolve`. */
export type Resolve = (ask: SettledAsk) => ToolResult | 'run the call'

/** The answers of a turn whose asks are delivered as a message, in call order, each under its question. */
export function answersOf(turn: TurnState, resolve: Resolve): string {
  const asks = turn.calls.flatMap((call) => call.asks).filter((ask) => ask.waiting !== undefined)
  const parts = asks.map((ask) => {
    const answer = resolve(ask as SettledAsk)
    const question = isObject(ask.input) && typeof ask.input.question === 'string' ? ask.input.question : ask.tool
    return `${question}\n${answer === 'run the call' ? '' : plain(answer)}`
  })
  return parts.join('\n\n')
}

function plain(result: ToolResult): string {
  return result.type === 'json' ? JSON.stringify(result.value) : result.value
}
