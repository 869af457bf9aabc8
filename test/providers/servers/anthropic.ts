import { halves, type ProviderServer, type StreamAnswer, startServer } from './sse-server.ts'

/** A block of the content, in order. `input` is sent as it is, JSON or not. */
export type AnthropicBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: string }
  /** A tool that the provider ran itself, and what it gave. */
  | { type: 'mcp_tool_use'; id: string; name: string; server_name: string; input: object }
  | { type: 'mcp_tool_result'; tool_use_id: string; is_error: boolean; content: { type: 'text'; text: string }[] }

/** What the model says over Anthropic Messages, streaming. */
export interface AnthropicReply {
  blocks?: AnthropicBlock[]
  /** Default `'tool_use'` where there is such a block, else `'end_turn'`. `null`: the stream has no end. */
  stop?: string | null
  /** Default 11 in, 7 out. */
  usage?: { input_tokens: number; output_tokens: number }
  /** An event `error` in place of the end. */
  error?: { type: string; message: string }
  after?: StreamAnswer['after']
}

/** A server for `createAnthropic({ baseURL })`. */
export function start(): Promise<ProviderServer<AnthropicReply>> {
  return startServer('/v1', framesOf)
}

type Send = (type: string, fields: object) => void

function framesOf(reply: AnthropicReply): StreamAnswer {
  const frames: string[] = []
  const send: Send = (type, fields) => {
    frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const blocks = reply.blocks ?? []
  const { input_tokens, output_tokens } = reply.usage ?? { input_tokens: 11, output_tokens: 7 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'served', content: [], stop_reason: null }
  send('message_start', { message: { ...message, usage: { input_tokens, output_tokens: 1 } } })
  for (const [index, block] of blocks.entries()) sendBlock(send, index, block)
  if (reply.error) {
    send('error', { error: reply.error })
  } else if (reply.stop !== null) {
    const stop = reply.stop ?? (blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn')
    send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens } })
    send('message_stop', {})
  }
  return { frames, after: reply.after }
}

function sendBlock(send: Send, index: number, block: AnthropicBlock): void {
  const start = (content_block: object) => send('content_block_start', { index, content_block })
  const delta = (fields: object) => send('content_block_delta', { index, delta: fields })
  switch (block.type) {
    case 'thinking':
      start({ type: 'thinking', thinking: '', signature: '' })
      for (const thinking of halves(block.thinking)) delta({ type: 'thinking_delta', thinking })
      delta({ type: 'signature_delta', signature: block.signature })
      break
    case 'text':
      start({ type: 'text', text: '' })
      for (const text of halves(block.text)) delta({ type: 'text_delta', text })
      break
    case 'tool_use':
      start({ type: 'tool_use', id: block.id, name: block.name, input: {} })
      for (const partial_json of halves(block.input)) delta({ type: 'input_json_delta', partial_json })
      break
    default:
      start(block)
  }
  send('content_block_stop', { index })
}
