import type { ReactNode } from 'react'
import { Actions } from './actions.tsx'
import { type AnswerForm, isEditing, shownOf } from './answer.ts'
import { AnswerPart } from './answer-part.tsx'
import { Refusal } from './refusal.tsx'
import { initialTyped } from './typed.ts'
import type { AskControl } from './use-ask-state.ts'

interface FormBodyProps {
  answer: AnswerForm
  control: AskControl
  id: string
  disabled: boolean
  onSend(): void
  onRefuse(): void
}

/** What can be typed and pressed. */
export function FormBody({ answer, control, id, disabled, onSend, onRefuse }: FormBodyProps): ReactNode {
  const { draft, problem, isSending, end, change } = control
  const { form, ask } = answer
  const decides = ask.kind === 'approval'
  const isOver = end !== undefined || problem?.isOver === true
  const shown = shownOf(answer, draft)
  const editing = isEditing(answer, draft)
  const edit = () => {
    const typed = editing || form === undefined ? undefined : initialTyped(form)
    change((now) => ({ ...now, typed, json: undefined }), answer.path)
  }
  const actions = isOver ? null : (
    <Actions
      decides={decides}
      canEdit={decides && form !== undefined}
      isEditing={editing}
      onSend={onSend}
      onEdit={edit}
      onRefuse={() => change((now) => ({ ...now, reason: '' }))}
    />
  )
  return (
    // What was written can be read, and copied, when it is over.
    <fieldset className="querent-body" disabled={disabled || isSending || isOver}>
      {shown ? <AnswerPart answer={answer} shown={shown} control={control} id={id} /> : null}
      {draft.reason === undefined ? (
        actions
      ) : (
        <Refusal
          id={id}
          reason={draft.reason}
          onType={(reason) => change((now) => ({ ...now, reason }))}
          onRefuse={onRefuse}
          onBack={() => change((now) => ({ ...now, reason: undefined }))}
        />
      )}
    </fieldset>
  )
}
