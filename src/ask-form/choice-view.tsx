import type { ReactNode } from 'react'
import { visible } from '../protocol/core.ts'
import { type ChoiceField, type Picked, somethingElse } from './field.ts'
import { boxClass, describedOf, FieldAbout, FieldError, FieldName } from './field-parts.tsx'
import { type FieldProps, idsOf, useTexts } from './field-props.ts'

type Props = FieldProps<ChoiceField, Picked>

/** Nothing is chosen, and that is meant: an optional field is left out. */
const leftOut = -2

/** A field whose values are there to choose from: radio buttons, checkboxes, or a list that drops down. */
export function ChoiceView(props: Props): ReactNode {
  return props.field.dropsDown ? <Select {...props} /> : <Options {...props} />
}

function Options(props: Props): ReactNode {
  const { field, typed, issues, id, describedBy } = props
  const texts = useTexts()
  const radios = field.multi
    ? {}
    : { role: 'radiogroup', 'aria-required': field.required, 'aria-invalid': issues.length > 0 }
  return (
    <fieldset
      className={boxClass('choice', issues)}
      aria-describedby={describedOf(field, id, issues, describedBy)}
      {...radios}
    >
      <legend className="querent-label">
        <FieldName field={field} />
      </legend>
      <FieldAbout field={field} id={id} />
      <div className="querent-options">
        {field.options.map(({ label, description }, at) => (
          <Option key={`${id}-${at}`} {...props} at={at} label={label} description={description} />
        ))}
        {field.other ? <Option {...props} at={somethingElse} label={texts.somethingElse} /> : null}
        {field.required || field.multi ? null : <Option {...props} at={leftOut} label={texts.leaveOut} />}
      </div>
      {typed.at.includes(somethingElse) ? <OwnText {...props} /> : null}
      <FieldError id={id} issues={issues} />
    </fieldset>
  )
}

function Option(props: Props & { at: number; label: string; description?: string | undefined }): ReactNode {
  const { field, typed, onType, place, path, at, label, description } = props
  const id = `${props.id}-${at}`
  const isChosen = at === leftOut ? typed.at.length === 0 : typed.at.includes(at)
  return (
    <div className="querent-option">
      <input
        id={id}
        type={field.multi ? 'checkbox' : 'radio'}
        name={props.id}
        checked={isChosen}
        aria-describedby={description === undefined ? undefined : `${id}-about`}
        onChange={({ target }) => onType(place, picked(field, typed, at, target.checked), path)}
      />
      <label htmlFor={id}>
        <bdi>{visible(label, 'line')}</bdi>
      </label>
      {description === undefined ? null : (
        <p id={`${id}-about`} className="querent-description" dir="auto">
          {visible(description)}
        </p>
      )}
    </div>
  )
}

/** What is chosen after a click. The person's own text stays with it, chosen or not: they may come back to it. */
function picked({ multi }: ChoiceField, { at, other }: Picked, clicked: number, isChosen: boolean): Picked {
  const others = multi ? at.filter((each) => each !== clicked) : []
  const now = isChosen && clicked !== leftOut ? [...others, clicked] : others
  return { at: now, ...(other === undefined ? {} : { other }) }
}

function OwnText({ typed, issues, onType, place, id, path, describedBy }: Props): ReactNode {
  const texts = useTexts()
  const isWrong = issues.some((issue) => issue.path === '/other')
  return (
    <div className="querent-own">
      <label className="querent-label" htmlFor={`${id}-own`}>
        {texts.yourOwnAnswer}
      </label>
      <textarea
        id={`${id}-own`}
        className="querent-input"
        rows={2}
        dir="auto"
        value={typed.other ?? ''}
        aria-required
        aria-invalid={isWrong}
        aria-describedby={idsOf(describedBy, isWrong && `${id}-error`)}
        onChange={({ target }) => onType(place, { ...typed, other: target.value }, path)}
      />
    </div>
  )
}

function Select(props: Props): ReactNode {
  const { field, typed, issues, onType, place, id, path, describedBy } = props
  const texts = useTexts()
  const [chosen] = typed.at
  return (
    <div className={boxClass('choice', issues)}>
      <label className="querent-label" htmlFor={id}>
        <FieldName field={field} />
      </label>
      <FieldAbout field={field} id={id} />
      <select
        id={id}
        className="querent-input"
        value={chosen ?? ''}
        aria-required={field.required}
        aria-invalid={issues.length > 0}
        aria-describedby={describedOf(field, id, issues, describedBy)}
        onChange={({ target }) => {
          const at = target.value === '' ? leftOut : Number(target.value)
          onType(place, picked(field, typed, at, true), path)
        }}
      >
        <option value="">{field.required ? texts.choose : texts.leaveOut}</option>
        {field.options.map(({ label, description }, at) => (
          <option key={`${id}-${at}`} value={at}>
            {visible(description === undefined ? label : `${label} – ${description}`, 'line')}
          </option>
        ))}
        {field.other ? <option value={somethingElse}>{texts.somethingElse}</option> : null}
      </select>
      {chosen === somethingElse ? <OwnText {...props} /> : null}
      <FieldError id={id} issues={issues} />
    </div>
  )
}
