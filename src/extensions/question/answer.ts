import type { Json, JsonSchema } from 'querent/extension'
import { optionsOf, type Question } from './spec.ts'

/* What an answer to a question must be, and all that a person reads of one. Pure, and without imports at run time but
 * its neighbour: the page uses it too. */

type Schema = { [keyword: string]: Json }

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

function choicesSchemaOf(question: Question): Schema {
  const labels = (optionsOf(question) ?? []).map(({ label }) => label)
  const several = { type: 'array', items: { enum: labels }, uniqueItems: true }
  const chosen: Schema = question.multi ? { ...several, minItems: 1 } : { enum: labels }
  if (!question.other) return chosen
  const withOther: Schema = {
    properties: { selected: question.multi ? several : { ...several, maxItems: 1 }, other: { type: 'string' } },
    additionalProperties: false,
    if: { properties: { other: notBlank }, required: ['other'] },
    // biome's rule against `then` is for promises; these are keywords of JSON Schema.
    ...Object.fromEntries([
      ['then', question.multi ? {} : { properties: { selected: { maxItems: 0 } } }],
      ['else', { properties: { selected: { minItems: 1 } }, required: ['selected'] }],
    ]),
  }
  return Object.fromEntries([
    ['if', { type: 'object' }],
    ['then', withOther],
    ['else', chosen],
  ])
}

/** A shape that stands at another place: its references, which count from the outermost schema, follow it. */
function movedTo(place: string, shape: Schema): Schema {
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
function* schemasIn(schema: Json | undefined): Generator<Schema> {
  if (Array.isArray(schema)) for (const each of schema) yield* schemasIn(each)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  yield schema
  for (const [keyword, value] of Object.entries(schema)) {
    if (values.includes(keyword)) continue
    if (!byName.includes(keyword)) yield* schemasIn(value)
    else for (const each of Object.values(value as Schema)) yield* schemasIn(each)
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
    for (const keyword of byName) lines.push(...Object.keys((schema[keyword] ?? {}) as Schema))
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
