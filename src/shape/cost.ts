import { isObject, type Json, type JsonSchema } from '../core/json.ts'
import { dialectOf, subschemasOf } from './keywords.ts'
import type { PatternCompiler } from './pattern.ts'
import { reach } from './references.ts'

/**
 * The most that is checked in place, in units of `costOf`: some milliseconds. Nearly every answer of a person costs
 * less; what costs more goes to the worker.
 */
export const maxCostInPlace = 20_000

/** A reference is compiled anew each time it is followed. */
const referenceWeight = 20
/** Characters that are compared or copied in the time of one step. */
const charactersPerStep = 16

/**
 * Estimates from above what a check takes, without making it: every subschema may meet every part of the value, every
 * pattern every character. Endless where that says nothing: for `unevaluated…`, which looks at all subschemas again at
 * each level; for a schema that refers to itself, and a pattern that only the native engine runs (a developer's own: a
 * shape has neither).
 */
export function costOf(schema: JsonSchema, data: Json, compile: PatternCompiler): number {
  const dialect = dialectOf(schema) ?? '2020-12'
  const subschemas = subschemasOf(schema, dialect)
  const steps = reach(subschemas, dialect, stepsOf)
  if (steps.recursive || subschemas.some(({ schema }) => isObject(schema) && looksAgain(schema))) {
    return Number.POSITIVE_INFINITY
  }
  const patterns = reach(subschemas, dialect, (each) => programSizeOf(each, compile))
  const { parts, characters } = extentOf(data)
  return steps.reached * (parts + characters / charactersPerStep) + patterns.reached * characters
}

function stepsOf(schema: { [keyword: string]: Json }): number {
  const compared = [schema.enum, schema.const].filter((value) => value !== undefined)
  const characters = compared.length > 0 ? JSON.stringify(compared).length : 0
  return 1 + characters / charactersPerStep + (schema.$ref === undefined ? 0 : referenceWeight)
}

/** Whether a keyword of the schema asks what all others have seen: the library validates them anew to know. */
export function looksAgain(schema: { [keyword: string]: Json }): boolean {
  return schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined
}

function programSizeOf(schema: { [keyword: string]: Json }, compile: PatternCompiler): number {
  const sources = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  if (typeof schema.pattern === 'string') sources.push(schema.pattern)
  // A format is a fixed expression of the library; it reads no more than a pattern does.
  let size = schema.format === undefined ? 0 : 1
  for (const source of sources) {
    const compiled = compile(source)
    size += compiled.ok ? compiled.pattern.size : Number.POSITIVE_INFINITY
  }
  return size
}

/** Values in a value, itself included, and the characters of its texts and names. */
function extentOf(data: Json): { parts: number; characters: number } {
  let parts = 0
  let characters = 0
  const todo: Json[] = [data]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    parts += 1
    if (typeof next === 'string') characters += next.length
    else if (typeof next === 'object' && next !== null) {
      if (!Array.isArray(next)) characters += Object.keys(next).join('').length
      todo.push(...Object.values(next))
    }
  }
  return { parts, characters }
}
