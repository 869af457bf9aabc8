import type { Model, ModelMessage, ModelReply, ModelRequest, ModelTool, ToolMessage } from 'querent/model'
import { expect } from 'vitest'

/*
 * What the tests of all providers share: one request, and the next one built as a new process builds it, from the
 * stored text of the messages alone.
 */

export const tools: ModelTool[] = [
  {
    name: 'look_up',
    description: 'Looks something up.',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  },
  { name: 'question', description: 'Asks the person.', inputSchema: { type: 'object', additionalProperties: true } },
]

export function requestOf(messages: ModelMessage[], fields: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal
  return { messages, tools, instructions: 'Be brief.', settings: {}, signal, ...fields }
}

/** Everything one step gave. Fails where it gave no reply, or anything after it. */
export async function take(model: Model, request: ModelRequest): Promise<{ deltas: string[]; reply: ModelReply }> {
  const deltas: string[] = []
  let reply: ModelReply | undefined
  for await (const part of model.step(request)) {
    if (reply) throw new Error('something came after the reply')
    if (part.type === 'text') deltas.push(part.text)
    else reply = part
  }
  if (!reply) throw new Error('there was no reply')
  return { deltas, reply }
}

/** A result for each call, in call order. */
export function resultsOf(reply: ModelReply, value = (tool: string) => `result of ${tool}`): ToolMessage {
  return {
    role: 'tool',
    content: reply.calls.map((call) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.tool,
      output: call.invalid ? { type: 'error-text', value: call.invalid } : { type: 'text', value: value(call.tool) },
    })),
  }
}

/** The prompt after a reply, through JSON text, as a log keeps it. */
export function grown(before: ModelMessage[], reply: ModelReply, ...after: ModelMessage[]): ModelMessage[] {
  const log = [...before.map((message) => JSON.stringify(message)), ...reply.messages]
  return [...log, ...after.map((message) => JSON.stringify(message))].map((text) => JSON.parse(text) as ModelMessage)
}

/** The second body begins with the first, byte for byte: its messages grow, all else stays the same bytes. */
export function expectGrown(first: string | undefined, second: string | undefined, list: 'messages' | 'input'): void {
  const [before, after] = [first, second].map((body) => {
    const { [list]: messages, ...rest } = JSON.parse(body ?? '') as Record<string, unknown[]>
    // Else what is compared below would not be what was sent.
    expect(JSON.stringify(JSON.parse(body ?? ''))).toBe(body)
    return { messages: JSON.stringify(messages).slice(0, -1), rest: JSON.stringify(rest) }
  })
  expect(after?.messages.startsWith(`${before?.messages},`)).toBe(true)
  expect(after?.rest).toBe(before?.rest)
}
