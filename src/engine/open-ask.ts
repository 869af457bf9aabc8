import type { OpenedAsk } from '../core/ask.ts'
import type { Code } from '../core/error.ts'
import { type CallState, emptyState, fold, type RunState } from '../core/fold.ts'
import { noCallLeft } from '../core/next-step.ts'
import type { Texts } from '../core/texts.ts'
import type { Park, ToolResult } from '../core/tool.ts'
import { failRun } from './end-run.ts'
import { refusalOf } from './guard.ts'
import type { RunSession } from './session.ts'

/**
 * What a call hears whose ask may not be shown: the person has written since, or an out guard refused the whole of what
 * they would read. Nothing: it may be opened.
 */
export async function refusalOfAsk(
  session: RunSession,
  call: CallState,
  { ask }: Park,
): Promise<ToolResult | undefined> {
  const { texts, registry } = session.parts
  const { agent } = session.equipment
  const before = messageBefore(session.state, texts)
  if (before) return before
  const text = registry.kind(agent, ask.kind)?.describe(ask) ?? JSON.stringify(ask.input)
  const reason = await refusalOf(agent, text, { run: session.facts.run, direction: 'out', kind: ask.kind })
  if (reason === undefined) return messageToRoot(session)
  session.add('guard.refused', { direction: 'out', kind: ask.kind, reason, effect: call.effect })
  return { type: 'error', value: texts.notShown(reason) }
}

/** What a call hears that asks when the person has written since: as one that opened in the same moment and was withdrawn. */
export function messageBefore({ queue }: RunState, { messageBefore }: Texts): ToolResult | undefined {
  return queue.some((item) => item.from !== 'notice') ? { type: 'text', value: messageBefore } : undefined
}

/** People write to the root: while a child works, a message waits there for it to end, and an ask would keep it waiting. */
async function messageToRoot(session: RunSession): Promise<ToolResult | undefined> {
  const { root, held, parts } = session
  if (root === held.run) return undefined
  const state = fold(emptyState(), await parts.store.readEvents(root, 0))
  // What comes after it the store sees, in the transaction that opens the ask.
  session.rootSeq = state.seq
  return messageBefore(state, parts.texts)
}

/**
 * Opens so many asks with `open`, at once: between counting and opening, another could take the last place. False, and
 * the run has failed, where it may ask no more or where nobody would be left to hear the answer.
 */
export async function openWithinLimits(session: RunSession, asks: number, open: () => void): Promise<boolean> {
  const excess = asks === 0 ? undefined : excessOf(session, asks)
  if (excess) await failRun(session, excess.code, excess.message)
  else open()
  return !excess
}

function excessOf({ limits, state }: RunSession, asks: number): { code: Code; message: string } | undefined {
  const none = noCallLeft(state, limits)
  if (none) {
    return { ...none, message: `${none.message} Nobody was asked: no call is left to hear the answer.` }
  }
  const asked = state.asks.size
  if (asked + asks <= limits.asks) return undefined
  return {
    code: 'T2003',
    message: `The run has asked ${asked} times; it may ask ${limits.asks} times (limits.perRun.asks).`,
  }
}

/** Opens an ask with the next write. With a key it is one inside a tool; `prefix` begins its step. */
export function openAsk(
  session: RunSession,
  call: CallState,
  { ask: { waiting, ...ask } }: Park,
  { key, prefix }: { key?: string; prefix?: 'question' | 'tool' } = {},
): void {
  const { agent, tools } = session.equipment
  const opened: OpenedAsk = {
    ...ask,
    id: session.parts.newId('ask'),
    effect: call.effect,
    repeat: call.repeat,
    step: `${prefix ?? (tools.get(call.tool)?.asks ? 'question' : 'tool')} ${call.turn}.${call.m}`,
    n: call.asks.length + 1,
  }
  const waitMs = ask.waitMs ?? agent.limits.askMs
  if (waitMs !== undefined) opened.waitMs = waitMs
  if (key !== undefined) opened.key = key
  else if (waiting !== undefined) opened.waiting = waiting === true ? session.parts.texts.waiting : waiting
  const { segment } = session
  if (segment?.trace !== undefined) opened.trace = segment.trace
  session.open(opened)
  if (opened.waiting === undefined) return
  session.add('tool.returned', { effect: call.effect, result: { type: 'text', value: opened.waiting } })
}
