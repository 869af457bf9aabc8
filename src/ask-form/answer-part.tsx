import { type ReactNode, useCallback } from 'react'
import type { Issue } from '../protocol/core.ts'
import { type AnswerForm, asForm, asJson, canSwitch, draftWith, type Shown } from './answer.ts'
import type { Typed } from './field.ts'
import { useTexts } from './field-props.ts'
import { FieldView } from './field-view.tsx'
import { issuesBelow, noIssues } from './read-field.ts'
import type { AskControl } from './use-ask-state.ts'

interface AnswerPartProps {
  answer: AnswerForm
  shown: Shown
  control: AskControl
  id: string
}

/** The field of the answer, and the way from form to JSON and back. */
export function AnswerPart({ answer, shown, control, id }: AnswerPartProps): ReactNode {
  const texts = useTexts()
  const { draft, problem, change } = control
  const isJson = draft.json !== undefined
  const onType = useCallback(
    (place: string, typed: Typed, path: string) => change((now) => draftWith(answer, now, { place, typed }), path),
    [answer, change],
  )
  const switchForm = () => {
    const next = isJson ? asForm(answer, draft) : asJson(answer, draft)
    if (next) change(() => next, answer.path)
    else control.reject({ message: texts.notInForm, issues: [], isOver: false })
  }
  return (
    <>
      <FieldView
        field={shown.field}
        typed={shown.typed}
        issues={issuesAt(answer.path, problem?.issues ?? noIssues)}
        id={`${id}-answer`}
        path={answer.path}
        describedBy={answer.ask.kind === 'approval' ? undefined : `${id}-asked`}
        place=""
        onType={onType}
      />
      {canSwitch(answer) ? (
        <button type="button" className="querent-button querent-quiet querent-switch" onClick={switchForm}>
          {isJson ? texts.asForm : texts.asJson}
        </button>
      ) : null}
    </>
  )
}

/** Issues as the field at `path` sees them. What stands elsewhere concerns it too: nothing else could show it. */
function issuesAt(path: string, issues: readonly Issue[]): readonly Issue[] {
  if (path === '' || issues.length === 0) return issues
  return issues.flatMap((issue) => {
    const [below] = issuesBelow([issue], path.slice(1))
    return [below ?? { path: '', message: issue.message }]
  })
}
