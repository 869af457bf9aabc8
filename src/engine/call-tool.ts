import type { SettledAsk } from '../core/ask.ts'
import type { CallState } from '../core/fold.ts'
import type { Json } from '../core/json.ts'
import type { ToolFacts } from '../core/telemetry.ts'
import { isOutcome, resultOf, type ToolDefinition, type ToolOutcome, type ToolResult } from '../core/tool.ts'
import { messageOf } from './call-model.ts'
import { checkInput } from './check-input.ts'
import type { RunSession } from './session.ts'
import { startChildRun } from './start-child.ts'
import { callDigest } from './start-run.ts'
import { contextOf } from './tool-context.ts'

/**
 * Starts calls: that they started is on disk first, so that after a crash nobody takes a call for one that never began.
 * They then run side by side; `nextStep` sees to it that those which must not do not.
 */
export async function startCalls(session: RunSession, calls: CallState[]): Promise<void> {
  for (const call of calls) if (!call.started) session.add('tool.started', { effect: call.effect })
  if (!(await session.flush())) return
  for (const call of calls) {
    session.planned.delete(call.effect)
    session.running.add(call.effect)
    void runCall(session, call)
  }
}

/** Says of calls that ran when their process died, and may not run again, that nobody knows. */
export function interruptCalls(session: RunSession, calls: CallState[]): void {
  const { interrupted } = session.parts.texts
  for (const call of calls)
    session.add('tool.returned', { effect: call.effect, result: { type: 'error', value: interrupted } })
}

async function runCall(session: RunSession, call: CallState): Promise<void> {
  const { segment } = session
  const result = segment
    ? await segment.tool(factsOf(call), () => resultOfCall(session, call))
    : await resultOfCall(session, call)
  session.running.delete(call.effect)
  if (result && !session.over && !call.result) session.add('tool.returned', { effect: call.effect, result })
  session.changed()
}

function factsOf({ turn, m, id, effect, tool }: CallState): ToolFacts {
  return { step: `tool ${turn}.${m}`, id, effect, tool }
}

/** Runs a tool to its result. Nothing: the call was abandoned at an ask, or its worker may no longer write. */
async function resultOfCall(session: RunSession, call: CallState): Promise<ToolResult | undefined> {
  const tool = session.equipment.tools.get(call.tool)
  if (!tool) return { type: 'error', value: `There is no tool "${call.tool}" any more.` }
  const limit = new AbortController()
  const stopLimit =
    tool.timeoutMs === undefined ? undefined : session.parts.clock.after(tool.timeoutMs, () => limit.abort(timeOut()))
  const signal = AbortSignal.any([session.signal, limit.signal])
  const given = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => given.resolve(undefined), { once: true })
  if (signal.aborted) given.resolve(undefined)
  const context = contextOf(session, call, signal)
  try {
    const outcome = await Promise.race([perform(session, call, tool, context), context.abandoned, given.promise])
    if (outcome?.type === 'child') return await startChildRun(session, call, outcome)
    if (outcome) return outcomeResult(outcome)
    return limit.signal.aborted && !session.signal.aborted
      ? { type: 'error', value: session.parts.texts.timedOut }
      : undefined
  } finally {
    stopLimit?.()
    context.close()
  }
}

function timeOut(): Error {
  return new DOMException('The tool took longer than its timeout.', 'TimeoutError')
}

async function perform(
  session: RunSession,
  call: CallState,
  tool: ToolDefinition,
  context: ReturnType<typeof contextOf>,
): Promise<ToolOutcome> {
  try {
    const leave = leaveOf(session, call)
    if (leave?.isOther) return { type: 'failure', message: session.parts.texts.notAsApproved }
    const edited = leave?.edited
    // Time may have passed since it was checked, and the code may be another: what does not fit now is not run.
    const checked = await checkInput(tool, edited ?? call.input)
    if (checked.type === 'failure') return checked
    const value: unknown = await tool.execute(checked.value, context)
    const outcome: ToolOutcome = isOutcome(value) ? value : { type: 'result', result: resultOf(value) }
    return edited === undefined ? outcome : withEdit(session, edited, outcome)
  } catch (error) {
    return { type: 'failure', message: messageOf(error) }
  }
}

/**
 * The leave that a person gave for a call, where it needed one: the input they put in place of the model's, if they did;
 * and whether what they were shown is another call than this, which has no leave then.
 */
function leaveOf(session: RunSession, call: CallState): { edited: Json | undefined; isOther: boolean } | undefined {
  const approved = call.asks.find((ask) => ask.end?.outcome === 'approved' && ask.key === undefined)
  const kind = approved && session.parts.registry.kind(session.equipment.agent, approved.kind)
  const shown = kind?.showsCall ? approved?.end?.shown : undefined
  // Logs of before have no digest.
  const isOther = shown !== undefined && shown !== callDigest(call)
  return kind && { edited: kind.editedInput?.(approved as SettledAsk), isOther }
}

/** The model must know that what ran is not what it called. */
function withEdit(session: RunSession, edited: Json, outcome: ToolOutcome): ToolOutcome {
  const result = outcomeResult(outcome)
  const said = result.type === 'json' ? JSON.stringify(result.value) : result.value
  const value = `${session.parts.texts.edited(JSON.stringify(edited))}\n${said}`
  return { type: 'result', result: { type: result.type === 'error' ? 'error' : 'text', value } }
}

/** What the model hears of a call that ended. */
export function outcomeResult(outcome: ToolOutcome): ToolResult {
  if (outcome.type === 'result') return outcome.result
  if (outcome.type === 'failure') return { type: 'error', value: outcome.message }
  return { type: 'error', value: 'A tool that asks must say so: define it with `asks: true`, or use ctx.ask.' }
}
