import type { Json, JsonSchema } from './json.ts'

/**
 * Messages in the dialect of the AI SDK (`ModelMessage`), typed only as far as Querent itself looks into them: what
 * a provider put there stays, unknown parts included.
 */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string; mediaType?: string }
  | { type: 'file'; data: string; mediaType: string; filename?: string }

/** What a person or backend code sends: text, or AI SDK user content with files as base64 or URLs. */
export type UserInput = string | UserPart[]

export interface UserMessage {
  role: 'user'
  content: UserInput
}

export interface AssistantMessage {
  role: 'assistant'
  content: string | { type: string; [key: string]: unknown }[]
  [key: string]: unknown
}

export interface ToolMessage {
  role: 'tool'
  content: { type: 'tool-result'; toolCallId: string; toolName: string; output: unknown; [key: string]: unknown }[]
  [key: string]: unknown
}

export type ModelMessage = UserMessage | AssistantMessage | ToolMessage

/** A tool as the model is told of it. */
export interface ModelTool {
  name: string
  description: string
  inputSchema: JsonSchema
}

/** Sampling and other settings, passed on to the model. `maxOutputTokens` is capped by what `limits` leave. */
export interface ModelSettings {
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: string[]
  seed?: number
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  headers?: Record<string, string>
  /** By provider name: `{ openai: { reasoningEffort: 'low' } }`. */
  providerOptions?: Record<string, Record<string, Json>>
}

export interface ModelRequest {
  /** The whole prompt. It only grows: it begins with the messages of the request before, byte for byte. */
  messages: ModelMessage[]
  /** Sorted by name. */
  tools: ModelTool[]
  instructions: string
  settings: ModelSettings
  /** The schema that the final answer must fit, for a model that can be held to one. The engine checks it all the same. */
  outputSchema?: JsonSchema
  /** Aborts when the run is stopped, the claim is lost or the engine stops. */
  signal: AbortSignal
}

/** Tokens spent. `estimated` where a provider reported none and they were counted by length. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  estimated?: true
}

/** A piece of text as it arrives. It is shown live and stored nowhere: the reply has the whole. */
export interface TextDelta {
  type: 'text'
  text: string
}

/** A call the model makes, for us to run. Calls that the provider ran itself are no part of this list. */
export interface ModelCall {
  /** The provider's id. May be empty or used before; it is sent back unique. */
  id: string
  tool: string
  input: Json
  /** The input could not be read at all: this is what to tell the model. */
  invalid?: string
}

/** One finished model call. */
export interface ModelReply {
  type: 'reply'
  /** Each message of the reply as JSON text, to be stored and sent back byte for byte. */
  messages: string[]
  /** The text for people, without reasoning. */
  text: string
  calls: ModelCall[]
  usage?: { inputTokens?: number; outputTokens?: number }
  finish: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
}

/**
 * A language model. `step` makes one call: it yields text as it arrives and exactly one reply at the end. It throws a
 * `ModelError` where the call failed, and whatever it likes when `signal` aborted.
 */
export interface Model {
  id: string
  step(request: ModelRequest): AsyncIterable<TextDelta | ModelReply>
}

/** A model call that failed. `retryable` ones are tried again, after `retryAfterMs` where the provider said so. */
export class ModelError extends Error {
  readonly retryable: boolean
  readonly retryAfterMs?: number

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ModelError'
    this.retryable = options.retryable
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** Whether a value is one of our models (and not, say, an AI SDK one that an adapter must wrap). */
export function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'step' in value && typeof value.step === 'function'
}
