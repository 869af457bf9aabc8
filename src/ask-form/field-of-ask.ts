import { type Ask, askedOf, type Json } from '../protocol/core.ts'
import type { Field } from './field.ts'
import { fieldOfShape } from './fields-of.ts'
import type { AskFormTexts } from './texts.ts'

/** A question has at most 50, which lie open to be compared. Those of a stranger drop down, or are answered as JSON. */
const maxOpen = 50
const maxOptions = 2_000

/** The field of an ask: what its answer is made of. An approval has none. */
export function fieldOfAsk(ask: Ask, texts: AskFormTexts): Field | undefined {
  if (ask.kind === 'approval') return undefined
  const { choices, shape, isFree } = askedOf(ask)
  const base = { title: texts.yourAnswer, required: true }
  if (isFree) return { ...base, kind: 'text', tall: true }
  if (!choices) return shape === undefined ? { ...base, kind: 'json' } : fieldOfShape(shape, texts.yourAnswer, texts)
  if (choices.options.length > maxOptions) return { ...base, kind: 'json' }
  const { multi, other } = choices
  const options = choices.options.map((option) => ({ ...option, value: option.label }))
  const title = multi ? texts.chooseSeveral : texts.chooseOne
  const dropsDown = !multi && options.length > maxOpen
  return { ...base, title, kind: 'choice', options, multi, atLeastOne: multi, other, dropsDown }
}

const maxFields = 60
const maxDepth = 8
const tallFrom = 60

/** The input of a call as fields, made of the values that are there: a person changes those. */
export function fieldOfInput(input: Json, texts: AskFormTexts): Field {
  const field = fieldOfValue(input, { title: texts.input, required: true, initial: input }, texts)
  return countOf(field) > maxFields ? { title: texts.input, required: true, kind: 'json', initial: input } : field
}

type Base = { name?: string; title: string; required: true; initial: Json }

function fieldOfValue(value: Json, base: Base, texts: AskFormTexts, depth = 0): Field {
  if (typeof value === 'string') {
    const tall = /[\r\n]/.test(value) || value.length > tallFrom
    return { ...base, initial: value, kind: 'text', tall, blank: '' }
  }
  if (typeof value === 'number') return { ...base, initial: value, kind: 'number', whole: false }
  if (typeof value === 'boolean') {
    const options = [true, false].map((each) => ({ label: each ? texts.yes : texts.no, value: each }))
    return { ...base, kind: 'choice', options, multi: false }
  }
  const hasNone = value === null || Array.isArray(value) || Object.keys(value).length === 0
  if (hasNone || depth > maxDepth) return { ...base, kind: 'json' }
  const fields = Object.entries(value).map(([name, each]) =>
    fieldOfValue(each, { name, title: name, required: true, initial: each }, texts, depth + 1),
  )
  return { name: base.name, title: base.title, required: true, kind: 'object', fields }
}

function countOf(field: Field): number {
  return field.kind === 'object' ? field.fields.reduce((count, each) => count + countOf(each), 1) : 1
}
