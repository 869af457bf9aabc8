import type { CallState, RunState, TurnState } from './fold.ts'
import type { AssistantMessage } from './model.ts'
import type { ToolResult } from './tool.ts'

/**
 * The prompt of a run: each message as JSON text, in order. It only grows: what was sent for one model call is the
 * beginning of what is sent for the next, byte for byte, so that a provider's cache holds over parks and processes.
 * The provider's own messages go back untouched, but for an id that the run has seen before.
 */
export function promptOf(state: RunState): string[] {
  const used = new Set<string>()
  return state.items.flatMap((item) =>
    item.type === 'user' ? [JSON.stringify({ role: 'user', content: item.content })] : messagesOf(item, used),
  )
}

function messagesOf(turn: TurnState, used: Set<string>): string[] {
  const ids = turn.calls.map((call) => uniqueId(call, used))
  const renamed = turn.calls.some((call, index) => call.id !== ids[index])
  const messages = renamed ? withIds(turn.messages, ids) : turn.messages
  if (turn.calls.length === 0) return messages
  return [...messages, resultsOf(turn, ids)]
}

/** Some providers number calls from 0 in every reply, or leave ids empty; a prompt with one id twice is refused. */
function uniqueId(call: CallState, used: Set<string>): string {
  let id = call.id
  if (id === '' || used.has(id)) id = `${call.id || 'call'}_${call.repeat}_${call.turn}_${call.m}`
  while (used.has(id)) id += '_'
  used.add(id)
  return id
}

/** Puts these ids on the calls that are ours, in their order. */
function withIds(messages: string[], ids: string[]): string[] {
  let next = 0
  return messages.map((text) => {
    const message = JSON.parse(text) as AssistantMessage
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return text
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true && next < ids.length)
        part.toolCallId = ids[next++]
    }
    return JSON.stringify(message)
  })
}

/** The one message with the result of every call, in call order. */
function resultsOf(turn: TurnState, ids: string[]): string {
  const content = turn.calls.map((call, index) => ({
    type: 'tool-result',
    toolCallId: ids[index],
    toolName: call.tool,
    output: outputOf(call.result ?? { type: 'error', value: 'No result.' }),
  }))
  return JSON.stringify({ role: 'tool', content })
}

function outputOf(result: ToolResult): { type: string; value: unknown } {
  return result.type === 'error'
    ? { type: 'error-text', value: result.value }
    : { type: result.type, value: result.value }
}
