import type { CallState } from '../core/fold.ts'
import { type Failure, isOutcome, type Park, type Result, type ToolDefinition } from '../core/tool.ts'
import { messageOf } from './call-model.ts'
import { outcomeResult } from './call-tool.ts'
import { checkInput } from './check-input.ts'
import { openAsk, openWithinLimits, refusalOfAsk } from './open-ask.ts'
import type { RunSession } from './session.ts'
import { contextOf } from './tool-context.ts'

type Plan = 'go' | Failure | Park | Result

/**
 * Prepares calls before any of them runs: each is checked, asked about or let go; what is asked opens at once. All of
 * it is one write with the reply it belongs to, so that a crash finds a turn either unplanned or planned.
 */
export async function planCalls(session: RunSession, calls: CallState[]): Promise<void> {
  const plans = await Promise.all(calls.map(async (call) => ({ call, plan: await planOf(session, call) })))
  const shown = await Promise.all(
    plans.map(async (each) => ({ ...each, plan: await guarded(session, each.call, each.plan) })),
  )
  if (session.over) return
  const asks = shown.filter((each) => isPark(each.plan)).length
  await openWithinLimits(session, asks, () => {
    for (const { call, plan } of shown) carryOut(session, call, plan)
    holdBack(session, calls)
  })
}

function carryOut(session: RunSession, call: CallState, plan: Plan): void {
  if (!session.state.calls.has(call.effect)) addOwnCall(session, call, isPark(plan))
  if (plan === 'go') session.planned.add(call.effect)
  else if (isPark(plan)) openAsk(session, call, plan)
  else session.add('tool.returned', { effect: call.effect, result: outcomeResult(plan) })
}

/** A driver's own call stands in no reply: the log meets it when it is decided whether a person must approve it. */
function addOwnCall(session: RunSession, call: CallState, needed: boolean): void {
  const { effect, tool, input } = call
  session.add('approval.decided', { effect, needed, call: { step: `tool ${call.turn}.${call.m}`, tool, input } })
}

function isPark(plan: Plan): plan is Park {
  return plan !== 'go' && plan.type === 'park'
}

async function guarded(session: RunSession, call: CallState, plan: Plan): Promise<Plan> {
  if (!isPark(plan)) return plan
  const refusal = await refusalOfAsk(session, call, plan)
  return refusal ? { type: 'result', result: refusal } : plan
}

async function planOf(session: RunSession, call: CallState): Promise<Plan> {
  const { tools } = session.equipment
  if (call.invalid !== undefined) return { type: 'failure', message: call.invalid }
  const tool = tools.get(call.tool)
  if (!tool) {
    const known = [...tools.keys()].sort().join(', ') || 'none'
    return { type: 'failure', message: `There is no tool "${call.tool}". Tools: ${known}.` }
  }
  if (tool.asks) return planOfAsking(session, call, tool)
  const checked = await checkInput(tool, call.input)
  return checked.type === 'failure' ? checked : beforeTool(session, call, tool)
}

async function planOfAsking(session: RunSession, call: CallState, tool: ToolDefinition): Promise<Plan> {
  const outcome: unknown = await tool.execute(call.input, contextOf(session, call, session.signal))
  if (isOutcome(outcome) && (outcome.type === 'park' || outcome.type === 'failure')) return outcome
  return { type: 'failure', message: `Tool "${tool.name}" asked nothing.` }
}

async function beforeTool(session: RunSession, call: CallState, tool: ToolDefinition): Promise<Plan> {
  const { agent, extensions } = session.equipment
  const refused = session.state.refused.filter((each) => each.tool === call.tool)
  const context = { agent, run: session.facts, refused, ...(call.gated === undefined ? {} : { decided: call.gated }) }
  for (const extension of extensions) {
    try {
      const plan = (await extension.beforeTool?.({ effect: call.effect, tool, input: call.input }, context)) ?? 'go'
      if (plan !== 'go') return decided(session, call, { tool, plan })
    } catch (error) {
      // Not knowing whether a person must be asked, the call does not run.
      return { type: 'failure', message: `Not run: ${extension.name} failed: ${messageOf(error)}` }
    }
  }
  return decided(session, call, { tool, plan: 'go' })
}

/** Whether a call must be approved is decided once: a rule that says otherwise after a crash changes nothing. */
function decided(session: RunSession, call: CallState, { tool, plan }: { tool: ToolDefinition; plan: Plan }): Plan {
  const isRule =
    tool.approval !== undefined &&
    call.gated === undefined &&
    session.state.calls.has(call.effect) &&
    (plan === 'go' || plan.type === 'park')
  if (isRule) session.add('approval.decided', { effect: call.effect, needed: plan !== 'go' })
  return plan
}

/** A turn that asks a question does not act beside it: its calls that need no approval and are not retry-safe wait. */
function holdBack(session: RunSession, calls: CallState[]): void {
  const { repeat, turn } = calls[0] as CallState
  const inTurn = [...session.state.calls.values()].filter((call) => call.repeat === repeat && call.turn === turn)
  if (!inTurn.some((call) => call.asks.some((ask) => ask.held && !ask.end))) return
  for (const call of calls) {
    if (!session.planned.has(call.effect) || session.equipment.tools.get(call.tool)?.retrySafe) continue
    session.planned.delete(call.effect)
    session.add('tool.returned', {
      effect: call.effect,
      result: { type: 'error', value: session.parts.texts.heldBack },
    })
  }
}
