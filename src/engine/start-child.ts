import { createHash } from 'node:crypto'
import { newEvent } from '../core/event.ts'
import type { CallState } from '../core/fold.ts'
import type { StartChild, ToolResult } from '../core/tool.ts'
import type { RunSession } from './session.ts'

/** Runs below a root at most. */
const maxDepth = 4

/**
 * Starts the run that does the work of a call. Its id is made of the call's effect, so that a call which begins again
 * after a crash finds the same run. Gives a result only where there is none to start.
 */
export async function startChildRun(
  session: RunSession,
  call: CallState,
  { agent: name, input }: StartChild,
): Promise<ToolResult | undefined> {
  const { parts, facts, segment } = session
  const traced = segment?.trace === undefined ? {} : { trace: segment.trace }
  const agent = parts.registry.find(name)
  if (!agent) return { type: 'error', value: `There is no agent "${name}" here any more.` }
  const depth = facts.depth + 1
  if (depth > maxDepth) {
    return {
      type: 'error',
      value: `Not started: ${maxDepth} runs are below each other already. Do this part yourself.`,
    }
  }
  const run = `run_${createHash('sha256').update(call.effect).digest('hex').slice(0, 40)}`
  const { starter } = facts
  const { fingerprint } = parts.registry.equip(agent, { run, agent: agent.name, trigger: 'delegate', starter, depth })
  const parent = { ...session.placeOf(call), depth }
  const data = { agent: agent.name, fingerprint, trigger: 'delegate' as const, starter, input, parent, ...traced }
  const create = {
    id: run,
    agent: agent.name,
    trigger: data.trigger,
    starter,
    title: [...input].slice(0, 200).join(''),
    guarded: agent.guards.in.length > 0,
    parent,
    started: newEvent(1, 'run.started', data),
  }
  await parts.store.createRun(create)
  session.add('tool.started', { effect: call.effect, child: run, ...traced })
  parts.dispatcher.hint()
  return undefined
}
