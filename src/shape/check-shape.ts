import { isObject, type Json } from '../core/json.ts'
import { whatIsNoJson } from './check-size.ts'
import { closest } from './closest.ts'
import { looksAgain } from './cost.ts'
import { bytesOf, excessOf } from './excess.ts'
import {
  childrenOf,
  type Dialect,
  dialectOf,
  escapeStep,
  type Holds,
  keywordOf,
  keywordsOf,
  placeBelow,
  type Subschema,
} from './keywords.ts'
import { loadPatternCompiler, type PatternCompiler } from './pattern.ts'
import { problemsOfReferences } from './references.ts'

/** What a shape may have at most. Within these it can be compiled and shown as a form; see `cost.ts` for answers. */
export const shapeLimits = {
  bytes: 32 * 1024,
  /** Schemas inside schemas. */
  depth: 16,
  subschemas: 400,
  /** Subschemas after following every reference. */
  reachedSubschemas: 2000,
  properties: 200,
  enumValues: 500,
  patterns: 20,
  patternCharacters: 256,
  /** `unevaluatedProperties` and `unevaluatedItems`: one inside another was seen to take minutes for 30 fields. */
  unevaluated: 1,
} as const

/** Lists and objects inside each other, in the JSON text of a shape: each schema takes at most three. */
const maxNesting = 3 * shapeLimits.depth
/** A model repairs a few problems at once; more would only cost tokens. */
const maxProblems = 3

/** Whether a shape can be asked for. If not, `message` tells a model where, what was seen, and how to repair it. */
export type ShapeCheck = { ok: true } | { ok: false; message: string }

/**
 * Checks a JSON Schema that a model wrote, before anyone is asked: whether it is one, in a dialect we know, without
 * anything that could not be checked later in bounded time. Nothing is fetched, and nothing is kept between calls.
 */
export async function checkShape(shape: Json): Promise<ShapeCheck> {
  const problems = problemsOfWhole(shape) ?? (await problemsOfParts(shape))
  if (problems.length === 0) return { ok: true }
  return { ok: false, message: problems.slice(0, maxProblems).join('\n') }
}

/** What forbids even to look into the shape. */
function problemsOfWhole(shape: Json): string[] | undefined {
  if (typeof shape === 'string')
    return ['The shape is a text. Send the JSON Schema itself as an object, not as JSON in a text.']
  if (shape === false) return ['The shape is false: no answer would fit. Leave shape out, or say what fits.']
  if (shape !== true && !isObject(shape)) return [`The shape is ${kindOf(shape)}. Send a JSON Schema object.`]
  const excess = excessOf(shape, { nesting: maxNesting, bytes: shapeLimits.bytes })
  if (excess === 'nesting') return [`The shape has lists and objects more than ${maxNesting} deep. Make it flatter.`]
  if (excess === 'bytes' || bytesOf(shape) > shapeLimits.bytes)
    return [`The shape is larger than ${shapeLimits.bytes} bytes. Ask for less in one question.`]
  // `1e400` is read as a number that JSON cannot write: stored, an `enum` of it would be one of null.
  const lost = whatIsNoJson(shape)
  if (lost) return [`At #${lost.path}: ${lost.message}. Numbers are below 1.8e308.`]
  if (dialectOf(shape) !== undefined) return undefined
  return [
    `At #/$schema: ${quote((shape as { $schema: Json }).$schema)} is not a dialect that can be checked. Leave $schema out ` +
      '(draft 2020-12), or write "http://json-schema.org/draft-07/schema#".',
  ]
}

async function problemsOfParts(shape: Json): Promise<string[]> {
  const dialect = dialectOf(shape) as Dialect
  const walk = walkShape(shape, dialect)
  if (walk.problems.length > 0) return walk.problems
  const problems = problemsOfReferences(walk.subschemas, dialect, shapeLimits.reachedSubschemas)
  if (problems.length > 0 || walk.patterns.length === 0) return problems
  return problemsOfPatterns(walk.patterns, await loadPatternCompiler())
}

interface Walk {
  subschemas: Subschema[]
  patterns: { place: string; source: string }[]
  problems: string[]
}

/** Looks at every subschema once. Ends at the first limit: what lies behind it may be of any size. */
function walkShape(shape: Json, dialect: Dialect): Walk {
  const walk: Walk = { subschemas: [], patterns: [], problems: [] }
  const counts = { properties: 0, enumValues: 0, unevaluated: 0 }
  const todo = [{ place: '#', schema: shape, depth: 1 }]
  for (let next = todo.pop(); next && walk.problems.length < maxProblems; next = todo.pop()) {
    const { place, schema, depth } = next
    walk.subschemas.push({ place, schema })
    if (depth > shapeLimits.depth) return tooMany(walk, place, 'schemas inside each other', shapeLimits.depth)
    if (walk.subschemas.length > shapeLimits.subschemas)
      return tooMany(walk, place, 'subschemas', shapeLimits.subschemas)
    if (typeof schema === 'boolean') continue
    if (!isObject(schema)) {
      walk.problems.push(
        `${atPlace(place)} ${kindOf(schema)} stands where a JSON Schema must (an object, true or false).`,
      )
      continue
    }
    walk.problems.push(...problemsOfKeywords(schema, place, dialect))
    walk.patterns.push(...patternsOf(schema, place))
    counts.properties += isObject(schema.properties) ? Object.keys(schema.properties).length : 0
    counts.enumValues += Array.isArray(schema.enum) ? schema.enum.length : 0
    counts.unevaluated += looksAgain(schema) ? 1 : 0
    if (counts.unevaluated > shapeLimits.unevaluated)
      return tooMany(walk, place, 'unevaluated… keyword', shapeLimits.unevaluated)
    if (counts.properties > shapeLimits.properties) return tooMany(walk, place, 'properties', shapeLimits.properties)
    if (counts.enumValues > shapeLimits.enumValues) return tooMany(walk, place, 'enum values', shapeLimits.enumValues)
    if (walk.patterns.length > shapeLimits.patterns) return tooMany(walk, place, 'patterns', shapeLimits.patterns)
    for (const child of childrenOf(schema, dialect)) {
      todo.push({ place: placeBelow(place, child), schema: child.schema, depth: depth + 1 })
    }
  }
  return walk
}

function tooMany(walk: Walk, place: string, what: string, limit: number): Walk {
  walk.problems.push(`${atPlace(place)} the shape has more than ${limit} ${what}. Ask for less in one question.`)
  return walk
}

function problemsOfKeywords(schema: { [keyword: string]: Json }, place: string, dialect: Dialect): string[] {
  const problems: string[] = []
  for (const [name, value] of Object.entries(schema)) {
    const at = atPlace(`${place}/${escapeStep(name)}`)
    const keyword = keywordOf(name, dialect)
    if (keyword === undefined) problems.push(`${at} ${unknownKeyword(name, dialect)}`)
    else if (keyword.rootOnly && place !== '#') {
      problems.push(`${at} "${name}" may stand on the outermost schema only. Leave it out here.`)
    } else if (keyword.expects && !keyword.expects.fits(value)) {
      problems.push(`${at} ${quote(value)} does not fit. Write ${keyword.expects.text}.`)
    } else if (keyword.holds) {
      const expected = misheld(keyword.holds, value)
      if (expected) problems.push(`${at} ${kindOf(value)} does not fit. Write ${expected}.`)
    }
  }
  return problems
}

/** What was expected of a keyword that holds schemas, where it holds something else. */
function misheld(holds: Holds, value: Json): string | undefined {
  if (holds === 'list')
    return Array.isArray(value) && value.length > 0 ? undefined : 'a list with at least one JSON Schema'
  if (holds === 'map' || holds === 'definitions')
    return isObject(value) ? undefined : 'an object of JSON Schemas by name'
  if (holds === 'dependencies') {
    const fits =
      isObject(value) &&
      Object.values(value).every((each) => !Array.isArray(each) || each.every((v) => typeof v === 'string'))
    return fits ? undefined : 'an object of JSON Schemas, or of lists of names, by name'
  }
  return undefined
}

function unknownKeyword(name: string, dialect: Dialect): string {
  const shown = quote(name)
  if (name === '$dynamicRef' || name === '$dynamicAnchor') return `${shown} cannot be used. Write $ref and $defs.`
  const other: Dialect = dialect === '2020-12' ? 'draft-07' : '2020-12'
  if (keywordOf(name, other))
    return `${shown} is no keyword of ${dialect}, but of ${other}. Leave it out, or say "$schema".`
  const meant = closest(name, keywordsOf(dialect))
  return `${shown} is no keyword of JSON Schema. ${meant ? `Did you mean "${meant}"?` : 'Leave it out.'}`
}

function patternsOf(schema: { [keyword: string]: Json }, place: string): Walk['patterns'] {
  const patterns: Walk['patterns'] = []
  if (typeof schema.pattern === 'string') patterns.push({ place: `${place}/pattern`, source: schema.pattern })
  const byName = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  for (const source of byName) patterns.push({ place: `${place}/patternProperties`, source })
  return patterns
}

function problemsOfPatterns(patterns: Walk['patterns'], compile: PatternCompiler): string[] {
  const problems: string[] = []
  for (const { place, source } of patterns) {
    if (source.length > shapeLimits.patternCharacters) {
      problems.push(
        `${atPlace(place)} the pattern has more than ${shapeLimits.patternCharacters} characters. Write a shorter one.`,
      )
      continue
    }
    const compiled = compile(source)
    if (!compiled.ok) problems.push(`${atPlace(place)} the pattern ${quote(source)} ${compiled.problem}.`)
  }
  return problems
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : quote(value)
}

/** Where a problem is; a place with a name of thousands of characters is told by its two ends. */
function atPlace(place: string): string {
  return place.length <= 200 ? `At ${place}:` : `At ${place.slice(0, 100)}…${place.slice(-100)}:`
}

/** A value as a message shows it: short, whatever it is. */
function quote(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`
}
