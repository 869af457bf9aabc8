import { halves, type ProviderServer, type StreamAnswer, startServer } from './sse-server.ts'

/** An item of the output, in order. */
export type ResponsesItem =
  | { type: 'reasoning'; id: string; summary: string[]; encrypted: string }
  | { type: 'text'; id: string; text: string; phase?: 'commentary' | 'final_answer' }
  | { type: 'refusal'; id: string; refusal: string }
  | { type: 'call'; id: string; callId: string; name: string; arguments: string }
  /** A tool that the provider ran itself. */
  | { type: 'mcp'; id: string; name: string; arguments: string; output: string }

/** What the model says over OpenAI Responses, streaming. */
export interface ResponsesReply {
  items?: ResponsesItem[]
  /** Default `'completed'`. `{ incomplete }`: `'max_output_tokens'` or `'content_filter'`. `null`: the stream has no end. */
  end?: 'completed' | { incomplete: string } | { failed: { code: string; message: string } } | { error: object } | null
  /** Default 11 in, 7 out. `null`: none is sent. */
  usage?: { input_tokens: number; output_tokens: number } | null
  after?: StreamAnswer['after']
}

/** A server for `createOpenAI({ baseURL })(…)`. */
export function start(): Promise<ProviderServer<ResponsesReply>> {
  return startServer('/v1', framesOf)
}

type Send = (type: string, fields: object) => void

function framesOf(reply: ResponsesReply): StreamAnswer {
  const frames: string[] = []
  const send: Send = (type, fields) => {
    const event = { type, sequence_number: frames.length, ...fields }
    frames.push(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'served' }
  for (const type of ['response.created', 'response.in_progress']) {
    send(type, { response: { ...response, status: 'in_progress' } })
  }
  for (const [index, item] of (reply.items ?? []).entries()) sendItem(send, index, item)
  const usage = reply.usage === undefined ? { input_tokens: 11, output_tokens: 7 } : reply.usage
  sendEnd(send, { ...response, usage }, reply.end === undefined ? 'completed' : reply.end)
  return { frames, after: reply.after }
}

function sendEnd(send: Send, response: object, end: NonNullable<ResponsesReply['end']> | null): void {
  if (end === null) return
  if (end === 'completed') send('response.completed', { response: { ...response, status: 'completed' } })
  else if ('error' in end) send('error', end.error)
  else if ('failed' in end) send('response.failed', { response: { ...response, status: 'failed', error: end.failed } })
  else {
    const incomplete = { ...response, status: 'incomplete', incomplete_details: { reason: end.incomplete } }
    send('response.incomplete', { response: incomplete })
  }
}

function sendItem(send: Send, index: number, item: ResponsesItem): void {
  const at = { item_id: item.id, output_index: index }
  const added = (fields: object) =>
    send('response.output_item.added', { output_index: index, item: { id: item.id, ...fields } })
  const done = (fields: object) =>
    send('response.output_item.done', { output_index: index, item: { id: item.id, ...fields } })
  switch (item.type) {
    case 'reasoning':
      sendReasoning(send, index, item)
      break
    case 'text': {
      const phase = item.phase ? { phase: item.phase } : {}
      added({ type: 'message', role: 'assistant', status: 'in_progress', content: [], ...phase })
      for (const delta of halves(item.text)) send('response.output_text.delta', { ...at, content_index: 0, delta })
      const content = [{ type: 'output_text', text: item.text, annotations: [] }]
      done({ type: 'message', role: 'assistant', status: 'completed', content, ...phase })
      break
    }
    case 'refusal': {
      added({ type: 'message', role: 'assistant', status: 'in_progress', content: [] })
      for (const delta of halves(item.refusal)) send('response.refusal.delta', { ...at, content_index: 0, delta })
      send('response.refusal.done', { ...at, content_index: 0, refusal: item.refusal })
      const content = [{ type: 'refusal', refusal: item.refusal }]
      done({ type: 'message', role: 'assistant', status: 'completed', content })
      break
    }
    case 'call': {
      const call = { type: 'function_call', call_id: item.callId, name: item.name }
      added({ ...call, arguments: '', status: 'in_progress' })
      for (const delta of halves(item.arguments)) send('response.function_call_arguments.delta', { ...at, delta })
      done({ ...call, arguments: item.arguments, status: 'completed' })
      break
    }
    case 'mcp': {
      added({ type: 'mcp_call', status: 'in_progress' })
      const { name, arguments: input, output } = item
      done({ type: 'mcp_call', status: 'completed', server_label: 'docs', name, arguments: input, output })
      break
    }
  }
}

function sendReasoning(send: Send, index: number, item: ResponsesItem & { type: 'reasoning' }): void {
  const { id } = item
  // As the provider does it: what is encrypted differs between the beginning and the end; only the end counts.
  const begun = { id, type: 'reasoning', summary: [], encrypted_content: `${item.encrypted}-begun` }
  send('response.output_item.added', { output_index: index, item: begun })
  for (const [part, text] of item.summary.entries()) {
    const at = { item_id: id, output_index: index, summary_index: part }
    send('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
    for (const delta of halves(text)) send('response.reasoning_summary_text.delta', { ...at, delta })
    send('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } })
  }
  const summary = item.summary.map((text) => ({ type: 'summary_text', text }))
  const ended = { id, type: 'reasoning', summary, encrypted_content: item.encrypted }
  send('response.output_item.done', { output_index: index, item: ended })
}
