import type { ResponsesItem } from '../providers/servers/responses.ts'
import type { PlainAnswer } from '../providers/servers/sse-server.ts'

/** What the model says over OpenAI Responses, in one piece: the Agents SDK asks for no stream. */
export function responseOf(...items: ResponsesItem[]): PlainAnswer {
  return {
    status: 200,
    body: {
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      model: 'served',
      status: 'completed',
      output: items.map(outputOf),
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    },
  }
}

function outputOf(item: ResponsesItem): object {
  const { id } = item
  switch (item.type) {
    case 'text': {
      const content = [{ type: 'output_text', text: item.text, annotations: [] }]
      return { id, type: 'message', role: 'assistant', status: 'completed', content }
    }
    case 'call': {
      const { callId, name, arguments: input } = item
      return { id, type: 'function_call', call_id: callId, name, arguments: input, status: 'completed' }
    }
    case 'reasoning': {
      const summary = item.summary.map((text) => ({ type: 'summary_text', text }))
      return { id, type: 'reasoning', summary, encrypted_content: item.encrypted }
    }
    default:
      throw new Error(`No test needs "${item.type}".`)
  }
}
