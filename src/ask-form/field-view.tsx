import { memo, type ReactNode, useEffect, useRef } from 'react'
import { visible } from '../protocol/core.ts'
import { ChoiceView } from './choice-view.tsx'
import type { FormsField, InForm, ListField, ObjectField, Picked, Typed } from './field.ts'
import { boxClass, describedOf, FieldAbout, FieldError, FieldName } from './field-parts.tsx'
import { type FieldProps, useTexts } from './field-props.ts'
import { escapeStep, issuesBelow } from './read-field.ts'
import { TextView } from './text-view.tsx'
import { initialTyped, maxItems } from './typed.ts'

/** A field of any kind, and all that is in it. It is drawn anew where it changed. */
export const FieldView = memo(function FieldView(props: FieldProps): ReactNode {
  const { field, typed } = props
  switch (field.kind) {
    case 'object':
      return <ObjectView {...props} field={field} typed={typed as Typed[]} />
    case 'list':
      return <ListView {...props} field={field} typed={typed as Typed[]} />
    case 'forms':
      return <FormsView {...props} field={field} typed={typed as InForm} />
    case 'choice':
      return <ChoiceView {...props} field={field} typed={typed as Picked} />
    default:
      return <TextView {...props} field={field} typed={typed as string} />
  }
})

function ObjectView({
  field,
  typed,
  issues,
  onType,
  place,
  id,
  path,
  describedBy,
}: FieldProps<ObjectField, Typed[]>): ReactNode {
  const steps = field.fields.map(({ name = '' }) => escapeStep(name))
  const own = issues.filter((issue) => !steps.some((step) => isBelow(issue.path, step)))
  return (
    <fieldset className={boxClass('object', own)} aria-describedby={describedOf(field, id, own, describedBy)}>
      <legend className="querent-label">
        <FieldName field={field} />
      </legend>
      <FieldAbout field={field} id={id} />
      <FieldError id={id} issues={own} />
      {field.fields.map((each, at) => (
        <FieldView
          key={each.name}
          field={each}
          typed={typed[at] as Typed}
          issues={issuesBelow(issues, steps[at] as string)}
          id={`${id}-${at}`}
          path={`${path}/${steps[at]}`}
          place={`${place}/${at}`}
          onType={onType}
        />
      ))}
    </fieldset>
  )
}

function isBelow(path: string, step: string): boolean {
  return path === `/${step}` || path.startsWith(`/${step}/`)
}

function ListView({
  field,
  typed,
  issues,
  onType,
  place,
  id,
  path,
  describedBy,
}: FieldProps<ListField, Typed[]>): ReactNode {
  const texts = useTexts()
  const box = useRef<HTMLFieldSetElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const next = useRef<'last item' | 'add'>(undefined)
  // The button that was pressed may be gone: whoever works with the keyboard must not be thrown out of the form.
  useEffect(() => {
    if (next.current === 'add') add.current?.focus()
    if (next.current === 'last item') {
      box.current?.querySelector<HTMLElement>(':scope > ol > li:last-child :is(input, textarea, select)')?.focus()
    }
    next.current = undefined
  })
  const removeAt = (at: number) => {
    next.current = 'add'
    onType(place, typed.toSpliced(at, 1), path)
  }
  const addItem = () => {
    next.current = 'last item'
    onType(place, [...typed, initialTyped(field.item)], path)
  }
  const nameOf = (at: number) => texts.item(field.item.title, at + 1)
  const own = issues.filter((issue) => !typed.some((_, at) => isBelow(issue.path, String(at))))
  return (
    <fieldset ref={box} className={boxClass('list', own)} aria-describedby={describedOf(field, id, own, describedBy)}>
      <legend className="querent-label">
        <FieldName field={field} />
      </legend>
      <FieldAbout field={field} id={id} />
      <FieldError id={id} issues={own} />
      <ol className="querent-items">
        {typed.map((item, at) => (
          // Items have no names of their own; every control in them is told its value.
          <li key={`${id}-${at}`}>
            <FieldView
              field={{ ...field.item, title: nameOf(at) }}
              typed={item}
              issues={issuesBelow(issues, String(at))}
              id={`${id}-${at}`}
              path={`${path}/${at}`}
              place={`${place}/${at}`}
              onType={onType}
            />
            <button type="button" className="querent-button querent-quiet" onClick={() => removeAt(at)}>
              {texts.removeItem(visible(nameOf(at), 'line'))}
            </button>
          </li>
        ))}
      </ol>
      <button ref={add} type="button" className="querent-button" disabled={typed.length >= maxItems} onClick={addItem}>
        {texts.addItem(visible(field.title, 'line'))}
      </button>
    </fieldset>
  )
}

function FormsView({
  field,
  typed,
  issues,
  onType,
  place,
  id,
  path,
  describedBy,
}: FieldProps<FormsField, InForm>): ReactNode {
  const texts = useTexts()
  const { form } = typed
  const chosen = form === undefined ? undefined : field.forms[form]
  const own = chosen === undefined ? issues : []
  return (
    <fieldset className={boxClass('forms', own)} aria-describedby={describedOf(field, id, own, describedBy)}>
      <legend className="querent-label">
        <FieldName field={field} />
      </legend>
      <FieldAbout field={field} id={id} />
      <label className="querent-label" htmlFor={id}>
        {texts.chooseOne}
      </label>
      <select
        id={id}
        className="querent-input"
        value={form ?? ''}
        aria-required={field.required}
        aria-invalid={own.length > 0}
        aria-describedby={describedOf(field, id, own)}
        onChange={({ target }) => {
          const next = target.value === '' ? undefined : field.forms[Number(target.value)]
          onType(place, next === undefined ? {} : { form: Number(target.value), typed: initialTyped(next) }, path)
        }}
      >
        <option value="">{field.required ? texts.choose : texts.leaveOut}</option>
        {field.forms.map(({ title }, at) => (
          <option key={`${at}-${title}`} value={at}>
            {visible(title, 'line')}
          </option>
        ))}
      </select>
      <FieldError id={id} issues={own} />
      {chosen === undefined ? null : (
        <FieldView
          field={chosen}
          typed={typed.typed as Typed}
          issues={issues}
          id={`${id}-${form}`}
          path={path}
          place={`${place}/typed`}
          onType={onType}
        />
      )}
    </fieldset>
  )
}
