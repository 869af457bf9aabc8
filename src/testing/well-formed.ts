import type { AssistantMessage, ModelMessage, ToolMessage } from '../core/model.ts'

/**
 * What is wrong with a prompt, each fault in words; an empty list where nothing is. In a prompt that providers take,
 * every tool call has exactly one result, results stand in the message right after the calls, there is no result
 * without a call, no id twice and none empty. Calls that a provider ran itself are left out.
 */
export function wellFormed(messages: readonly ModelMessage[]): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const results = message.role === 'tool' ? resultIdsOf(message) : []
    const previous = messages[index - 1]
    const called = previous?.role === 'assistant' ? callIdsOf(previous) : []
    for (const id of called) {
      const count = results.filter((result) => result === id).length
      if (count !== 1) faults.push(`message ${index}: call "${id}" has ${count} results in the message after it`)
    }
    for (const id of results) {
      if (!called.includes(id)) faults.push(`message ${index}: result "${id}" has no call in the message before it`)
    }
    for (const id of message.role === 'assistant' ? callIdsOf(message) : []) {
      if (id === '') faults.push(`message ${index}: a call has an empty id`)
      if (seen.has(id)) faults.push(`message ${index}: the id "${id}" was used before`)
      seen.add(id)
    }
  }
  const last = messages.at(-1)
  for (const id of last?.role === 'assistant' ? callIdsOf(last) : []) {
    faults.push(`message ${messages.length - 1}: call "${id}" has no result, the prompt ends with it`)
  }
  return faults
}

function callIdsOf(message: AssistantMessage): string[] {
  if (typeof message.content === 'string') return []
  const calls = message.content.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true)
  return calls.map((part) => String(part.toolCallId))
}

function resultIdsOf(message: ToolMessage): string[] {
  return message.content.filter((part) => part.type === 'tool-result').map((part) => part.toolCallId)
}
