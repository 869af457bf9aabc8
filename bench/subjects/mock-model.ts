import { MockLanguageModelV4 } from 'ai/test'
import { done, question, type Script } from '../script.ts'

const sdkUsage = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: undefined, reasoning: undefined },
}

type Stream = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream']
type Part = Stream extends ReadableStream<infer P> ? P : never

/** The script as a language model of the AI SDK. */
export function mockModel(script: Script): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    async doStream({ prompt }) {
      const asked = prompt.filter((message) => message.role === 'assistant').length
      const last = prompt.at(-1)
      const result = last?.role === 'tool' ? last.content.at(-1) : undefined
      const output = result?.type === 'tool-result' ? result.output : undefined
      const next = script.next(asked, output?.type === 'text' ? output.value : undefined)
      return { stream: streamOf(next === 'end' ? textParts : callParts(`call_${asked + 1}`)) }
    },
  })
}

function streamOf(parts: Part[]): Stream {
  return new ReadableStream({
    start(controller) {
      for (const part of [{ type: 'stream-start', warnings: [] } satisfies Part, ...parts]) controller.enqueue(part)
      controller.close()
    },
  })
}

const textParts: Part[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: done },
  { type: 'text-end', id: '1' },
  { type: 'finish', usage: sdkUsage, finishReason: { unified: 'stop', raw: 'stop' } },
]

function callParts(toolCallId: string): Part[] {
  return [
    { type: 'tool-call', toolCallId, toolName: 'question', input: JSON.stringify(question) },
    { type: 'finish', usage: sdkUsage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
  ]
}
