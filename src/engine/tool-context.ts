import { QuerentError } from '../core/error.ts'
import type { CallState } from '../core/fold.ts'
import type { Json } from '../core/json.ts'
import type { ToolContext, ToolOutcome } from '../core/tool.ts'
import { InnerAsks } from './inner-asks.ts'
import type { RunSession } from './session.ts'

/** What a tool is given, and what ends the work on it. */
export interface CallContext extends ToolContext {
  /** See `InnerAsks`. */
  abandoned: Promise<ToolOutcome | undefined>
  /** The call has ended: what the tool still does asks nobody and keeps nothing. */
  close(): void
}

export function contextOf(session: RunSession, call: CallState, signal: AbortSignal): CallContext {
  const { starter, run } = session.facts
  const inner = new InnerAsks(session, call)
  const ended = new AbortController()
  void inner.abandoned.then((outcome) =>
    ended.abort(
      new Error(outcome ? 'The call has ended.' : 'A question is open: the tool runs again with its answer.'),
    ),
  )
  const close = () => {
    inner.isAbandoned = true
  }
  // Before the tool hears of it: what it does then counts no more.
  signal.addEventListener('abort', close, { once: true })
  const tool = session.equipment.tools.get(call.tool)
  const begun = new Map<string, Promise<Json>>()
  return {
    run,
    step: `${tool?.asks ? 'question' : 'tool'} ${call.turn}.${call.m}`,
    effect: call.effect,
    ...(starter.type === 'person' ? { person: { id: starter.id } } : {}),
    signal: AbortSignal.any([signal, ended.signal]),
    ask: (question) => inner.ask(question),
    once<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T> {
      if (inner.isAbandoned) return never()
      // Called twice at the same time, the second would find nothing kept yet and do the work again.
      const work = begun.get(key) ?? once(session, call, key, fn).finally(() => begun.delete(key))
      begun.set(key, work)
      return work as Promise<T>
    },
    abandoned: inner.abandoned,
    close,
  }
}

async function once<T extends Json>(
  session: RunSession,
  call: CallState,
  key: string,
  fn: () => T | Promise<T>,
): Promise<T> {
  if (call.kept.has(key)) return call.kept.get(key) as T
  const value = await fn()
  if (value === undefined || JSON.stringify(value) === undefined) {
    throw new QuerentError(
      'T1002',
      `ctx.once("${key}") got undefined, which cannot be kept. Return null or another JSON value.`,
    )
  }
  session.add('tool.kept', { effect: call.effect, key, value })
  // It counts only when it is on disk: without that, a repeat would do it again.
  return (await session.flush()) ? value : never()
}

/** For work that was abandoned: it neither goes on nor fails. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}
