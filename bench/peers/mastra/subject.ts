import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { answer, done, question, request } from '../../script.ts'
import type { Script } from '../../script.ts'
import type { Place, System } from '../../system.ts'

/** An agent whose tool suspends, resumed with `resumeGenerate`; its snapshots in LibSQL, as Mastra opens it. */
export async function open({ folder, script }: Place): Promise<System> {
  const storage = new LibSQLStore({ id: randomUUID(), url: `file:${join(folder, 'mastra.db')}` })
  const mastra = new Mastra({ agents: { asker: agentOf(script) }, storage, logger: false })
  await storage.init()
  const agent = mastra.getAgent('asker')
  const check = (result) => {
    if (result.finishReason !== 'suspended' && result.text !== done) {
      throw new Error(`It ended with ${result.finishReason}: ${result.text}`)
    }
  }
  return {
    async start() {
      const result = await agent.generate(request, { maxSteps: 10_000 })
      if (result.finishReason !== 'suspended') throw new Error(`It did not suspend: ${result.finishReason}`)
      return result.runId
    },
    async answer(run) {
      check(await agent.resumeGenerate({ answer }, { runId: run, maxSteps: 10_000 }))
    },
    list: async () => (await agent.listSuspendedRuns()).runs.length,
    close: async () => {
      await mastra.shutdown?.()
      await storage.close?.()
    },
  }
}

function agentOf(script: Script): Agent {
  const ask = createTool({
    id: 'question',
    description: 'Asks the person.',
    inputSchema: z.object({ question: z.string(), choices: z.array(z.string()) }),
    suspendSchema: z.object({ question: z.string(), choices: z.array(z.string()) }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (input, context) => {
      const { resumeData, suspend } = context?.agent ?? {}
      return resumeData ? resumeData.answer : await suspend?.(input)
    },
  })
  const model = modelOf(script)
  return new Agent({ id: 'asker', name: 'asker', instructions: 'Ask.', model, tools: { question: ask } })
}

const usage = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: undefined, reasoning: undefined },
}

function modelOf(script: Script) {
  const next = (prompt) => {
    const asked = prompt.filter((message) => message.role === 'assistant').length
    const last = prompt.at(-1)
    const output = last?.role === 'tool' ? last.content.at(-1)?.output : undefined
    return { asked, next: script.next(asked, output?.value) }
  }
  const finish = (unified: string) => ({ usage, finishReason: { unified, raw: unified } })
  const callOf = (asked: number) => ({
    type: 'tool-call',
    toolCallId: `call_${asked + 1}`,
    toolName: 'question',
    input: JSON.stringify(question),
  })
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const { asked, next: what } = next(prompt)
      const content = what === 'ask' ? [callOf(asked)] : [{ type: 'text', text: done }]
      return { content, ...finish(what === 'ask' ? 'tool-calls' : 'stop'), warnings: [] }
    },
    async doStream({ prompt }) {
      const { asked, next: what } = next(prompt)
      const parts =
        what === 'ask'
          ? [callOf(asked), { type: 'finish', ...finish('tool-calls') }]
          : [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: done },
              { type: 'text-end', id: '1' },
              { type: 'finish', ...finish('stop') },
            ]
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts]) }
    },
  })
}
