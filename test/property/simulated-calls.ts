import type { OpenedAsk, SettledAsk } from '../../src/core/ask.ts'
import { endResult } from '../../src/core/end-result.ts'
import type { EventData } from '../../src/core/event.ts'
import type { ToolTraits } from '../../src/core/next-step.ts'
import { defaultTexts as texts } from '../../src/core/texts.ts'
import type { ToolResult } from '../../src/core/tool.ts'
import type { Tape } from './tape.ts'

/*
 * What a simulated model says. Every text has a mark that says who may see it, so that a test can look for it where it
 * must not be.
 */

/** Marks of what a person must never see. */
export const secretMarks = ['INPUT', 'RESULT', 'META', 'REFUSED', 'HIDDEN'] as const

/** Tools of the simulated agent, by what they do when they are called. The first ends soonest. */
export const toolKinds = [
  'read',
  'write',
  'question',
  'approve',
  'lookup',
  'maybe',
  'form',
  'unreadable',
  'gone',
] as const
export type ToolKind = (typeof toolKinds)[number]

export const traitsOf: Record<ToolKind, ToolTraits> = {
  read: { retrySafe: true, replays: false },
  write: { retrySafe: false, replays: false },
  // The question tool only reads what it is given.
  question: { retrySafe: true, replays: false },
  approve: { retrySafe: false, replays: false },
  lookup: { retrySafe: true, replays: false },
  maybe: { retrySafe: false, replays: false },
  form: { retrySafe: false, replays: true },
  unreadable: { retrySafe: false, replays: false },
  gone: { retrySafe: false, replays: false },
}

/** What the out guards of the simulated agent refuse. */
export const isGuarded = (text: string): boolean => text.includes('HIDDEN')

type Reply = EventData['model.replied']

export interface ReplyPlace {
  run: string
  repeat: number
  turn: number
  /** Numbers every text of the run. */
  nextMark(): number
}

/** A model's reply: text or none, up to four calls, ids as careless providers give them. */
export function replyOf(tape: Tape, place: ReplyPlace): Reply {
  const { turn } = place
  const calls = Array.from({ length: tape.pick(5) }, (_, index) => callOf(tape, place, index + 1))
  const refused = tape.chance(8)
  const text = tape.pick(3) === 1 ? '' : `${refused ? 'REFUSED' : 'said'}-${place.nextMark()}`
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
  const messages = messagesOf(tape, { text, calls, mark: place.nextMark() })
  const reply: Reply = { turn, messages, text, calls, usage, finish: calls.length > 0 ? 'tool-calls' : 'stop' }
  if (refused && text !== '') reply.refused = { reason: 'A guard refused the text: no', notice: `notice-${turn}` }
  return reply
}

function callOf(tape: Tape, place: ReplyPlace, m: number): Reply['calls'][number] {
  const { run, repeat, turn, nextMark } = place
  const kind = tape.oneOf(toolKinds)
  const effect = `${run}.${repeat}.${turn}.${m}`
  const id = tape.oneOf([`c-${effect}`, '', 'same', String(m - 1), `call_${repeat}_${turn}_${m}`])
  if (kind === 'unreadable') return { id, tool: 'write', input: `INPUT-${nextMark()} {`, effect, invalid: 'Not JSON.' }
  return { id, tool: kind, input: inputOf(tape, kind, nextMark()), effect }
}

function inputOf(tape: Tape, kind: ToolKind, mark: number): { [key: string]: string } {
  const guarded = tape.chance(6)
  if (kind === 'question') return { question: `${guarded ? 'HIDDEN' : 'asked'}-${mark}` }
  // An approval shows its input to the person, unless a guard refuses it; two calls may be the same call.
  if (kind === 'approve' || kind === 'lookup') return { input: guarded ? `HIDDEN-${mark}` : `asked-${mark % 3}` }
  return { input: `INPUT-${mark}` }
}

function messagesOf(
  tape: Tape,
  { text, calls, mark }: { text: string; calls: Reply['calls']; mark: number },
): string[] {
  if (calls.length === 0 && tape.chance(4)) return [JSON.stringify({ role: 'assistant', content: text })]
  const providerOptions = { x: { signature: `META-${mark}` } }
  const content = [
    ...(tape.chance(3) ? [{ type: 'reasoning', text: `META-${mark}`, providerOptions }] : []),
    ...(tape.chance(4) ? providerExecuted(mark) : []),
    ...(text === '' ? [] : [{ type: 'text', text, unknown: [null, 1] }]),
    ...calls.map(({ id, tool, input, invalid }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: tool,
      input: invalid === undefined ? input : {},
      providerOptions,
    })),
  ]
  return [JSON.stringify({ role: 'assistant', content, providerOptions })]
}

/** A call that the provider ran itself, with its result beside it: none of ours, and it goes back as it came. */
function providerExecuted(mark: number) {
  const call = { toolCallId: `srv-${mark}`, toolName: 'web_search', providerExecuted: true }
  return [
    { type: 'tool-call', ...call, input: { q: `META-${mark}` } },
    { type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output: `META-${mark}` },
  ]
}

/** What the end of an ask means: as the question and approval extensions have it. */
export function resolve(ask: SettledAsk): ToolResult | 'run the call' {
  if (ask.end.outcome !== 'approved') return endResult(ask, texts, { defaultAnswer: ask.kind === 'question' })
  return ask.kind === 'approval' ? 'run the call' : { type: 'text', value: String(ask.end.data) }
}

/** An ask as an extension would make it of a call. */
export function askOf(
  call: { effect: string; repeat: number; turn: number; m: number; tool: string; input: OpenedAsk['input'] },
  more: Pick<OpenedAsk, 'id' | 'n' | 'rule'> & Partial<OpenedAsk>,
): OpenedAsk {
  const isQuestion = call.tool === 'question'
  const { effect, repeat, turn, m, tool, input } = call
  return {
    kind: isQuestion || more.key !== undefined ? 'question' : 'approval',
    effect,
    repeat,
    step: `${isQuestion ? 'question' : 'tool'} ${turn}.${m}`,
    tool,
    input,
    ...(isQuestion ? { held: true } : {}),
    ...more,
  }
}
