import { jsonSchema, type ModelMessage, streamText } from 'ai'
import { answer, type question, request } from '../script.ts'
import type { Place, System } from '../system.ts'
import { mockModel } from './mock-model.ts'

/** What the AI SDK itself costs: the two model calls of a cycle, with nothing kept and nobody asked. */
export async function open({ script }: Place): Promise<System> {
  const model = mockModel(script)
  const tools = {
    question: { description: 'Asks the person.', inputSchema: jsonSchema<typeof question>({ type: 'object' }) },
  }
  const prompts = new Map<string, ModelMessage[]>()
  const step = async (messages: ModelMessage[]) => {
    const result = streamText({ model, messages, tools })
    for await (const _ of result.stream);
    return [...messages, ...(await result.finalStep).response.messages]
  }
  let started = 0
  return {
    async start() {
      const run = `run_${started++}`
      prompts.set(run, await step([{ role: 'user', content: request }]))
      return run
    },
    async answer(run) {
      const output = { type: 'text' as const, value: answer }
      const result = { type: 'tool-result' as const, toolCallId: 'call_1', toolName: 'question', output }
      await step([...(prompts.get(run) ?? []), { role: 'tool', content: [result] }])
      prompts.delete(run)
    },
    close: async () => undefined,
  }
}
