import type { StepResult, ToolSet } from 'ai'
import { type Json, type ModelCall, ModelError, type ModelReply } from 'querent/model'

type Step = Pick<
  StepResult<ToolSet, Record<string, unknown>>,
  'text' | 'toolCalls' | 'usage' | 'finishReason' | 'rawFinishReason'
> & { response: { messages: readonly { role: string }[] } }

/**
 * Makes our reply from the one step of the SDK.
 *
 * A call whose input is not JSON is handed over as a call that is `invalid`, like any other in its place, and the tool
 * message that the SDK made for it is left out: the engine gives every call of the turn its result, in call order.
 * @throws ModelError that may be retried, where the stream ended without a reply.
 */
export function toReply(step: Step): ModelReply {
  const { inputTokens, outputTokens } = step.usage
  const reportsUsage = inputTokens !== undefined || outputTokens !== undefined
  return {
    type: 'reply',
    messages: step.response.messages
      .filter((message) => message.role === 'assistant')
      .map((message) => JSON.stringify(message)),
    text: step.text,
    calls: step.toolCalls
      .filter((call) => call.providerExecuted !== true)
      .map((call) => toCall(call, step.finishReason === 'length')),
    ...(reportsUsage ? { usage: { inputTokens, outputTokens } } : {}),
    finish: finishOf(step, reportsUsage),
  }
}

function toCall(call: Step['toolCalls'][number], cutOff: boolean): ModelCall {
  const read: ModelCall = { id: call.toolCallId, tool: call.toolName, input: (call.input ?? null) as Json }
  // A tool that does not exist is marked invalid as well: the engine knows that, and says so to the model.
  if (!isInputError(call)) return read
  const why = cutOff ? 'it was cut off at the limit of output tokens' : rootMessage(call.error)
  return { ...read, invalid: `The input of this call is not JSON: ${why}. Send the call again with one JSON object.` }
}

function isInputError(call: Step['toolCalls'][number]): call is typeof call & { error: Error } {
  return 'error' in call && call.error instanceof Error && call.error.name === 'AI_InvalidToolInputError'
}

// The SDK's own message repeats the whole input, which may be long; what it began with says only what is wrong.
function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message
}

function finishOf(step: Step, reportsUsage: boolean): ModelReply['finish'] {
  const { finishReason, rawFinishReason } = step
  // The SDK closes such a stream as if it were whole. Taken as the reply, half a sentence would be the final answer.
  const cut = finishReason === 'other' && rawFinishReason === undefined && !reportsUsage
  if (cut || finishReason === 'interrupted') {
    throw new ModelError('The reply of the model broke off: its stream ended without a finish.', { retryable: true })
  }
  if (finishReason === 'error') {
    throw new ModelError('The model ended its reply with an error and did not say which.', { retryable: true })
  }
  return finishReason
}
