import type { ReactNode } from 'react'
import { type Issue, visible } from '../protocol/core.ts'
import type { Field } from './field.ts'
import { idsOf, useTexts } from './field-props.ts'
import { sentenceOf } from './problem.ts'

/* What stands around every control: its name, what is said of it, what is wrong with it. */

/** A field's name, and whether it may be left out. */
export function FieldName({ field }: { field: Field }): ReactNode {
  const texts = useTexts()
  return (
    <>
      <bdi>{visible(field.title, 'line')}</bdi>
      {field.required ? null : <span className="querent-optional"> ({texts.optional})</span>}
    </>
  )
}

/** What is said of a field. It stands before the control: a person reads it before they answer. */
export function FieldAbout({ field: { description, hint }, id }: { field: Field; id: string }): ReactNode {
  return (
    <>
      {description === undefined ? null : (
        <p id={`${id}-about`} className="querent-description" dir="auto">
          {visible(description)}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="querent-hint" dir="auto">
          {visible(hint, 'line')}
        </p>
      )}
    </>
  )
}

/** What is wrong with a field. */
export function FieldError({ id, issues }: { id: string; issues: readonly Issue[] }): ReactNode {
  const texts = useTexts()
  if (issues.length === 0) return null
  return (
    <p id={`${id}-error`} className="querent-error" role="alert" dir="auto">
      {issues.map(({ message }) => sentenceOf(message, texts)).join(' ')}
    </p>
  )
}

/** The ids of what describes a control. */
export function describedOf(
  field: Field,
  id: string,
  issues: readonly Issue[],
  ...more: (string | false | undefined)[]
) {
  return idsOf(
    ...more,
    field.description !== undefined && `${id}-about`,
    field.hint !== undefined && `${id}-hint`,
    issues.length > 0 && `${id}-error`,
  )
}

/** The classes of a field's box. */
export function boxClass(kind: string, issues: readonly Issue[]): string {
  return `querent-field querent-${kind}${issues.length > 0 ? ' querent-invalid' : ''}`
}
