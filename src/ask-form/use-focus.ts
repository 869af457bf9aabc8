import { type RefObject, useEffect, useRef } from 'react'

/** The parts of the form that focus is moved to. */
export interface FocusPlaces {
  form: RefObject<HTMLFormElement | null>
  asked: RefObject<HTMLDivElement | null>
  alert: RefObject<HTMLParagraphElement | null>
}

const controls = ':is(input, textarea, select, button):not(:disabled)'

/**
 * Moves focus where something happened that a person cannot know of otherwise: to the first field that is wrong, or the
 * alert; into an input that is to be changed; into the reason of a refusal, and back to its button.
 */
export function useFocus(options: {
  autoFocus: boolean
  failures: number
  isEditing: boolean
  isRefusing: boolean
  decides: boolean
}): FocusPlaces {
  const { autoFocus, failures, isEditing, isRefusing, decides } = options
  const form = useRef<HTMLFormElement>(null)
  const asked = useRef<HTMLDivElement>(null)
  const alert = useRef<HTMLParagraphElement>(null)
  const known = useRef({ failures, isEditing, isRefusing })

  // Once: the form is another one for another ask. What is to be approved is read before a button can be pressed.
  useEffect(() => {
    if (!autoFocus) return
    const field = firstField(form.current)
    if (decides || !field) asked.current?.focus()
    else field.focus()
  }, [])

  useEffect(() => {
    if (failures === known.current.failures) return
    known.current.failures = failures
    const target = firstWrong(form.current) ?? alert.current
    target?.focus()
  }, [failures])

  // The fields come below the call, where they need not be in view.
  useEffect(() => {
    const wasEditing = known.current.isEditing
    known.current.isEditing = isEditing
    if (isEditing && !wasEditing) firstField(form.current)?.focus()
  }, [isEditing])

  useEffect(() => {
    if (isRefusing === known.current.isRefusing) return
    known.current.isRefusing = isRefusing
    const selector = isRefusing ? '.querent-refusal textarea' : '.querent-refuse'
    form.current?.querySelector<HTMLElement>(selector)?.focus()
  }, [isRefusing])

  return { form, asked, alert }
}

function firstField(form: HTMLElement | null): HTMLElement | null | undefined {
  return form?.querySelector<HTMLElement>(`.querent-field :is(input:checked, ${controls})`)
}

function firstWrong(form: HTMLElement | null): HTMLElement | null | undefined {
  const box = form?.querySelector('.querent-invalid')
  return (
    box?.querySelector<HTMLElement>(':is(input, textarea, select)[aria-invalid="true"]') ??
    box?.querySelector<HTMLElement>('input:checked') ??
    box?.querySelector<HTMLElement>(controls)
  )
}
