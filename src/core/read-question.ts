import { cut } from './cut.ts'
import { isObject, type Json } from './json.ts'
import { foldLabel, isInvisible } from './label.ts'
import type { Choice, Question } from './question.ts'

/*
 * Makes a question of what a model wrote, or says what is wrong with it in words with which it can repair it. Nobody is
 * asked a question that could not be answered.
 */

/** What is kept of a text, in bytes of UTF-8, and how many choices a person can look through. */
export const questionLimits = { questionBytes: 2000, labelBytes: 200, choices: 50 } as const

/** How a tool that asks calls the fields of its input. */
export interface QuestionDialect {
  /** The field with the choices. */
  choices: string
  /** All fields that the tool takes; beside the choices each has its name in `Question`. */
  fields: readonly string[]
}

/** A question as it is stored (`input`, prepared) and what it asks; or what to tell the model that wrote it. */
export type ReadQuestion = { ok: true; input: Json; question: Question } | { ok: false; message: string }

/** What models call these fields in other dialects. */
const otherNames: { [name: string]: string[] } = {
  question: ['questions', 'prompt', 'text', 'message', 'query', 'q', 'title'],
  choices: ['choice', 'choices', 'options', 'option', 'answers', 'values', 'enum', 'items', 'suggestions'],
  multi: ['multiple', 'multiselect', 'multichoice', 'many', 'allowmultiple'],
  other: ['others', 'allowother', 'freetext', 'freeform', 'custom', 'allowcustom'],
  shape: ['schema', 'jsonschema', 'format', 'type', 'answerschema', 'responseschema'],
}

/**
 * Prepares what a model wrote and says whether a person could answer it. Preparing: texts are trimmed and cut, optional
 * fields that are null are left out; twice changes nothing. If it cannot be asked, the message names each field that is
 * wrong, what was seen, and how to repair it.
 */
export function readQuestion(input: Json, dialect: QuestionDialect): ReadQuestion {
  const prepared = prepare(input, dialect)
  if (!isObject(prepared)) {
    return refusal([`the input is ${kindOf(prepared)}; send an object such as { "question": "…" }`])
  }
  const { [dialect.choices]: choices, ...fields } = prepared
  const problems = [
    ...Object.keys(prepared)
      .filter((name) => !dialect.fields.includes(name))
      .slice(0, maxProblems)
      .map((name) => unknownField(name, dialect)),
    ...problemsOfQuestion(fields.question),
    ...problemsOfChoices(choices, dialect.choices),
    ...problemsOfFlag('multi', { value: fields.multi, choices, dialect }),
    ...problemsOfFlag('other', { value: fields.other, choices, dialect }),
  ]
  if (problems.length > 0) return refusal(problems)
  const question = choices === undefined ? fields : { ...fields, choices }
  return { ok: true, input: prepared, question: question as Question }
}

/** What is of the wrong type stays as it is, to be named. */
function prepare(input: Json, dialect: QuestionDialect): Json {
  if (!isObject(input)) return input
  return withoutNull(input, (name, value) => {
    if (name === 'question') return cutText(value, questionLimits.questionBytes)
    if (name !== dialect.choices || !Array.isArray(value)) return value
    // More are refused: a list of a hundred thousand long ones need not be read to know that.
    return value.map((choice, index) => (index < questionLimits.choices ? prepareChoice(choice) : choice))
  })
}

function prepareChoice(choice: Json): Json {
  if (!isObject(choice)) return cutText(choice, questionLimits.labelBytes)
  return withoutNull(choice, (name, value) =>
    name === 'label' || name === 'description' ? cutText(value, questionLimits.labelBytes) : value,
  )
}

/** Models that must fill in every field write null for none. */
function withoutNull(fields: { [name: string]: Json }, prepareField: (name: string, value: Json) => Json): Json {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([name, value]) => [name, prepareField(name, value)]))
}

function cutText(value: Json, maxBytes: number): Json {
  return typeof value === 'string' ? cut(value, maxBytes) : value
}

/** A model repairs a few problems at once; a list of 50 would only cost tokens. */
const maxProblems = 5

/** How a model is told that its question cannot be asked. Each problem says what was seen and how to repair it. */
export function notAsked(problems: string[]): string {
  return `Nobody was asked: ${problems.slice(0, maxProblems).join('. ')}. Repair this and call the tool again.`
}

function refusal(problems: string[]): ReadQuestion {
  return { ok: false, message: notAsked(problems) }
}

function unknownField(name: string, { fields, choices }: QuestionDialect): string {
  const key = name.toLowerCase().replace(/[^a-z]/g, '')
  const namesOf = (field: string) => otherNames[field === choices ? 'choices' : field]
  const meant = fields.find((field) => field === key || namesOf(field)?.includes(key) || isNear(field, key))
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
  if (question === undefined) return ['"question" is missing; write the question as one text']
  if (typeof question !== 'string') return [`"question" is ${kindOf(question)}; write the question as one text`]
  return isInvisible(question) ? ['"question" is empty; write what the person is to answer'] : []
}

function problemsOfChoices(choices: Json | undefined, name: string): string[] {
  if (choices === undefined) return []
  if (typeof choices === 'string') {
    return [`"${name}" is a text; send a list of labels itself, not JSON in a text, such as ["Yes", "No"]`]
  }
  if (!Array.isArray(choices)) return [`"${name}" is ${kindOf(choices)}; send a list of labels, such as ["Yes", "No"]`]
  if (choices.length === 0) return [`"${name}" is empty; give at least one choice, or leave it out for a free text`]
  if (choices.length > questionLimits.choices) {
    return [
      `"${name}" has ${choices.length} choices, at most ${questionLimits.choices} are shown; offer the likeliest and ` +
        'set "other": true, or ask for the group first',
    ]
  }
  const problems = choices.flatMap((choice, index) => problemsOfChoice(choice, `"${name}[${index}]"`))
  return problems.length > 0 ? problems : problemsOfSameLabels(choices as Choice[], name)
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

function problemsOfSameLabels(choices: Choice[], name: string): string[] {
  const seen = new Map<string, number>()
  for (const [index, choice] of choices.entries()) {
    const label = typeof choice === 'string' ? choice : choice.label
    const first = seen.get(foldLabel(label))
    if (first !== undefined) {
      return [
        `"${name}[${first}]" and "${name}[${index}]" look the same to a person (${JSON.stringify(shorten(label))}); give ` +
          'each its own label',
      ]
    }
    seen.set(foldLabel(label), index)
  }
  return []
}

function problemsOfFlag(
  name: 'multi' | 'other',
  { value, choices, dialect }: { value: Json | undefined; choices: Json | undefined; dialect: QuestionDialect },
): string[] {
  if (value === undefined || !dialect.fields.includes(name)) return []
  if (typeof value !== 'boolean') return [`"${name}" is ${kindOf(value)}; send true or false, or leave it out`]
  if (!value || choices !== undefined) return []
  const field = dialect.choices
  return [
    `"${name}" is true without "${field}"; give ${field}, or leave it out: without ${field} any text is an answer`,
  ]
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
