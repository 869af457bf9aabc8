import type { ReactNode } from 'react'
import { visible } from '../protocol/core.ts'
import type { JsonField, NumberField, TextField } from './field.ts'
import { boxClass, describedOf, FieldAbout, FieldError, FieldName } from './field-parts.tsx'
import { type FieldProps, useTexts } from './field-props.ts'
import { initialTyped } from './typed.ts'

const inputTypes = { date: 'date', 'date-time': 'datetime-local', email: 'email', uri: 'url' } as const

type Props = FieldProps<TextField | NumberField | JsonField, string>

/** A field that is typed: text, a number, JSON. */
export function TextView({ field, typed, issues, onType, place, id, path, describedBy }: Props): ReactNode {
  const texts = useTexts()
  const isLocal = field.kind === 'text' && field.format === 'date-time'
  // What a model put there may hold what nobody sees; what the person typed is theirs.
  const isHiding = typed !== '' && visible(typed) !== typed && typed === initialTyped(field)
  const control = {
    id,
    name: path,
    className: 'querent-input',
    value: typed,
    'aria-required': field.required && !('blank' in field),
    'aria-invalid': issues.length > 0,
    'aria-describedby': describedOf(
      field,
      id,
      issues,
      describedBy,
      isLocal && `${id}-zone`,
      isHiding && `${id}-hidden`,
    ),
    onChange: ({ target }: { target: { value: string } }) => onType(place, target.value, path),
  }
  return (
    <div className={boxClass(field.kind, issues)}>
      <label className="querent-label" htmlFor={id}>
        <FieldName field={field} />
      </label>
      <FieldAbout field={field} id={id} />
      <Control field={field} control={control} />
      {isLocal ? (
        <p id={`${id}-zone`} className="querent-hint">
          {texts.localTime(new Intl.DateTimeFormat().resolvedOptions().timeZone)}
        </p>
      ) : null}
      {isHiding ? (
        <p id={`${id}-hidden`} className="querent-hint">
          {texts.hidden} <bdi>{visible(typed)}</bdi>
        </p>
      ) : null}
      <FieldError id={id} issues={issues} />
    </div>
  )
}

function Control({ field, control }: { field: Props['field']; control: object }): ReactNode {
  if (field.kind === 'json') return <textarea {...control} rows={6} spellCheck={false} autoComplete="off" dir="ltr" />
  // A number is typed as text: a browser's own input gives nothing at all where it finds no number.
  if (field.kind === 'number')
    return <input {...control} type="text" inputMode={field.whole ? 'numeric' : 'decimal'} autoComplete="off" />
  if (field.tall) return <textarea {...control} rows={4} dir="auto" />
  const type = field.format === undefined ? 'text' : inputTypes[field.format]
  return <input {...control} type={type} dir={field.format === undefined ? 'auto' : undefined} />
}
