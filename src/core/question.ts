import type { RunFacts } from './agent-facts.ts'
import type { AskOption, OpenedAsk } from './ask.ts'
import { endResult } from './end-result.ts'
import type { AskKind } from './extension.ts'
import { isObject, type Json, type JsonSchema } from './json.ts'
import { resultOf } from './tool.ts'

/*
 * What a question is, as data, whichever tool asks it: what is stored, what an answer must be, what a person reads of it,
 * what becomes of its end. Tools that ask share this, so that a screen that shows one shows every one. `read-question.ts`
 * makes a question of what a model wrote.
 */

/** One of the answers to choose from, as a model writes it. */
export type Choice = string | { label: string; description?: string }

/** A question that can be answered (its `shape` aside, which `checkShape` judges). */
export type Question = {
  question: string
  choices?: Choice[]
  multi?: boolean
  other?: boolean
  shape?: JsonSchema
}

type JsonObject = { [key: string]: Json }

/** Whether somebody is there who can answer: not in a delegated run, and not on a trigger that nobody waits behind. */
export function isAnswerable(run: RunFacts): boolean {
  return run.depth === 0 && (run.trigger === 'chat' || run.trigger === 'system')
}

/**
 * What a question is stored as, for `park`. `input` is what the model said, in the words of `tool`, and stays that: screens
 * show its `question`, `multi`, `other` and `shape`, and the choices from `options`.
 */
export function questionAsk(
  tool: string,
  input: Json,
  question: Question,
): Pick<OpenedAsk, 'kind' | 'tool' | 'input' | 'options'> & { answerSchema: JsonSchema } {
  const options = optionsOf(question)
  const answerSchema = answerSchemaOf(question)
  return { kind: 'question', tool, input, answerSchema, ...(options ? { options } : {}) }
}

/** The kind of every question: each extension that asks has this one among its `kinds`. */
export const questionKind: AskKind = {
  kind: 'question',
  describe,
  /** What the model hears when the question is over: the answer, or in words why there is none. */
  resolve: (ask, texts) =>
    ask.end.outcome === 'approved' ? resultOf(ask.end.data) : endResult(ask, texts, { defaultAnswer: true }),
}

/** The choices in one form, for screens; nothing for a question without. */
function optionsOf({ choices }: Question): AskOption[] | undefined {
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
  if (!isObject(schema)) return
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
function describe({ input, options = [] }: Pick<OpenedAsk, 'input' | 'options'>): string {
  const { question, shape } = isObject(input) ? input : { question: input }
  const lines = textsIn(question)
  for (const { label, description } of options) lines.push(label, ...textsIn(description))
  for (const schema of schemasIn(shape)) {
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
  if (!isObject(value)) return [String(value)]
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)])
}
