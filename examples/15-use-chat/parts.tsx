import type { UseChatHelpers } from '@ai-sdk/react'
import type { DynamicToolUIPart, UIMessage } from 'ai'
import type { Ask } from 'querent'

/** A question is `tool-question`; any other tool, and what must be approved, is `dynamic-tool`. */
export type Message = UIMessage<
  { run: string; status?: string },
  { output: unknown },
  { question: { input: { question: string }; output: unknown } }
>

type Answers = Pick<UseChatHelpers<Message>, 'addToolOutput' | 'addToolApprovalResponse'>

interface PartsProps {
  message: Message
  answers: Answers
  /** Only what is open in the newest reply can be answered. */
  isNewest: boolean
}

export function Parts({ message, answers, isNewest }: PartsProps) {
  return message.parts.map((part, index) => {
    if (part.type === 'text') return <p key={`text-${index}`}>{part.text}</p>
    if (part.type === 'tool-question') {
      return <Question key={part.toolCallId} part={part} answers={answers} isNewest={isNewest} />
    }
    if (part.type === 'dynamic-tool') {
      return <Tool key={part.toolCallId} part={part} answers={answers} isNewest={isNewest} />
    }
    return null
  })
}

type QuestionPart = Extract<Message['parts'][number], { type: 'tool-question' }>

function Question({ part, answers, isNewest }: { part: QuestionPart } & Omit<PartsProps, 'message'>) {
  const { state, toolCallId, input, output, errorText } = part
  // All there is to know of the ask: its choices in one form, its deadline, who asks.
  const ask = part.toolMetadata?.ask as unknown as Ask
  if (state === 'output-available') return <p>You said {String(output)}.</p>
  if (state === 'output-error') return <p>{errorText}</p>
  if (state !== 'input-available' || !isNewest) return <p>{input?.question}</p>
  const answer = (output: string) => void answers.addToolOutput({ tool: 'question', toolCallId, output })
  const refuse = () =>
    void answers.addToolOutput({
      state: 'output-error',
      tool: 'question',
      toolCallId,
      errorText: 'I would rather not say.',
    })
  return (
    <form
      aria-label={input.question}
      onSubmit={(event) => {
        event.preventDefault()
        answer(String(new FormData(event.currentTarget).get('answer')))
      }}
    >
      <p>{input.question}</p>
      {ask.options?.map(({ label }) => (
        <button key={label} type="button" onClick={() => answer(label)}>
          {label}
        </button>
      ))}
      {!ask.options && <input name="answer" aria-label="Answer" />}
      {!ask.options && <button type="submit">Answer</button>}
      <button type="button" onClick={refuse}>
        Refuse
      </button>
    </form>
  )
}

function Tool({ part, answers, isNewest }: { part: DynamicToolUIPart } & Omit<PartsProps, 'message'>) {
  const { state, toolName, input, approval } = part
  if (state !== 'approval-requested' || !isNewest) {
    return (
      <p>
        {toolName}: {approval?.reason ?? state}
      </p>
    )
  }
  const { id } = part.approval
  return (
    <form
      aria-label={`Approve ${toolName}`}
      onSubmit={(event) => {
        event.preventDefault()
        const reason = String(new FormData(event.currentTarget).get('reason')) || undefined
        void answers.addToolApprovalResponse({ id, approved: false, reason })
      }}
    >
      <p>
        {toolName} <code>{JSON.stringify(input)}</code>
      </p>
      <button type="button" onClick={() => void answers.addToolApprovalResponse({ id, approved: true })}>
        Approve
      </button>
      <input name="reason" aria-label="Reason" />
      <button type="submit">Refuse</button>
    </form>
  )
}
