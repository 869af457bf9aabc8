import { isObject, type Json } from 'querent/extension'
import { type Choice, prepare, type Question, questionLimits } from './spec.ts'

/* What is wrong with a question that a model wrote, in words with which it can repair it. Nobody is asked such a one. */

/** A question, or what to tell the model that wrote it. */
export type ReadQuestion = { ok: true; question: Question } | { ok: false; message: string }

type JsonObject = { [key: string]: Json }

const fields = ['question', 'choices', 'multi', 'other', 'shape']
/** What models call these fields in other dialects. */
const otherNames: { [name: string]: string[] } = {
  question: ['questions', 'prompt', 'text', 'message', 'query', 'q', 'title'],
  choices: ['choice', 'options', 'option', 'answers', 'values', 'enum', 'items', 'suggestions'],
  multi: ['multiple', 'multiselect', 'multichoice', 'many', 'allowmultiple'],
  other: ['others', 'allowother', 'freetext', 'freeform', 'custom', 'allowcustom'],
  shape: ['schema', 'jsonschema', 'format', 'type', 'answerschema', 'responseschema'],
}

/**
 * Prepares what a model wrote and says whether a person could answer it. If not, the message names each field that is
 * wrong, what was seen, and how to repair it.
 */
export function readQuestion(input: Json): ReadQuestion {
  const prepared = prepare(input)
  if (!isObject(prepared)) {
    return refusal([`the input is ${kindOf(prepared)}; send an object such as { "question": "…" }`])
  }
  const problems = [
    ...Object.keys(prepared)
      .filter((name) => !fields.includes(name))
      .map(unknownField),
    ...problemsOfQuestion(prepared.question),
    ...problemsOfChoices(prepared.choices),
    ...problemsOfFlag('multi', prepared),
    ...problemsOfFlag('other', prepared),
  ]
  return problems.length > 0 ? refusal(problems) : { ok: true, question: prepared as Question }
}

/** A model repairs a few problems at once; a list of 50 would only cost tokens. */
const maxProblems = 5

/** How a model is told that its question cannot be asked. */
export function refusal(problems: string[]): { ok: false; message: string } {
  const shown = problems.slice(0, maxProblems).join('. ')
  return { ok: false, message: `Nobody was asked: ${shown}. Repair this and call the tool again.` }
}

function unknownField(name: string): string {
  const key = name.toLowerCase().replace(/[^a-z]/g, '')
  const meant = fields.find((field) => field === key || otherNames[field]?.includes(key) || isNear(field, key))
  const hint = meant ? `did you mean "${meant}"?` : 'leave it out;'
  return `"${shorten(name)}" is no field of a question; ${hint} There are ${fields.join(', ')}`
}

/** Whether one letter was dropped, added or changed, or two changed places. */
function isNear(field: string, word: string): boolean {
  if (Math.abs(field.length - word.length) > 1 || word.length < 3) return false
  let start = 0
  while (start < word.length && field[start] === word[start]) start += 1
  const [a, b] = [field.slice(start), word.slice(start)]
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || a.slice(2) === b.slice(2)
}

function problemsOfQuestion(question: Json | undefined): string[] {
  if (question === undefined || question === null) return ['"question" is missing; write the question as one text']
  if (typeof question !== 'string') return [`"question" is ${kindOf(question)}; write the question as one text`]
  return isInvisible(question) ? ['"question" is empty; write what the person is to answer'] : []
}

function problemsOfChoices(choices: Json | undefined): string[] {
  if (choices === undefined) return []
  if (typeof choices === 'string') {
    return ['"choices" is a text; send a list of labels itself, not JSON in a text, such as ["Yes", "No"]']
  }
  if (!Array.isArray(choices)) return [`"choices" is ${kindOf(choices)}; send a list of labels, such as ["Yes", "No"]`]
  if (choices.length === 0) return ['"choices" is empty; give at least one choice, or leave it out for a free text']
  if (choices.length > questionLimits.choices) {
    return [
      `"choices" has ${choices.length} choices, at most ${questionLimits.choices} are shown; offer the likeliest and ` +
        'set "other": true, or ask for the group first',
    ]
  }
  const problems = choices.flatMap((choice, index) => problemsOfChoice(choice, `"choices[${index}]"`))
  return problems.length > 0 ? problems : problemsOfSameLabels(choices as Choice[])
}

function problemsOfChoice(choice: Json, at: string): string[] {
  if (typeof choice === 'string') return isInvisible(choice) ? [`${at} is empty; write a label, or leave it out`] : []
  if (!isObject(choice)) return [`${at} is ${kindOf(choice)}; write a label in quotes, or { "label", "description" }`]
  const problems: string[] = []
  for (const name of Object.keys(choice)) {
    if (name === 'label' || name === 'description') continue
    const meant = ['value', 'name', 'title', 'text', 'id', 'key', 'option', 'choice'].includes(name.toLowerCase())
    problems.push(`${at} has the unknown field "${shorten(name)}"; ${meant ? 'did you mean "label"?' : 'leave it out'}`)
  }
  const { label, description } = choice
  if (typeof label !== 'string')
    problems.push(`${at} has ${label === undefined ? 'no "label"' : `the label ${kindOf(label)}`}; write it as a text`)
  else if (isInvisible(label)) problems.push(`${at} has an empty label; write what the person is to choose`)
  if (description !== undefined && typeof description !== 'string') {
    problems.push(`${at} has the description ${kindOf(description)}; write it as a text, or leave it out`)
  }
  return problems
}

function problemsOfSameLabels(choices: Choice[]): string[] {
  const seen = new Map<string, number>()
  for (const [index, choice] of choices.entries()) {
    const label = typeof choice === 'string' ? choice : choice.label
    const first = seen.get(sameLabel(label))
    if (first !== undefined) {
      return [
        `"choices[${first}]" and "choices[${index}]" look the same to a person (${JSON.stringify(shorten(label))}); give ` +
          'each its own label',
      ]
    }
    seen.set(sameLabel(label), index)
  }
  return []
}

function problemsOfFlag(name: 'multi' | 'other', { [name]: value, choices }: JsonObject): string[] {
  if (value === undefined) return []
  if (typeof value !== 'boolean') return [`"${name}" is ${kindOf(value)}; send true or false, or leave it out`]
  if (!value || choices !== undefined) return []
  return [`"${name}" is true without "choices"; give choices, or leave it out: without choices any text is an answer`]
}

const spaces = /\p{White_Space}+/gu
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]+/gu

/** Whether nothing of a text can be seen. */
function isInvisible(text: string): boolean {
  return text.replace(spaces, '').replace(invisible, '') === ''
}

/** The same text for labels that a person cannot tell apart. Lower case of upper case folds more than either alone: ß, ς. */
function sameLabel(label: string): string {
  const folded = label.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replace(spaces, ' ').replace(invisible, '').trim()
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : String(value)
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text
}
