import type { AgentRecord } from '../core/agent.ts'
import type { GuardContext } from '../core/agent-facts.ts'

/**
 * Asks an agent's guards whether a text may pass. Gives the reason of the first that refuses: whatever is not `true`
 * refuses, and so does a guard that throws, so that a broken guard shows too little rather than too much.
 */
export async function refusalOf(
  agent: AgentRecord,
  text: string,
  context: Omit<GuardContext, 'agent'>,
): Promise<string | undefined> {
  for (const guard of agent.guards[context.direction]) {
    const verdict = await Promise.resolve()
      .then(() => guard(text, { ...context, agent: agent.name }))
      .catch((): unknown => ({ refuse: 'a guard failed' }))
    if (verdict === true) continue
    const reason = typeof verdict === 'object' && verdict !== null && 'refuse' in verdict ? String(verdict.refuse) : ''
    return reason.trim().replace(/\.$/, '') || 'it was refused'
  }
  return undefined
}
