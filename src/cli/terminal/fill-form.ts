import { isObject, type Json, type JsonSchema } from '../../core/json.ts'
import { type Field, fieldsOf, readField } from './fields.ts'
import { type Entry, Left, type Prompter } from './prompter.ts'

/** Asks for a shape, field by field. `before` is a former answer, shown to be mended. */
export async function fillForm(
  shape: JsonSchema,
  prompter: Prompter,
  options: { before?: Json; signal: AbortSignal },
): Promise<Json | Left> {
  const answers = new Map<string, Json>()
  for (const field of fieldsOf(shape)) {
    const given = await askField(withBefore(field, options.before), prompter, options.signal)
    if (given instanceof Left) return given
    if (field.name === undefined) return given === leftOut ? null : given
    if (given !== leftOut) answers.set(field.name, given)
  }
  // Own properties whatever they are called: `__proto__` is a name like any other.
  return Object.fromEntries(answers)
}

/** A field without an answer. Not `null`, which is one. */
const leftOut = Symbol('left out')

function withBefore(field: Field, before: Json | undefined): Field {
  if (field.name === undefined) return before === undefined ? field : { ...field, initial: before }
  if (!isObject(before)) return field
  return { ...field, initial: Object.hasOwn(before, field.name) ? before[field.name] : undefined }
}

async function askField(field: Field, prompter: Prompter, signal: AbortSignal): Promise<Json | typeof leftOut | Left> {
  const optional = field.required ? '' : ' (optional)'
  const description = field.description ? ` – ${field.description}` : ''
  const message = `${field.title}${optional}${description}`
  if (field.kind === 'choice') return askChoice(field, message, prompter, signal)
  if (field.kind === 'choices') return askChoices(field, message, prompter, signal)
  const typed = await prompter.text(field.kind === 'json' ? `${message} – as JSON` : message, {
    signal,
    initial: shown(field),
    problemOf(text) {
      const read = readField(field, text)
      return read !== 'left out' && 'problem' in read ? read.problem : undefined
    },
  })
  if (typed instanceof Left) return typed
  const read = readField(field, typed)
  return read === 'left out' || 'problem' in read ? leftOut : read.value
}

async function askChoice(field: Field, message: string, prompter: Prompter, signal: AbortSignal) {
  const entries: Entry<Json | typeof leftOut>[] = [...field.options]
  if (!field.required) entries.push({ value: leftOut, label: 'Leave it out' })
  const at = entries.findIndex(({ value }) => same(value, field.initial))
  return prompter.choose(message, entries, {
    initial: at === -1 ? (field.required ? 0 : entries.length - 1) : at,
    signal,
  })
}

async function askChoices(field: Field, message: string, prompter: Prompter, signal: AbortSignal) {
  const ticked = Array.isArray(field.initial) ? field.initial : []
  const initial = [...field.options.keys()].filter((at) =>
    ticked.some((value) => same(value, field.options[at]?.value)),
  )
  const chosen = await prompter.chooseSeveral(message, field.options, { required: false, initial, signal })
  if (chosen instanceof Left) return chosen
  return chosen.length === 0 && !field.required ? leftOut : chosen
}

function shown({ kind, initial }: Field): string {
  if (initial === undefined) return ''
  return typeof initial === 'string' && kind !== 'json' ? initial : JSON.stringify(initial)
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
