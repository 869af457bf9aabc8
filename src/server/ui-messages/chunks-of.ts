import type { TextPart, ToolPart, UiChunk, UiPart } from './ui-message.ts'

/** The chunks that make a part in a message that does not have it. */
export function chunksOf(part: UiPart): UiChunk[] {
  switch (part.type) {
    case 'step-start':
      return [{ type: 'start-step' }]
    case 'text':
      return textChunks(part)
    case 'data-output':
      return [part]
    default:
      return [
        callChunk(part),
        ...(part.approval ? [requestChunk(part, part.approval.id)] : []),
        ...responseChunks(part),
        ...endChunks(part),
      ]
  }
}

/** The chunks that bring the part of a call from wherever it is in a message to where it is now. */
export function changeChunks(part: ToolPart): UiChunk[] {
  switch (part.state) {
    case 'output-available':
    case 'output-error':
      return [...responseChunks(part), ...endChunks(part)]
    case 'approval-requested':
      // The page may have shown it as answered.
      return chunksOf(part)
    default:
      return [callChunk(part), ...responseChunks(part), ...endChunks(part)]
  }
}

function textChunks({ text }: TextPart): UiChunk[] {
  // Text parts are told apart only while they are written.
  const id = 'text'
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ]
}

function callChunk({ type, toolName, toolCallId, input, providerExecuted, toolMetadata }: ToolPart): UiChunk {
  const name =
    type === 'dynamic-tool' ? { toolName: toolName ?? '', dynamic: true as const } : { toolName: type.slice(5) }
  return { type: 'tool-input-available', toolCallId, ...name, input, ...given({ providerExecuted, toolMetadata }) }
}

function requestChunk({ toolCallId }: ToolPart, approvalId: string): UiChunk {
  return { type: 'tool-approval-request', toolCallId, approvalId }
}

function responseChunks({ approval }: ToolPart): UiChunk[] {
  if (approval?.approved === undefined) return []
  const { id, approved, reason } = approval
  return [{ type: 'tool-approval-response', approvalId: id, approved, ...given({ reason }) }]
}

function endChunks({ state, toolCallId, output, errorText, providerExecuted, toolMetadata }: ToolPart): UiChunk[] {
  const rest = { toolCallId, ...given({ providerExecuted, toolMetadata }) }
  if (state === 'output-available') return [{ type: 'tool-output-available', output: output ?? null, ...rest }]
  if (state === 'output-error') return [{ type: 'tool-output-error', errorText: errorText ?? '', ...rest }]
  return state === 'output-denied' ? [{ type: 'tool-output-denied', toolCallId }] : []
}

function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
