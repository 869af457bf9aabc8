import { isObject, type Json } from '../../src/core/json.ts'
import type { Tape } from '../property/tape.ts'
import { fromEntries, names, scalars } from './random-shape.ts'

/* Answers to a shape: made to fit it as far as one look at each keyword can, and now and then changed in one place. */

/** An answer that probably fits. What a reference points at is not looked up: a guess will do. */
export function fitting(schema: Json | undefined, tape: Tape, depth = 4): Json {
  if (!isObject(schema) || depth === 0) return tape.oneOf(scalars)
  if (schema.const !== undefined && !tape.chance(8)) return schema.const
  if (Array.isArray(schema.enum) && !tape.chance(8)) return tape.oneOf(schema.enum)
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] as Json[] | undefined) ?? [])
  if (branches.length > 0 && tape.chance(3)) return fitting(tape.oneOf(branches), tape, depth - 1)
  if (schema.then !== undefined && tape.chance(4)) return fitting(schema.then, tape, depth - 1)
  const types = [schema.type ?? []].flat()
  switch (types.length > 0 ? tape.oneOf(types) : typeByKeywords(schema, tape)) {
    case 'array':
      return list(schema, tape, depth - 1)
    case 'object':
      return object(schema, tape, depth - 1)
    case 'string':
      return text(schema, tape)
    case 'boolean':
      return tape.chance(2)
    case 'null':
      return null
    case 'integer':
    case 'number':
      return number(schema, tape)
    default:
      return tape.oneOf(scalars)
  }
}

function typeByKeywords(schema: { [keyword: string]: Json }, tape: Tape): string {
  if (schema.properties ?? schema.required ?? schema.patternProperties ?? schema.dependentRequired) return 'object'
  if (schema.items ?? schema.prefixItems ?? schema.contains) return 'array'
  if (schema.pattern ?? schema.minLength ?? schema.maxLength) return 'string'
  return tape.chance(3) ? 'number' : 'any'
}

function list(schema: { [keyword: string]: Json }, tape: Tape, depth: number): Json {
  const tuple = (schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])) as Json[]
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  const least = Number(schema.minItems ?? schema.minContains ?? 0)
  const length = Math.max(least, tape.pick(tuple.length + 3))
  return Array.from({ length }, (_, at) => {
    if (schema.contains !== undefined && tape.chance(3)) return fitting(schema.contains, tape, depth)
    return fitting(tuple[at] ?? rest, tape, depth)
  })
}

function object(schema: { [keyword: string]: Json }, tape: Tape, depth: number): Json {
  const properties = (isObject(schema.properties) ? schema.properties : {}) as { [name: string]: Json }
  const wanted = new Set([
    ...((schema.required ?? []) as string[]),
    ...Object.keys(properties).filter(() => !tape.chance(3)),
  ])
  if (tape.chance(2)) wanted.add(tape.oneOf(names))
  const valueFor = (name: string): Json =>
    fitting(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, tape, depth)
  return fromEntries([...wanted].map((name) => [name, valueFor(name)]))
}

function text({ minLength = 0, maxLength = 4, pattern }: { [keyword: string]: Json }, tape: Tape): Json {
  if (pattern !== undefined && !tape.chance(4)) return tape.oneOf(['ab', 'a', 'b', '12', '', 'abab', 'zz'])
  const length = Math.min(Number(minLength) + tape.pick(3), Math.max(Number(maxLength), 0))
  return Array.from({ length }, () => tape.oneOf(['a', 'b', 'é', '👍', '1', ' '])).join('')
}

function number(schema: { [keyword: string]: Json }, tape: Tape): Json {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0)
  const step = Number(schema.multipleOf ?? 1)
  const most = Number(schema.maximum ?? schema.exclusiveMaximum ?? least)
  return tape.oneOf([least, most, Math.ceil(least / step) * step + step, least + 0.5, Math.floor(most / step) * step])
}

/** The same answer but for one place: something more, something less, something else. */
export function nearMiss(answer: Json, tape: Tape): Json {
  if (Array.isArray(answer) && answer.length > 0 && !tape.chance(4)) {
    const at = tape.pick(answer.length)
    if (tape.chance(3)) return answer.toSpliced(at, 1)
    if (tape.chance(3)) return [...answer, answer[at] as Json]
    return answer.with(at, nearMiss(answer[at] as Json, tape))
  }
  if (isObject(answer) && !tape.chance(4)) {
    const entries = Object.entries(answer)
    const [name, value] = entries[tape.pick(Math.max(entries.length, 1))] ?? ['', null]
    const others = entries.filter(([each]) => each !== name)
    if (tape.chance(3)) return fromEntries(others)
    if (tape.chance(3)) return fromEntries([...entries, [tape.oneOf(names), tape.oneOf(scalars)]])
    return fromEntries([...others, [name, nearMiss(value, tape)]])
  }
  if (typeof answer === 'number' && tape.chance(2)) return answer + tape.oneOf([1, -1, 0.5])
  if (typeof answer === 'string' && tape.chance(2)) return tape.chance(2) ? `${answer}a` : answer.slice(1)
  return tape.oneOf<Json>([...scalars, [], {}])
}
