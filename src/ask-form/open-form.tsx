import { type KeyboardEvent, type ReactNode, useId, useMemo } from 'react'
import type { Issue } from '../protocol/core.ts'
import { type AnswerForm, answerFormOf, answerOf, isEditing } from './answer.ts'
import type { AskFormProps } from './ask-form-props.ts'
import { Asked } from './asked.tsx'
import { useTexts } from './field-props.ts'
import { FormBody } from './form-body.tsx'
import { type Problem, problemOf } from './problem.ts'
import type { AskFormTexts } from './texts.ts'
import type { AskControl } from './use-ask-state.ts'
import { useFocus } from './use-focus.ts'

type OpenFormProps = Omit<AskFormProps, 'drafts' | 'texts'> & { control: AskControl }

/** The form of one ask. */
export function OpenForm({ ask, control, disabled, renderText, autoFocus = false, ...on }: OpenFormProps): ReactNode {
  const texts = useTexts()
  const id = useId()
  // An ask never changes: whoever lists asks anew has new objects of the same.
  const answer = useMemo(() => answerFormOf(ask, texts), [ask.id, texts])
  const { draft, problem, failures, isSending, end } = control
  const decides = ask.kind === 'approval'
  const isRefusing = draft.reason !== undefined
  const places = useFocus({ autoFocus, failures, isEditing: isEditing(answer, draft), isRefusing, decides })
  const explain = (error: unknown) => problemOf(error, texts)

  const send = () => {
    const read = answerOf(answer, draft)
    const issues = [...incompleteIn(places.form.current, texts), ...('issues' in read ? read.issues : [])]
    if ('issues' in read || issues.length > 0) control.reject({ message: texts.cannotRead, issues, isOver: false })
    else void control.send(decides ? 'approved' : 'answered', () => on.onAnswer(read), explain)
  }
  const refuse = () => {
    const refusal = draft.reason?.trim() ? { reason: draft.reason } : {}
    void control.send('refused', () => on.onRefuse(refusal), explain)
  }

  return (
    <form
      ref={places.form}
      className="querent-ask"
      data-kind={ask.kind}
      noValidate
      aria-busy={isSending}
      onKeyDown={(event) => onEnter(event, !decides)}
      onSubmit={(event) => {
        event.preventDefault()
        // Enter in a field submits a form: it must approve nothing, and answer nothing that is about to be refused.
        if (!decides && !isRefusing) send()
      }}
    >
      <Asked ask={ask} id={`${id}-asked`} renderText={renderText} box={places.asked} />
      {problem && !isToldByField(answer, problem) ? (
        <p ref={places.alert} className="querent-alert" role="alert" tabIndex={-1} dir="auto">
          {problem.message}
        </p>
      ) : null}
      <FormBody
        answer={answer}
        control={control}
        id={id}
        disabled={disabled === true}
        onSend={send}
        onRefuse={refuse}
      />
      <p className="querent-status" role="status">
        {isSending ? texts.sending : end ? texts[end] : ''}
      </p>
    </form>
  )
}

/** Whether the only field there is says what is wrong. */
function isToldByField({ form }: AnswerForm, { issues }: Problem): boolean {
  return issues.length > 0 && form !== undefined && !['object', 'list', 'forms'].includes(form.kind)
}

/** Ctrl or Cmd with Enter sends from anywhere. The Enter that ends a composition (Japanese, Chinese) sends nothing. */
function onEnter(event: KeyboardEvent<HTMLFormElement>, canSend: boolean): void {
  if (event.key !== 'Enter') return
  // Safari ends the composition before it tells of the key, and marks the key with 229.
  const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
  if (isComposing && event.target instanceof HTMLInputElement) event.preventDefault()
  if (isComposing || !canSend || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

/** Dates of which a part is typed: a browser gives nothing for them, as if nothing stood there. */
function incompleteIn(form: HTMLFormElement | null, texts: AskFormTexts): Issue[] {
  const dates = form?.querySelectorAll<HTMLInputElement>('input:is([type="date"], [type="datetime-local"])') ?? []
  return [...dates].flatMap(({ name, validity }) =>
    validity.badInput ? [{ path: name, message: texts.incomplete }] : [],
  )
}
