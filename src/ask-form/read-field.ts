import { type Issue, isObject, type Json, readValue } from '../protocol/core.ts'
import {
  type ChoiceField,
  type Field,
  type FormsField,
  type InForm,
  type Picked,
  somethingElse,
  type Typed,
} from './field.ts'
import { initialTyped, instantOf } from './typed.ts'

/** The server's word for what is not there; the form says it in its own. */
export const isRequired = 'is required'

/** What was typed, as a value; why it is none yet; or nothing, where nothing was given and nothing is needed. */
export type Read = { value: Json } | { issues: Issue[] } | 'left out'

/**
 * Reads what was typed. Types are converted and what is needed is missed: whether a value fits is the server's to judge.
 * `path` is the JSON Pointer of the field in the answer.
 */
export function readField(field: Field, typed: Typed, path = ''): Read {
  switch (field.kind) {
    case 'object':
      return readObject(field, typed as Typed[], path)
    case 'list':
      return readList(field, typed as Typed[], path)
    case 'choice':
      return readChoice(field, typed as Picked, path)
    case 'forms':
      return readForm(field, typed as InForm, path)
    default:
      return readText(field, typed as string, path)
  }
}

function readText(field: Field & { kind: 'text' | 'number' | 'json' }, typed: string, path: string): Read {
  if (typed.trim() === '') {
    const { blank } = field as { blank?: Json }
    if (field.required && blank !== undefined) return { value: blank === '' ? typed : blank }
    return nothing(field, path)
  }
  if (field.kind === 'text') {
    if (field.format === undefined) return { value: typed }
    const value = field.format === 'date-time' ? instantOf(typed) : typed.trim()
    return value === undefined ? { issues: [{ path, message: 'must be a date and time' }] } : { value }
  }
  const read = readValue(field.kind === 'number' ? { type: 'number' } : {}, typed)
  if ('problem' in read) return { issues: [{ path, message: read.problem }] }
  const isFraction = field.kind === 'number' && field.whole && !Number.isInteger(read.value)
  return isFraction ? { issues: [{ path, message: 'must be a whole number' }] } : read
}

/** Where nothing was given. */
function nothing({ required }: Field, path: string): Read {
  return required ? { issues: [{ path, message: isRequired }] } : 'left out'
}

function readChoice(field: ChoiceField, { at, other = '' }: Picked, path: string): Read {
  const inOrder = at.filter((index) => index !== somethingElse).sort((one, two) => one - two)
  const selected = inOrder.map((index) => field.options[index]?.value as Json)
  if (at.includes(somethingElse)) {
    if (other.trim() === '') return { issues: [{ path: `${path}/other`, message: isRequired }] }
    return { value: { selected, other } }
  }
  if (selected.length === 0 && (!field.multi || field.atLeastOne || !field.required)) return nothing(field, path)
  return { value: field.multi ? selected : (selected[0] as Json) }
}

function readObject(field: Field & { kind: 'object' }, typed: Typed[], path: string): Read {
  const issues: Issue[] = []
  const values: [string, Json][] = []
  for (const [at, each] of field.fields.entries()) {
    const { name = '' } = each
    const read = readField(each, typed[at] as Typed, `${path}/${escapeStep(name)}`)
    if (read === 'left out') continue
    if ('issues' in read) issues.push(...read.issues)
    else values.push([name, read.value])
  }
  // An object that need not be there is left out by leaving it as it was.
  if (!field.required && (issues.length > 0 ? isUntouched(field, typed) : values.length === 0)) return 'left out'
  // Own properties whatever they are called: `__proto__` is a name like any other.
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) }
}

function isUntouched(field: Field, typed: Typed): boolean {
  return JSON.stringify(typed) === JSON.stringify(initialTyped(field))
}

function readList(field: Field & { kind: 'list' }, typed: Typed[], path: string): Read {
  if (typed.length === 0 && !field.required) return 'left out'
  const items = typed.map((item, at) => readField(field.item, item, `${path}/${at}`))
  const issues = items.flatMap((read) => (isObject(read) && 'issues' in read ? (read.issues as Issue[]) : []))
  if (issues.length > 0) return { issues }
  return { value: items.map((read) => (read as { value: Json }).value) }
}

function readForm(field: FormsField, { form, typed }: InForm, path: string): Read {
  const chosen = form === undefined ? undefined : field.forms[form]
  return chosen === undefined ? nothing(field, path) : readField(chosen, typed as Typed, path)
}

/** A name as a step of a JSON Pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** One list for all fields in which nothing is wrong, so that they are seen not to have changed. */
export const noIssues: readonly Issue[] = []

/** What of these stands at a place or below, told from there. */
export function issuesBelow(issues: readonly Issue[], step: string): readonly Issue[] {
  if (issues.length === 0) return noIssues
  const prefix = `/${step}`
  const below = issues.flatMap(({ path, message }) =>
    path === prefix || path.startsWith(`${prefix}/`) ? [{ path: path.slice(prefix.length), message }] : [],
  )
  return below.length === 0 ? noIssues : below
}
