import { type Answer, type Ask, type Json, QuerentError, type Refusal, type UserInput } from '../../protocol/core.ts'

/*
 * What a page posts: its whole history, as it has it. Anything may stand in it, so nothing of it is believed: what counts is
 * the person's newest message, and their answers to what is open.
 */

/** A message as it is posted. Of a part only its type is known. */
export interface PostedMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  parts: PostedPart[]
}

export interface PostedPart {
  type: string
  [field: string]: unknown
}

/** What an answer of the history says, for an ask that is open. */
export type PostedAnswer = { ask: Ask } & ({ approve: Answer } | { refuse: Refusal })

/** What the person wrote. @throws QuerentError T0008 where it has parts that no message of a person has. */
export function inputOf({ parts }: PostedMessage): UserInput {
  const content = parts.map((part) => {
    const { type, text, url, mediaType, filename } = part
    if (type === 'text' && typeof text === 'string') return { type: 'text' as const, text }
    if (type === 'file' && typeof url === 'string' && typeof mediaType === 'string') {
      return { type: 'file' as const, data: url, mediaType, ...(typeof filename === 'string' ? { filename } : {}) }
    }
    throw new QuerentError(
      'T0008',
      `The message has a part ${JSON.stringify(type)} that cannot be read. A person's message has text and file parts.`,
    )
  })
  const [only] = content
  return content.length === 1 && only?.type === 'text' ? only.text : content
}

/** The answers in a history to asks that are open, one for each at most. */
export function answersIn(messages: readonly PostedMessage[], asks: readonly Ask[]): PostedAnswer[] {
  const open = new Map(asks.map((ask) => [ask.id, ask]))
  return messages.flatMap(({ role, parts }) => {
    if (role !== 'assistant') return []
    return parts.flatMap((part) => {
      const answer = answerOf(part, open)
      if (answer) open.delete(answer.ask.id)
      return answer ?? []
    })
  })
}

function answerOf(part: PostedPart, open: ReadonlyMap<string, Ask>): PostedAnswer | undefined {
  if (part.type !== 'dynamic-tool' && !part.type.startsWith('tool-')) return undefined
  const ask = open.get(String(part.toolCallId))
  if (!ask) return undefined
  const answerId = `ui.${ask.id}`
  switch (part.state) {
    case 'output-available':
      return { ask, approve: { answerId, ...('output' in part ? { data: part.output as Json } : {}) } }
    case 'output-error':
      return { ask, refuse: { answerId, ...reasonOf(part.errorText) } }
    case 'approval-responded':
      return approvalOf(part.approval, ask, answerId)
    default:
      return undefined
  }
}

/** To a question a yes is no answer, and is told so; a no refuses it. */
function approvalOf(approval: unknown, ask: Ask, answerId: string): PostedAnswer | undefined {
  if (typeof approval !== 'object' || approval === null) return undefined
  const { id, approved, reason } = approval as { id?: unknown; approved?: unknown; reason?: unknown }
  if (id !== ask.id || typeof approved !== 'boolean') return undefined
  return approved ? { ask, approve: { answerId } } : { ask, refuse: { answerId, ...reasonOf(reason) } }
}

function reasonOf(text: unknown): { reason?: string } {
  return typeof text === 'string' && text.trim() !== '' ? { reason: text } : {}
}
