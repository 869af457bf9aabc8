import type { Json } from '../core/json.ts'
import {
  type AssistantMessage,
  type Model,
  type ModelCall,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type TextDelta,
} from '../core/model.ts'

type ContentPart = { type: string; [key: string]: unknown }

/** One call of a scripted turn. `id` left out: `call_<turn>_<m>`, both from 1. Any id may be given, `''` and one used before too. */
export interface ScriptedCall {
  tool: string
  input: Json
  id?: string
  /** Metadata that a provider put on the call. */
  providerOptions?: Record<string, Record<string, Json>>
  /** The input could not be read: what the model is to be told. */
  invalid?: string
}

/** What a scripted model says in one turn. */
export interface ScriptedTurn {
  text?: string
  /** Comes before the text, as a part of the message that people do not see. */
  reasoning?: string | { text: string; providerOptions?: Record<string, Record<string, Json>> }
  calls?: ScriptedCall[]
  /** The parts of the message exactly, in place of those made from `text`, `reasoning` and `calls`: for unknown keys. */
  content?: ContentPart[]
  /** Default 10 in, 10 out. `null`: the provider reports none. */
  usage?: { inputTokens?: number; outputTokens?: number } | null
  /** Default `'tool-calls'` where there are calls, else `'stop'`. */
  finish?: ModelReply['finish']
  /**
   * The call fails, after `text` was streamed. A text: a `ModelError` that may be retried. An object: a `ModelError`,
   * retryable unless it says not. An `Error`: thrown as it is.
   */
  error?: string | Error | { message: string; retryable?: boolean; retryAfterMs?: number }
  /** For `error`: how often it fails before what follows it is played. Default 1. */
  times?: number
  /** Waited for after `text` was streamed and before the reply or the error. Ends at once when the request is aborted. */
  hold?: Promise<unknown>
}

/** A turn, or a function of the request that gives one. */
export type TurnSource = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>)

/** What a scripted model was sent, copied. */
export type ScriptedPrompt = Omit<ModelRequest, 'signal'>

/** A model that plays a list of turns. */
export interface ScriptedModel extends Model {
  /** Every request in order, those that failed included. */
  readonly prompts: readonly ScriptedPrompt[]
  /** How many requests there were. */
  readonly calls: number
}

/**
 * A model for tests: it plays the turn whose index is the number of assistant messages in the prompt. So it keeps no
 * place of its own, and a new process with the same list goes on where the old one stopped.
 *
 * Only turns that reply are counted. A turn with `error` stands before the next of them: a request for that one fails
 * `times` times first. Errors are counted by this instance: in a new process they fail again. A function is counted as
 * a turn that replies; if it gives an `error`, that request fails, and the next one calls the function again.
 *
 * Text arrives word by word. When the turns have run out, a request fails with a `ModelError` that may not be retried.
 */
export function scriptedModel(turns: TurnSource[]): ScriptedModel {
  const slots = slotsOf(turns)
  const prompts: ScriptedPrompt[] = []
  return {
    id: 'scripted',
    prompts,
    get calls() {
      return prompts.length
    },
    async *step(request) {
      const { signal, ...prompt } = request
      prompts.push(structuredClone(prompt))
      const index = request.messages.filter((message) => message.role === 'assistant').length
      yield* play(await turnAt(slots, index, request), index, signal)
    },
  }
}

/** A turn that replies (none after the last), and how often the errors before it still fail. */
interface Slot {
  errors: { turn: ScriptedTurn; left: number }[]
  reply?: TurnSource
}

function slotsOf(turns: TurnSource[]): Slot[] {
  let last: Slot = { errors: [] }
  const slots = [last]
  for (const turn of turns) {
    if (typeof turn !== 'function' && turn.error !== undefined) {
      last.errors.push({ turn, left: turn.times ?? 1 })
    } else {
      last.reply = turn
      last = { errors: [] }
      slots.push(last)
    }
  }
  return slots
}

async function turnAt(slots: Slot[], index: number, request: ModelRequest): Promise<ScriptedTurn> {
  const slot = slots[index]
  const failing = slot?.errors.find((error) => error.left > 0)
  if (failing) {
    failing.left -= 1
    return failing.turn
  }
  if (typeof slot?.reply === 'function') return slot.reply(request)
  if (slot?.reply) return slot.reply
  throw new ModelError(
    `The script has ${slots.length - 1} turns that reply, and the prompt asks for turn ${index + 1}. Add a turn, or find out why the model was called again.`,
    { retryable: false },
  )
}

async function* play(turn: ScriptedTurn, index: number, signal: AbortSignal): AsyncGenerator<TextDelta | ModelReply> {
  const calls = callsOf(turn, index)
  const content = turn.content ?? contentOf(turn, calls)
  const text = content.map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    signal.throwIfAborted()
    if (word !== '') yield { type: 'text', text: word }
  }
  if (turn.hold) await orAborted(turn.hold, signal)
  signal.throwIfAborted()
  if (turn.error !== undefined) throw errorOf(turn.error)
  const message: AssistantMessage = { role: 'assistant', content }
  const reply: ModelReply = {
    type: 'reply',
    messages: [JSON.stringify(message)],
    text,
    calls,
    finish: turn.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
  }
  if (turn.usage !== null) reply.usage = turn.usage ?? { inputTokens: 10, outputTokens: 10 }
  yield reply
}

function callsOf(turn: ScriptedTurn, index: number): ModelCall[] {
  if (turn.content) {
    const parts = turn.content.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true)
    return parts.map((part) => ({
      id: String(part.toolCallId),
      tool: String(part.toolName),
      input: part.input as Json,
    }))
  }
  return (turn.calls ?? []).map((call, position) => ({
    id: call.id ?? `call_${index + 1}_${position + 1}`,
    tool: call.tool,
    input: call.input,
    ...(call.invalid === undefined ? {} : { invalid: call.invalid }),
  }))
}

function contentOf(turn: ScriptedTurn, calls: ModelCall[]): ContentPart[] {
  const parts: ContentPart[] = []
  const reasoning = typeof turn.reasoning === 'string' ? { text: turn.reasoning } : turn.reasoning
  if (reasoning) parts.push({ type: 'reasoning', ...reasoning })
  if (turn.text) parts.push({ type: 'text', text: turn.text })
  for (const [position, call] of calls.entries()) {
    const providerOptions = turn.calls?.[position]?.providerOptions
    parts.push({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.tool,
      // As the AI SDK does: what could not be read is not sent back to a provider.
      input: call.invalid === undefined ? call.input : {},
      ...(providerOptions ? { providerOptions } : {}),
    })
  }
  return parts
}

function errorOf(error: NonNullable<ScriptedTurn['error']>): Error {
  if (error instanceof Error) return error
  const { message, retryable = true, retryAfterMs } = typeof error === 'string' ? { message: error } : error
  return new ModelError(message, { retryable, retryAfterMs })
}

async function orAborted(hold: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    await Promise.race([hold, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
