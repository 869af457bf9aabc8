import { canonical, isObject, type Json } from '../protocol/core.ts'
import {
  type ChoiceField,
  type Field,
  type InForm,
  type Picked,
  somethingElse,
  type TextField,
  type Typed,
} from './field.ts'

/** More items than a page draws at once. */
export const maxItems = 100

/** What a field shows at first: its default, or nothing. */
export function initialTyped(field: Field): Typed {
  if (field.kind === 'object') return field.fields.map(initialTyped)
  const shown = field.initial === undefined ? undefined : typedOf(field, field.initial)
  if (shown !== undefined) return shown
  if (field.kind === 'list')
    return Array.from({ length: field.required ? field.least : 0 }, () => initialTyped(field.item))
  return blankTyped(field)
}

/** A field into which nothing was typed. */
function blankTyped(field: Field): Typed {
  switch (field.kind) {
    case 'object':
      return field.fields.map(blankTyped)
    case 'list':
      return []
    case 'choice':
      return { at: [] }
    case 'forms':
      return {}
    default:
      return ''
  }
}

/** What stands in a field that has this value; nothing where it cannot show it as it is. */
export function typedOf(field: Field, value: Json): Typed | undefined {
  switch (field.kind) {
    case 'text':
      return textOf(field, value)
    case 'number':
      if (value === null && field.blank === null) return ''
      return typeof value === 'number' && (!field.whole || Number.isInteger(value)) ? String(value) : undefined
    case 'choice':
      return pickedOf(field, value)
    case 'list': {
      if (!Array.isArray(value) || value.length > maxItems) return undefined
      return all(value.map((item) => typedOf(field.item, item)))
    }
    case 'object': {
      if (!isObject(value) || !Object.keys(value).every((key) => field.fields.some(({ name }) => name === key)))
        return undefined
      const given = (name = '') => (Object.hasOwn(value, name) ? (value[name] as Json) : undefined)
      return all(field.fields.map((each) => typedIn(each, given(each.name))))
    }
    case 'forms': {
      for (const [form, each] of field.forms.entries()) {
        const typed = typedOf(each, value)
        if (typed !== undefined) return { form, typed }
      }
      return undefined
    }
    case 'json':
      return JSON.stringify(value, null, 2)
  }
}

function typedIn(field: Field, value: Json | undefined): Typed | undefined {
  return value === undefined ? blankTyped(field) : typedOf(field, value)
}

function all(items: (Typed | undefined)[]): Typed[] | undefined {
  return items.every((item) => item !== undefined) ? items : undefined
}

function textOf({ tall, format, blank }: TextField, value: Json): string | undefined {
  if (value === null && blank === null) return ''
  if (typeof value !== 'string') return undefined
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined
  if (format === 'date-time') return localOf(value)
  // A line would lose its breaks.
  return tall || !/[\r\n]/.test(value) ? value : undefined
}

/** An instant as an input for local time has it: `2026-01-31T13:00`. Nothing where a text is no instant. */
function localOf(value: string): string | undefined {
  const atMs = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(atMs)) return undefined
  // The wall clock here, written as if it stood in Greenwich.
  const local = new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
  return local.replace(/(:00)?\.000$/, '')
}

/** The instant that a local time is, in UTC; nothing where it is none. */
export function instantOf(local: string): string | undefined {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z')
}

function pickedOf({ options, multi, other }: ChoiceField, value: Json): Picked | undefined {
  if (other && isObject(value) && typeof value.other === 'string') {
    const picked = pickedFrom(options, Array.isArray(value.selected) ? value.selected : [])
    return picked && { at: [...picked.at, somethingElse], other: value.other }
  }
  if (!multi) return pickedFrom(options, [value])
  return Array.isArray(value) ? pickedFrom(options, value) : undefined
}

function pickedFrom(options: ChoiceField['options'], values: Json[]): Picked | undefined {
  const at = values.map((value) => options.findIndex((option) => canonical(option.value) === canonical(value)))
  return at.includes(-1) || new Set(at).size < at.length ? undefined : { at }
}

/** The same, with something else typed at a place. What did not change is the same object as before. */
export function typedWith(whole: Typed, place: string, typed: Typed): Typed {
  if (place === '') return typed
  const end = place.indexOf('/', 1)
  const [step, rest] = end === -1 ? [place.slice(1), ''] : [place.slice(1, end), place.slice(end)]
  if (Array.isArray(whole)) return whole.with(Number(step), typedWith(whole[Number(step)] as Typed, rest, typed))
  const inForm = whole as InForm
  return { ...inForm, typed: typedWith(inForm.typed as Typed, rest, typed) }
}

/** Whether something, kept by who knows whom, is what can have been typed into this field. */
export function isTyped(field: Field, typed: unknown): typed is Typed {
  switch (field.kind) {
    case 'object':
      return (
        Array.isArray(typed) &&
        typed.length === field.fields.length &&
        field.fields.every((each, at) => isTyped(each, typed[at]))
      )
    case 'list':
      return Array.isArray(typed) && typed.length <= maxItems && typed.every((item) => isTyped(field.item, item))
    case 'choice':
      return isPicked(field, typed)
    case 'forms':
      return isInForm(field.forms, typed)
    default:
      return typeof typed === 'string'
  }
}

function isPicked({ options, multi, other }: ChoiceField, typed: unknown): typed is Picked {
  if (!isObject(typed) || !Array.isArray(typed.at) || !['undefined', 'string'].includes(typeof typed.other))
    return false
  const first = other ? somethingElse : 0
  const isOption = (at: unknown) => Number.isInteger(at) && (at as number) >= first && (at as number) < options.length
  return typed.at.every(isOption) && (multi || typed.at.length <= 1)
}

function isInForm(forms: Field[], typed: unknown): typed is InForm {
  if (!isObject(typed)) return false
  const { form } = typed
  if (form === undefined) return true
  const chosen = typeof form === 'number' ? forms[form] : undefined
  return chosen !== undefined && isTyped(chosen, typed.typed)
}
