import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ModelMessage } from 'querent/model'
import { expect, it } from 'vitest'
import { expectGrown, requestOf, resultsOf, take, tools } from './exchange.ts'
import type { ProviderName } from './language-models.ts'
import { modelAt } from './second-process.ts'
import { type AnthropicBlock, start as startAnthropic } from './servers/anthropic.ts'
import { start as startChat } from './servers/chat-completions.ts'
import { type ResponsesItem, start as startResponses } from './servers/responses.ts'
import type { ProviderServer } from './servers/sse-server.ts'

const input = '{"q":"ünï","a":1}'
const prompt: ModelMessage[] = [{ role: 'user', content: 'Which shirt do I wear?' }]

async function chat() {
  const server = await startChat()
  server.script({ text: 'I ask.', calls: [{ id: 'call_a', name: 'question', arguments: input }] }, { text: 'M.' })
  return server
}

async function responses() {
  const server = await startResponses()
  const call: ResponsesItem = { type: 'call', id: 'fc_1', callId: 'call_a', name: 'question', arguments: input }
  const reasoning: ResponsesItem = { type: 'reasoning', id: 'rs_1', summary: ['Tall.'], encrypted: 'E==' }
  server.script({ items: [reasoning, call] }, { items: [{ type: 'text', id: 'msg_1', text: 'M.' }] })
  return server
}

async function anthropic() {
  const server = await startAnthropic()
  const thinking: AnthropicBlock = { type: 'thinking', thinking: 'Tall.', signature: 'S==' }
  const call: AnthropicBlock = { type: 'tool_use', id: 'toolu_a', name: 'question', input }
  server.script({ blocks: [thinking, call] }, { blocks: [{ type: 'text', text: 'M.' }] })
  return server
}

const servers: Record<ProviderName, () => Promise<ProviderServer<never>>> = {
  chat,
  compatible: chat,
  responses,
  anthropic,
}

it.each(Object.keys(servers) as ProviderName[])(
  'a new process sends the bytes of the old one first: %s',
  async (name) => {
    const server = await servers[name]()
    try {
      const { reply } = await take(modelAt(name, server.url), requestOf(prompt))
      const log = [JSON.stringify(prompt[0]), ...reply.messages, JSON.stringify(resultsOf(reply))]
      const program = fileURLToPath(new URL('second-process.ts', import.meta.url))
      const options = ['--conditions=querent-source', program, name, server.url, JSON.stringify(tools), ...log]
      const { stdout } = await promisify(execFile)(process.execPath, options)
      expect(stdout).toBe('M.')
      expectGrown(server.requests[0]?.body, server.requests[1]?.body, name === 'responses' ? 'input' : 'messages')
    } finally {
      await server.close()
    }
  },
)
