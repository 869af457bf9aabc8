import type { Model, ModelMessage } from 'querent/model'
import { done, question, type Script } from '../script.ts'

const usage = { inputTokens: 10, outputTokens: 10 }

/** The script as a model of ours. */
export function fakeModel(script: Script): Model {
  return {
    id: 'fake',
    async *step({ messages }) {
      const asked = messages.filter((message) => message.role === 'assistant').length
      if (script.next(asked, answerIn(messages)) === 'end') {
        const content = [{ type: 'text', text: done }]
        const messages = [JSON.stringify({ role: 'assistant', content })]
        yield { type: 'reply', messages, text: done, calls: [], usage, finish: 'stop' }
        return
      }
      const id = `call_${asked + 1}`
      const content = [{ type: 'tool-call', toolCallId: id, toolName: 'question', input: question }]
      const calls = [{ id, tool: 'question', input: question }]
      const reply = [JSON.stringify({ role: 'assistant', content })]
      yield { type: 'reply', messages: reply, text: '', calls, usage, finish: 'tool-calls' }
    },
  }
}

/** The value of the newest tool result. */
function answerIn(messages: readonly ModelMessage[]): unknown {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return undefined
  return (last.content.at(-1)?.output as { value?: unknown } | undefined)?.value
}
