import type { ViewMessage } from '../../protocol/core.ts'
import type { ToolCall } from '../../react/run-store.ts'

/** What stands in a conversation: a message or an ask, or calls of tools that followed each other. */
export type Entry = { seq: number; line: ViewMessage } | { seq: number; calls: ToolCall[] }

/** Messages and tools in the order of the log; neighbouring calls are one entry. */
export function entriesOf(messages: readonly ViewMessage[], tools: readonly ToolCall[]): Entry[] {
  const entries: Entry[] = []
  let next = 0
  const addCalls = (before: number) => {
    const first = next
    while (next < tools.length && (tools[next]?.seq ?? 0) < before) next++
    if (next === first) return
    const calls = tools.slice(first, next)
    entries.push({ seq: calls[0]?.seq ?? 0, calls })
  }
  for (const line of messages) {
    addCalls(line.seq)
    entries.push({ seq: line.seq, line })
  }
  addCalls(Number.POSITIVE_INFINITY)
  return entries
}
