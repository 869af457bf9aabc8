import type { ProviderName } from './language-models.ts'
import { type AnthropicReply, start as startAnthropic } from './servers/anthropic.ts'
import { start as startChat } from './servers/chat-completions.ts'
import { type ResponsesReply, start as startResponses } from './servers/responses.ts'
import type { PlainAnswer, ProviderServer, StreamAnswer } from './servers/sse-server.ts'

/** What a model says, whatever protocol carries it. */
export interface Said {
  /** Comes with a proof that the provider wants back: a signature, or its encrypted form. */
  reasoning?: string
  text?: string
  /** `arguments` is sent as it is, JSON or not. */
  calls?: { id: string; name: string; arguments: string }[]
  /** A tool that the provider ran itself, before all that the model says. Not over Chat Completions. */
  ran?: { id: string; name: string; output: string }
  refusal?: string
  /** Why it ends. Default: it is through. `'nothing'`: the stream just ends. */
  end?: 'length' | 'filter' | 'nothing'
  /** `null`: none is reported. */
  usage?: null
  /** An error event in place of the end. */
  error?: 'overloaded' | 'bad request'
  after?: StreamAnswer['after']
}

/** What a request says, whatever protocol carries it. Texts are the bytes of its parts. */
export interface Wire {
  instructions: unknown
  tools: { name: string; schema: unknown }[]
  /** Ids of calls and of results, in the order they stand in. */
  calls: string[]
  results: string[]
  /** The schema of the response format, and whether the model is held to it; `'any'`: some JSON. */
  format?: { schema: unknown; strict?: boolean } | 'any'
  temperature?: number
  maxTokens?: number
}

/** A provider's protocol: its server, and how to read its requests. */
export interface Dialect {
  name: ProviderName
  /** Where the messages stand in the body. */
  list: 'messages' | 'input'
  start(): Promise<ProviderServer<Said>>
  read(body: string): Wire
  /** What of this reasoning must come back in the next request. */
  proofOf(reasoning: string): string[]
}

/** Wraps a server so that it is told what to say in one form. */
function speaking<Reply extends object>(
  server: ProviderServer<Reply>,
  sayIn: (said: Said) => Reply,
): ProviderServer<Said> {
  const answerOf = (each: Said | PlainAnswer) => ('status' in each ? each : sayIn(each))
  return { ...server, script: (...answers) => server.script(...answers.map(answerOf)) }
}

const errors = {
  overloaded: { message: 'The server had an error', type: 'server_error' },
  'bad request': { message: 'No', type: 'invalid_request_error' },
} as const

interface ChatBody {
  messages: { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[]
  tools?: { function: { name: string; parameters: unknown } }[]
  response_format?: { json_schema?: { schema: unknown; strict: boolean } }
  temperature?: number
  max_tokens?: number
  max_completion_tokens?: number
}

function chat(name: 'chat' | 'compatible'): Dialect {
  const finish = { length: 'length', filter: 'content_filter', nothing: null } as const
  return {
    name,
    list: 'messages',
    start: async () =>
      speaking(await startChat(), ({ end, error, ran: _, ...said }) => ({
        ...said,
        ...(end === undefined ? {} : { finish: finish[end] }),
        ...(error === undefined ? {} : { error: errors[error] }),
      })),
    read(text) {
      const body = JSON.parse(text) as ChatBody
      const format = body.response_format
      return {
        instructions: body.messages[0]?.content,
        tools: (body.tools ?? []).map((tool) => ({ name: tool.function.name, schema: tool.function.parameters })),
        calls: body.messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)),
        results: body.messages.flatMap((message) => message.tool_call_id ?? []),
        ...(format ? { format: format.json_schema ?? 'any' } : {}),
        temperature: body.temperature,
        maxTokens: body.max_tokens ?? body.max_completion_tokens,
      }
    },
    // Chat Completions of OpenAI carry no reasoning at all.
    proofOf: (reasoning) => (name === 'chat' ? [] : [JSON.stringify({ reasoning_content: reasoning }).slice(1, -1)]),
  }
}

interface ResponsesBody {
  input: { type?: string; content?: unknown; call_id?: string }[]
  tools?: { name: string; parameters: unknown }[]
  text?: { format?: { schema: unknown; strict: boolean } }
  temperature?: number
  max_output_tokens?: number
}

const responses: Dialect = {
  name: 'responses',
  list: 'input',
  start: async () => speaking(await startResponses(), responsesReply),
  read(text) {
    const body = JSON.parse(text) as ResponsesBody
    const idsOf = (type: string) => body.input.flatMap((item) => (item.type === type ? (item.call_id ?? []) : []))
    return {
      instructions: body.input[0]?.content,
      tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.parameters })),
      calls: idsOf('function_call'),
      results: idsOf('function_call_output'),
      ...(body.text?.format ? { format: body.text.format } : {}),
      temperature: body.temperature,
      maxTokens: body.max_output_tokens,
    }
  },
  proofOf: (reasoning) => [JSON.stringify(`ENCRYPTED ${reasoning}+/==`)],
}

function responsesReply({ ran, reasoning, text, refusal, calls = [], end, error, ...said }: Said): ResponsesReply {
  const ends = {
    length: { incomplete: 'max_output_tokens' },
    filter: { incomplete: 'content_filter' },
    nothing: null,
  } as const
  const failed = {
    overloaded: { failed: { code: 'server_error', message: 'The server had an error' } },
    'bad request': { error: { code: 'invalid_prompt', message: 'No', param: null } },
  }
  const items: ResponsesReply['items'] = []
  if (ran) items.push({ type: 'mcp', id: ran.id, name: ran.name, arguments: '{"q":1}', output: ran.output })
  if (reasoning !== undefined)
    items.push({ type: 'reasoning', id: 'rs_1', summary: [reasoning], encrypted: `ENCRYPTED ${reasoning}+/==` })
  if (text !== undefined) items.push({ type: 'text', id: 'msg_1', text })
  if (refusal !== undefined) items.push({ type: 'refusal', id: 'msg_2', refusal })
  for (const { id, name, arguments: input } of calls)
    items.push({ type: 'call', id: `fc_${id}`, callId: id, name, arguments: input })
  if (error !== undefined) return { ...said, items, end: failed[error] }
  return { ...said, items, ...(end === undefined ? {} : { end: ends[end] }) }
}

interface AnthropicBody {
  system?: unknown
  messages: { content: { type: string; id: string; tool_use_id: string }[] }[]
  tools?: { name: string; input_schema: unknown }[]
  output_config?: { format?: { schema: unknown } }
  temperature?: number
  max_tokens?: number
}

const anthropic: Dialect = {
  name: 'anthropic',
  list: 'messages',
  start: async () => speaking(await startAnthropic(), anthropicReply),
  read(text) {
    const body = JSON.parse(text) as AnthropicBody
    const blocks = body.messages.flatMap((message) => message.content)
    const format = body.output_config?.format
    return {
      instructions: body.system,
      tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.input_schema })),
      calls: blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : [])),
      results: blocks.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])),
      ...(format ? { format: { schema: format.schema } } : {}),
      temperature: body.temperature,
      maxTokens: body.max_tokens,
    }
  },
  proofOf: (reasoning) => [JSON.stringify(`SIGNED ${reasoning}+/==`)],
}

function anthropicReply({ ran, reasoning, text, refusal, calls = [], end, error, after }: Said): AnthropicReply {
  const blocks: AnthropicReply['blocks'] = []
  if (ran) {
    blocks.push({ type: 'mcp_tool_use', id: ran.id, name: ran.name, server_name: 'docs', input: { q: 1 } })
    const content = [{ type: 'text' as const, text: ran.output }]
    blocks.push({ type: 'mcp_tool_result', tool_use_id: ran.id, is_error: false, content })
  }
  if (reasoning !== undefined)
    blocks.push({ type: 'thinking', thinking: reasoning, signature: `SIGNED ${reasoning}+/==` })
  for (const each of [text, refusal]) if (each !== undefined) blocks.push({ type: 'text', text: each })
  for (const { id, name, arguments: input } of calls) blocks.push({ type: 'tool_use', id, name, input })
  const stops = { length: 'max_tokens', filter: 'refusal', nothing: null } as const
  const types = { overloaded: 'overloaded_error', 'bad request': 'invalid_request_error' }
  return {
    blocks,
    after,
    ...(refusal === undefined ? {} : { stop: 'refusal' }),
    ...(end === undefined ? {} : { stop: stops[end] }),
    ...(error === undefined ? {} : { error: { type: types[error], message: errors[error].message } }),
  }
}

/** Every protocol there is a server for. */
export const dialects: readonly Dialect[] = [chat('chat'), chat('compatible'), responses, anthropic]
