import type { AskOption, Json, JsonSchema } from 'querent/extension'

/*
 * What a question is, as data: how it is prepared, what an answer must be, and what a person reads of it. Pure and
 * without imports at run time: the page uses it too.
 */

/** One of the answers to choose from, as a model writes it. */
export type Choice = string | { label: string; description?: string }

/** A question that was prepared and can be answered (its `shape` aside, which `checkShape` judges). */
export type Question = {
  question: string
  choices?: Choice[]
  multi?: boolean
  other?: boolean
  shape?: JsonSchema
}

/** What is kept of a text, in bytes of UTF-8, and how many choices a person can look through. */
export const questionLimits = { questionBytes: 2000, labelBytes: 200, choices: 50 } as const

type JsonObject = { [key: string]: Json }

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Brings what a model wrote into the form that is stored, shown and sent back: texts trimmed and cut, optional fields
 * that are null left out. What is of the wrong type stays as it is, for `readQuestion` to name. Preparing twice changes
 * nothing.
 */
export function prepare(input: Json): Json {
  if (!isObject(input)) return input
  const kept = Object.entries(input).filter(([name, value]) => value !== null || name === 'question')
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (name === 'question') return [name, cutText(value, questionLimits.questionBytes)]
      if (name === 'choices' && Array.isArray(value)) return [name, value.map(prepareChoice)]
      return [name, value]
    }),
  )
}

function prepareChoice(choice: Json): Json {
  if (!isObject(choice)) return cutText(choice, questionLimits.labelBytes)
  const kept = Object.entries(choice).filter(([name, value]) => value !== null || name === 'label')
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'label' || name === 'description' ? cutText(value, questionLimits.labelBytes) : value,
    ]),
  )
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

function cutText(value: Json, maxBytes: number): Json {
  return typeof value === 'string' ? cut(value, maxBytes) : value
}

/**
 * Trims a text and cuts it to `maxBytes` of UTF-8: between two characters as people see them, or between two code
 * points where a single one of those is longer. Halves of surrogate pairs are replaced: no database could keep them.
 */
export function cut(text: string, maxBytes: number): string {
  const whole = text.trim().toWellFormed()
  if (whole.length <= maxBytes && bytesOf(whole) <= maxBytes) return whole
  // A character has a byte at least, so what is kept lies in front of this; a text of megabytes is not segmented.
  const front = whole.slice(0, maxBytes + 1)
  const characters = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(front)
  const kept = longestPrefix(
    Array.from(characters, ({ segment }) => segment),
    maxBytes,
  )
  return (kept || longestPrefix([...front], maxBytes)).trim()
}

function longestPrefix(pieces: string[], maxBytes: number): string {
  let kept = ''
  let bytes = 0
  for (const piece of pieces) {
    bytes += bytesOf(piece)
    if (bytes > maxBytes) break
    kept += piece
  }
  return kept
}

/** The choices in one form, for screens; nothing for a question without. */
export function optionsOf({ choices }: Question): AskOption[] | undefined {
  return choices?.map((choice) => (typeof choice === 'string' ? { label: choice } : { ...choice }))
}

/** A text in which something can be seen. */
const notBlank = { type: 'string', pattern: '\\S' }

/**
 * The whole check of an answer as one JSON Schema: a text that is not blank; or the choices; or the shape; or both.
 * It is stored with the ask, so that whoever settles it needs to know nothing of questions.
 */
export function answerSchemaOf(question: Question): JsonSchema {
  const { shape } = question
  if (question.choices === undefined) return shape ?? notBlank
  const choices = choicesSchemaOf(question)
  if (typeof shape !== 'object') return choices
  const { $schema, $id: _, ...rest } = shape
  // In a branch of its own the shape is what it was: none of its keywords sees those of the choices, and a `$ref` of
  // draft-07, which hides its neighbours, hides nothing.
  const both = { allOf: [choices, movedTo('#/allOf/1', rest)] }
  return $schema === undefined ? both : { $schema, ...both }
}

function choicesSchemaOf(question: Question): JsonObject {
  const labels = (optionsOf(question) ?? []).map(({ label }) => label)
  const several = { type: 'array', items: { enum: labels }, uniqueItems: true }
  const chosen: JsonObject = question.multi ? { ...several, minItems: 1 } : { enum: labels }
  if (!question.other) return chosen
  const oneAtMost: JsonObject = question.multi ? {} : { maxItems: 1 }
  const isSaid = { properties: { other: notBlank }, required: ['other'] }
  const whenSaid = question.multi ? true : { properties: { selected: { maxItems: 0 } } }
  const whenNot = { properties: { selected: { minItems: 1 } }, required: ['selected'] }
  const withOther = {
    properties: { selected: { ...several, ...oneAtMost }, other: { type: 'string' } },
    additionalProperties: false,
    ...conditional(isSaid, whenSaid, whenNot),
  }
  return conditional({ type: 'object' }, withOther, chosen)
}

/** A form by a condition tells a person what is wrong with the form they meant; `anyOf` says only that none fits. */
function conditional(condition: Json, met: Json, otherwise: Json): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', met],
    ['else', otherwise],
  ])
}

/** A shape that stands at another place: its references, which count from the outermost schema, follow it. */
function movedTo(place: string, shape: JsonObject): JsonObject {
  const moved = structuredClone(shape)
  for (const schema of schemasIn(moved)) {
    if (typeof schema.$ref === 'string' && /^#(\/|$)/.test(schema.$ref)) schema.$ref = place + schema.$ref.slice(1)
  }
  return moved
}

/** Keywords whose values are schemas by name, and those whose values only look like schemas. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const values = ['enum', 'const', 'default', 'examples', 'required', 'dependentRequired', 'type']

/** A schema and all schemas inside it. */
function* schemasIn(schema: Json | undefined): Generator<JsonObject> {
  if (Array.isArray(schema)) for (const each of schema) yield* schemasIn(each)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  yield schema
  for (const [keyword, value] of Object.entries(schema)) {
    if (values.includes(keyword)) continue
    if (!byName.includes(keyword)) yield* schemasIn(value)
    else for (const each of Object.values(value as JsonObject)) yield* schemasIn(each)
  }
}

/**
 * All that a person would read of a question, one text a line, for the out guards: the question, labels, descriptions,
 * and of the shape every name, title, description, allowed value, default and example. Texts stand as they are, not as
 * JSON: an escape must not hide a word from a guard.
 */
export function describe(question: Question): string {
  const lines: string[] = [question.question]
  for (const { label, description } of optionsOf(question) ?? []) lines.push(label, ...textsIn(description))
  for (const schema of schemasIn(question.shape)) {
    for (const keyword of ['title', 'description', '$comment', 'pattern', ...values]) {
      if (keyword !== 'type') lines.push(...textsIn(schema[keyword]))
    }
    for (const keyword of byName) lines.push(...Object.keys((schema[keyword] ?? {}) as JsonObject))
  }
  return lines.join('\n')
}

/** Every text, number and name in a value. */
function textsIn(value: Json | undefined): string[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)])
}
