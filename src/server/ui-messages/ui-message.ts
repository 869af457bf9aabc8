import type { Ask, AskEnd, Code, Json, RunStatus, Usage } from '../../protocol/core.ts'

/* Messages and chunks of the AI SDK's UI message stream (version 1), as far as this server writes them. */

/** A message of a chat, as `useChat` keeps it. */
export interface UiMessage {
  id: string
  role: 'user' | 'assistant'
  parts: UiPart[]
  metadata?: UiMetadata
}

/** Of a reply: which run it is of; of the newest, how the run is. */
export interface UiMetadata {
  run: string
  status?: RunStatus
  usage?: Usage
  error?: { code: Code; message: string }
}

export type UiPart = StepStart | TextPart | ToolPart | OutputPart

export interface StepStart {
  type: 'step-start'
}

export interface TextPart {
  type: 'text'
  text: string
  state?: 'done'
}

/** The checked output of a run that is done, where its agent has an `output`. */
export interface OutputPart {
  type: 'data-output'
  id: 'output'
  data: Json
}

/**
 * A tool at work, or an ask: a question is `tool-question`, an approval the call it is of. What the server settled or runs
 * is `providerExecuted`: the page need not do anything about it, and `sendAutomaticallyWhen` does not wait for it.
 */
export interface ToolPart {
  type: 'dynamic-tool' | `tool-${string}`
  /** With `dynamic-tool`. */
  toolName?: string
  /** Of an ask: its id. */
  toolCallId: string
  state:
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied'
  /** What was asked. Of a tool at work nothing: its input is not for people. */
  input: Json
  output?: Json
  errorText?: string
  providerExecuted?: true
  approval?: { id: string; approved?: boolean; reason?: string }
  /** `text`: what is asked, as `questionText` writes it. What is in `input` is untrusted, and as it came. */
  toolMetadata?: { ask: Ask; text: string; end?: AskEnd }
}

/** One event of the stream. */
export type UiChunk =
  | { type: 'start'; messageId: string; messageMetadata: UiMetadata }
  | { type: 'start-step' }
  | { type: 'reset-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | ({ type: 'tool-input-available'; toolName: string; dynamic?: true } & Pick<
      ToolPart,
      'toolCallId' | 'input' | 'providerExecuted' | 'toolMetadata'
    >)
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | ({ type: 'tool-output-available'; output: Json } & Pick<
      ToolPart,
      'toolCallId' | 'providerExecuted' | 'toolMetadata'
    >)
  | ({ type: 'tool-output-error'; errorText: string } & Pick<
      ToolPart,
      'toolCallId' | 'providerExecuted' | 'toolMetadata'
    >)
  | OutputPart
  | { type: 'message-metadata'; messageMetadata: UiMetadata }
  | { type: 'error'; errorText: string }
  | { type: 'finish'; finishReason?: 'stop' | 'tool-calls' | 'interrupted'; messageMetadata?: UiMetadata }
