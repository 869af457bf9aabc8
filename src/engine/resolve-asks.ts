import type { SettledAsk } from '../core/ask.ts'
import type { AskState, CallState } from '../core/fold.ts'
import type { ToolResult } from '../core/tool.ts'
import type { RunSession } from './session.ts'

/** Turns settled asks into the results of their calls, or lets the calls run. */
export function resolveAsks(session: RunSession, asks: { call: CallState; ask: AskState }[]): void {
  for (const { call, ask } of asks) {
    const result = resolveAsk(session, ask)
    if (result === 'run the call') session.planned.add(call.effect)
    else session.addKnown('tool.returned', { effect: call.effect, result })
  }
}

/** What the end of an ask means to the model. */
export function resolveAsk(session: RunSession, ask: AskState): ToolResult | 'run the call' {
  const { registry, texts } = session.parts
  const kind = registry.kind(session.equipment.agent, ask.kind)
  if (!kind)
    return { type: 'error', value: `This was settled, but nothing here knows what to do with "${ask.kind}" any more.` }
  return kind.resolve(ask as SettledAsk, texts)
}
