import type { AgentRecord } from '../core/agent.ts'
import type { Resolve } from '../core/answers.ts'
import type { SettledAsk } from '../core/ask.ts'
import type { CallState } from '../core/fold.ts'
import type { EngineParts } from './parts.ts'
import type { RunSession } from './session.ts'

/** Turns settled asks into the results of their calls, or lets the calls run. */
export function resolveAsks(session: RunSession, asks: { call: CallState; ask: SettledAsk }[]): void {
  const resolve = resolveFor(session.parts, session.equipment.agent)
  for (const { call, ask } of asks) {
    const result = resolve(ask)
    if (result === 'run the call') session.planned.add(call.effect)
    else session.addKnown('tool.returned', { effect: call.effect, result })
  }
}

/** What the end of an ask means to the model, by its kind. */
export function resolveFor({ registry, texts }: EngineParts, agent: AgentRecord | undefined): Resolve {
  return (ask) => {
    const kind = registry.kind(agent, ask.kind)
    if (kind) return kind.resolve(ask, texts)
    return { type: 'error', value: `This was settled, but nothing here knows what to do with "${ask.kind}" any more.` }
  }
}
