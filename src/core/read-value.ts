import {
  type Field,
  type FlatShape,
  type Listed,
  listedValues,
  misfitOf,
  singleTypesOf,
  typeNames,
} from './flat-shape.ts'
import { canonical, isObject, type Json } from './json.ts'
import { keyOf, keysOf } from './label.ts'

/* Reads what a person wrote as the value that a shape asks for. What can be read in two ways is not read. */

type JsonObject = { [key: string]: Json }

/** A value, or why there is none. */
export type ReadValue = { value: Json } | { problem: string }

/** Reads one value: by its type, from the values listed, or as JSON. The problem is what it must be: `must be text`. */
export function readValue(schema: JsonObject, text: string): ReadValue {
  const written = text.trim()
  if (written === '') return { problem: 'must be written' }
  const read = readListed(schema, written) ?? readTyped(schema, written) ?? readJson(written)
  if ('problem' in read) return read
  const misfit = misfitOf(schema, read.value)
  return misfit === undefined ? read : { problem: misfit }
}

function readListed(schema: JsonObject, written: string): ReadValue | undefined {
  const values = listedValues(schema)
  if (!values) return undefined
  // What is written exactly is meant, whatever it looks like.
  const exact = values.filter(({ label, value }) => written === label || written === value)
  const meant = exact.length > 0 ? exact : likeWritten(values, written)
  const [one, ...more] = new Set(meant.map(({ value }) => canonical(value)))
  if (one === undefined) return { problem: 'must be one of the values listed' }
  if (more.length > 0) return { problem: 'may be more than one of the values listed: write JSON' }
  return { value: JSON.parse(one) as Json }
}

function likeWritten(values: Listed[], written: string): Listed[] {
  const [key, json] = [keyOf(written), jsonOf(written)]
  return values.filter(({ label, value }) => {
    const names = typeof value === 'string' ? [label, value] : [label]
    const isJson = json !== undefined && canonical(json) === canonical(value)
    return isJson || isWord(value, written) || names.flatMap(keysOf).includes(key)
  })
}

/** What people write for `true` and `false`, as `keyOf` folds it. */
const words = { true: ['yes', 'y', 'true'], false: ['no', 'n', 'false'] }

function isWord(value: Json, written: string): boolean {
  return typeof value === 'boolean' && words[`${value}`].includes(keyOf(written))
}

/**
 * Values that are no text are looked for first: where both may be given, a text that looks like another value is written
 * in quotes, as JSON.
 */
function readTyped(schema: JsonObject, written: string): ReadValue | undefined {
  const types = singleTypesOf(schema)
  if (!types) return undefined
  const has = (type: string) => types.includes(type)
  const quoted = has('string') && written.startsWith('"') ? jsonOf(written) : undefined
  if (typeof quoted === 'string') return { value: quoted }
  const number = has('number') || has('integer') ? readNumber(written, !has('number')) : undefined
  if (number !== undefined) return number
  for (const value of [true, false]) if (has('boolean') && isWord(value, written)) return { value }
  if (has('null') && keyOf(written) === 'null') return { value: null }
  if (has('string')) return { value: written }
  return { problem: `must be ${types.map((type) => typeNames[type]).join(' or ')}` }
}

/** Digits with a point, as JSON and programs have it: a comma may part thousands or decimals, by the reader's country. */
function readNumber(written: string, whole: boolean): ReadValue | undefined {
  const digits = written.normalize('NFKC')
  const isWhole = /^[+-]?\d+$/.test(digits)
  if (!isWhole && (whole || !/^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i.test(digits))) return undefined
  const value = Number(digits)
  // Of 9007199254740993 a number keeps …992: not what was written.
  const isKept = Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value) || String(value) === digits)
  if (!isKept) return { problem: 'is a number too large to be kept exactly' }
  // -0 is a number that JSON does not have.
  return { value: value === 0 ? 0 : value }
}

function readJson(written: string): ReadValue {
  const value = jsonOf(written)
  return value === undefined ? { problem: 'must be JSON, such as "text", 3, [1, 2] or {"key": "value"}' } : { value }
}

function jsonOf(written: string): Json | undefined {
  try {
    return JSON.parse(written, (_, value: Json) => {
      if (typeof value !== 'number' || Number.isFinite(value)) return value
      throw new RangeError('1e999 would be stored as null.')
    }) as Json
  } catch {
    return undefined
  }
}

/** Reads an answer to a shape: `name: value` lines or a JSON object for a flat one, else one value. The problem is a sentence. */
export function readShape({ fields, open, schema }: FlatShape, text: string): ReadValue {
  if (!fields) {
    const read = readValue(schema, text)
    return 'problem' in read ? { problem: `The answer ${read.problem}.` } : read
  }
  const whole = jsonOf(text)
  const read = isObject(whole) ? { value: whole } : readLines(fields, text)
  if ('problem' in read) return read
  const problem = problemOf(read.value, fields, open)
  return problem === undefined ? read : { problem }
}

function problemOf(values: JsonObject, fields: Field[], open: boolean): string | undefined {
  const strange = open ? undefined : Object.keys(values).find((name) => !fields.some((field) => field.name === name))
  if (strange !== undefined) return `${quote(strange)} is not asked for.`
  for (const { name, required, schema } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined && required) return `${quote(name)} is missing.`
    const misfit = value === undefined ? undefined : misfitOf(schema, value)
    if (misfit !== undefined) return `${quote(name)} ${misfit}.`
  }
  return undefined
}

function readLines(fields: Field[], text: string): { value: JsonObject } | { problem: string } {
  const values = new Map<string, Json>()
  const seen = new Set<string>()
  const fieldsIn = lineReader(fields)
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [meant, ...more] = fieldsIn(line)
    if (!meant) return { problem: `${quote(line)} does not begin with the name of a field and a colon.` }
    const { name, schema, written } = meant
    if (more.length > 0) return { problem: `${quote(line)} may mean more than one field: write JSON.` }
    if (seen.has(name)) return { problem: `${quote(name)} is there twice.` }
    seen.add(name)
    // A field that was left blank is left out, as in a form.
    if (written.trim() === '') continue
    const read = readValue(schema, written)
    if ('problem' in read) return { problem: `${quote(name)} ${read.problem}.` }
    values.set(name, read.value)
  }
  // Own properties whatever they are called: `__proto__` is a name like any other.
  return { value: Object.fromEntries(values) }
}

/** Gives every field that a line may mean: a name or title before one of its colons, and what follows. */
function lineReader(fields: Field[]): (line: string) => (Field & { written: string })[] {
  const byKey = new Map<string, Set<Field>>()
  let maxColons = 1
  for (const field of fields) {
    for (const name of [field.name, field.title ?? field.name]) {
      maxColons = Math.max(maxColons, name.split(/[:：]/).length)
      for (const key of keysOf(name)) byKey.set(key, (byKey.get(key) ?? new Set()).add(field))
    }
  }
  return (line) => {
    // No name has more colons than this one: behind them a line is value, however many it has.
    const colons = [...line.matchAll(/[:：]/g)].slice(0, maxColons)
    return colons.flatMap(({ index }) => {
      const meant = byKey.get(keyOf(line.slice(0, index))) ?? []
      return [...meant].map((field) => ({ ...field, written: line.slice(index + 1) }))
    })
  }
}

/** Text in a sentence: not more of it than tells which one is meant. */
export function quote(text: string): string {
  const shown = text.trim()
  return `"${shown.length > 60 ? `${shown.slice(0, 59).toWellFormed()}…` : shown}"`
}
