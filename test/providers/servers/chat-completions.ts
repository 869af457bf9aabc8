import { halves, type ProviderServer, type StreamAnswer, startServer } from './sse-server.ts'

/** What the model says over OpenAI Chat Completions, streaming. */
export interface ChatReply {
  /** `reasoning_content`, as OpenAI-compatible servers send it. */
  reasoning?: string
  text?: string
  refusal?: string
  /** `arguments` is sent as it is, JSON or not. */
  calls?: { id: string; name: string; arguments: string }[]
  /** Default `'tool_calls'` where there are calls, else `'stop'`. `null`: none is sent. */
  finish?: string | null
  /** Default 11 in, 7 out. `null`: none is sent. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null
  /** An event `{ error }` in place of the finish. */
  error?: { message: string; [key: string]: unknown }
  after?: StreamAnswer['after']
}

/** A server for `createOpenAI({ baseURL }).chat(…)` and `createOpenAICompatible({ baseURL })`. */
export function start(): Promise<ProviderServer<ChatReply>> {
  return startServer('/v1', framesOf)
}

function framesOf(reply: ChatReply): StreamAnswer {
  const frames: string[] = []
  const send = (fields: object) => {
    const chunk = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'served',
      ...fields,
    }
    frames.push(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const delta = (fields: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })

  delta({ role: 'assistant', content: null })
  for (const piece of halves(reply.reasoning ?? '')) delta({ reasoning_content: piece })
  for (const piece of halves(reply.text ?? '')) delta({ content: piece })
  for (const piece of halves(reply.refusal ?? '')) delta({ refusal: piece })
  for (const frame of callDeltas(reply.calls ?? [])) delta({ tool_calls: [frame] })
  if (reply.error) {
    frames.push(`data: ${JSON.stringify({ error: reply.error })}\n\n`)
    return { frames, after: reply.after }
  }
  const finish = reply.finish === undefined ? (reply.calls ? 'tool_calls' : 'stop') : reply.finish
  if (finish !== null) delta({}, finish)
  const usage = reply.usage === undefined ? { prompt_tokens: 11, completion_tokens: 7 } : reply.usage
  if (usage && finish !== null) {
    send({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } })
  }
  if (finish !== null) frames.push('data: [DONE]\n\n')
  return { frames, after: reply.after }
}

// Calls begin one after another and their arguments come interleaved: a client must go by the index.
function callDeltas(calls: NonNullable<ChatReply['calls']>): object[] {
  const begins = calls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: '' },
  }))
  const rounds = [0, 1].flatMap((half) =>
    calls.map((call, index) => ({ index, function: { arguments: halves(call.arguments)[half] ?? '' } })),
  )
  return [...begins, ...rounds]
}
