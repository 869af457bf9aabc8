import { type Ask, askedOf, canonical, type Issue, type Json } from '../protocol/core.ts'
import type { Draft } from './draft.ts'
import type { Field, JsonField, Typed } from './field.ts'
import { fieldOfAsk, fieldOfInput } from './field-of-ask.ts'
import { readField } from './read-field.ts'
import type { AskFormTexts } from './texts.ts'
import { initialTyped, isTyped, typedOf, typedWith } from './typed.ts'

/** What an answer is made of, whatever has been typed. */
export interface AnswerForm {
  ask: Ask
  /** Nothing for an approval whose input may not be changed. */
  form: Field | undefined
  /** The same answer as JSON, for what a form cannot say: an empty text, `null`, a key of the person's own. */
  json: JsonField
  /** Where in the answer the field stands, as a JSON Pointer. */
  path: string
}

export function answerFormOf(ask: Ask, texts: AskFormTexts): AnswerForm {
  const json: JsonField = { title: texts.yourAnswer, required: true, kind: 'json' }
  if (ask.kind !== 'approval') return { ask, form: fieldOfAsk(ask, texts), json, path: '' }
  const form = ask.editable ? fieldOfInput(ask.input, texts) : undefined
  return { ask, form, json: { ...json, title: texts.input }, path: '/input' }
}

/** Whether the input of an approval is being changed. */
export function isEditing({ ask, form }: AnswerForm, draft: Draft): boolean {
  return ask.kind === 'approval' && form !== undefined && (draft.typed !== undefined || draft.json !== undefined)
}

/** The field that is shown, and what stands in it. */
export interface Shown {
  field: Field
  typed: Typed
}

/** Nothing is shown for an approval of the input as it is. */
export function shownOf(answer: AnswerForm, draft: Draft): Shown | undefined {
  const { ask, form, json } = answer
  if (!form || (ask.kind === 'approval' && !isEditing(answer, draft))) return undefined
  if (draft.json !== undefined) return { field: json, typed: draft.json }
  return { field: form, typed: isTyped(form, draft.typed) ? draft.typed : initialTyped(form) }
}

/** The draft with something typed at a place of the field that is shown. */
export function draftWith(answer: AnswerForm, draft: Draft, { place, typed }: { place: string; typed: Typed }): Draft {
  if (draft.json !== undefined) return { ...draft, json: typed as string }
  const shown = shownOf(answer, draft)
  return shown ? { ...draft, typed: typedWith(shown.typed, place, typed) } : draft
}

/** What is to be sent. An approval sends an input only where it was changed. */
export function answerOf(answer: AnswerForm, draft: Draft): { data?: Json } | { issues: Issue[] } {
  const shown = shownOf(answer, draft)
  if (!shown) return {}
  const read = readField(shown.field, shown.typed, answer.path)
  if (read === 'left out') return {}
  if ('issues' in read) return read
  if (answer.ask.kind !== 'approval') return { data: read.value }
  return canonical(read.value) === canonical(answer.ask.input) ? {} : { data: { input: read.value } }
}

/** Whether JSON can say what the form cannot: an empty text, a key without a field, `null` in a place of its own. */
export function canSwitch({ ask, form }: AnswerForm): boolean {
  if (form === undefined || form.kind === 'json' || form.kind === 'choice' || form.kind === 'number') return false
  return ask.kind === 'approval' || !askedOf(ask).isFree
}

/** From the form to JSON: what it says, if it says something. What was typed is kept for the way back. */
export function asJson(answer: AnswerForm, draft: Draft): Draft {
  const shown = shownOf(answer, draft)
  const read = shown ? readField(shown.field, shown.typed) : 'left out'
  const text = read !== 'left out' && 'value' in read ? JSON.stringify(read.value, null, 2) : ''
  return { ...draft, json: text }
}

/** From JSON back to the form; nothing where the form cannot show what was written. */
export function asForm({ form, json }: AnswerForm, draft: Draft): Draft | undefined {
  const text = draft.json ?? ''
  if (!form || text.trim() === '') return { ...draft, json: undefined }
  const read = readField(json, text)
  const typed = read !== 'left out' && 'value' in read ? typedOf(form, read.value) : undefined
  return typed === undefined ? undefined : { ...draft, json: undefined, typed }
}
