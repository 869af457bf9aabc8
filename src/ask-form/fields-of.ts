import {
  canonical,
  isObject,
  type Json,
  type JsonSchema,
  type Listed,
  limitsOf,
  listedValues,
  typeNames,
} from '../protocol/core.ts'
import type { Field, FieldOption, TextFormat } from './field.ts'
import { follow } from './follow.ts'

type JsonObject = { [keyword: string]: Json }

/** A page draws so many fields and options at once, and a person reads no more. A shape above is answered as JSON. */
const maxFields = 300
const maxOptions = 1_000
const maxDepth = 8
const maxForms = 20
const maxLeast = 20

/** So many choices lie open, to be compared; more of them drop down. */
const maxOpen = 7

/** From so many characters on a text has room for lines. */
const tallFrom = 120

/** With these an object may need properties that it does not name. */
const branching = [
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'dependencies',
  '$dynamicRef',
]

const formats: readonly string[] = ['date', 'date-time', 'email', 'uri'] satisfies TextFormat[]

/** What is said of a field by what stands around it. */
interface About {
  name?: string
  title: string
  required: boolean
  depth: number
  /** What the object around it says its default is. */
  initial?: Json
}

/** The words for values that have none of their own. */
export type ValueWords = { yes: string; no: string }

/**
 * A shape as fields. What no field stands for (tuples, names by pattern, conditions on other properties) is one field of
 * JSON at its place; so is the whole where there would be too much to draw. Patterns are not looked at, let alone run.
 */
export function fieldOfShape(shape: JsonSchema, title: string, words: ValueWords): Field {
  const drawing = new Drawing(shape, words)
  const about = { title, required: true, depth: 0 }
  const field = drawing.fieldOf(shape, about)
  return drawing.isTooLarge ? { title, required: true, kind: 'json' } : field
}

class Drawing {
  private readonly root: JsonSchema
  private readonly words: ValueWords
  private fields = 0
  private options = 0

  constructor(root: JsonSchema, words: ValueWords) {
    this.root = root
    this.words = words
  }

  get isTooLarge(): boolean {
    return this.fields > maxFields || this.options > maxOptions
  }

  fieldOf(schema: Json, { depth, initial: given, ...about }: About): Field {
    this.fields++
    const followed = follow(schema, this.root)
    const { own, canBeNull } = withoutNull(followed, this.root)
    const initial = given ?? own.default ?? followed.default
    const base = { ...about, ...wordsOf(own, about.title), ...(initial === undefined ? {} : { initial }) }
    // Above the limit nothing is looked into: references that double would have no end.
    if (this.isTooLarge || depth > maxDepth) return { ...base, kind: 'json' }
    return (
      this.choiceOf(own, canBeNull, base) ??
      simpleOf(own, canBeNull, base) ??
      (canBeNull ? undefined : (this.listOf(own, base, depth) ?? this.objectOf(own, base, depth))) ??
      this.formsOf(followed, base, depth) ?? { ...base, kind: 'json' }
    )
  }

  private choiceOf(own: JsonObject, canBeNull: boolean, base: Base): Field | undefined {
    const values = this.valuesOf(own)
    if (values && canBeNull && !values.some(({ value }) => value === null)) values.push({ label: 'null', value: null })
    if (values) {
      const dropsDown = values.length > maxOpen
      return { ...onlyOne(base, values), kind: 'choice', options: optionsOf(values), multi: false, dropsDown }
    }
    if (own.type !== 'array' || canBeNull || !isObject(own.items)) return undefined
    const several = this.valuesOf(follow(own.items, this.root))
    return several && { ...base, kind: 'choice', options: optionsOf(several), multi: true }
  }

  private valuesOf(own: JsonObject): Listed[] | undefined {
    // Counted before they are looked at: a hundred thousand would take their time.
    for (const list of [own.enum, own.oneOf]) if (Array.isArray(list)) this.options += list.length
    if (this.isTooLarge) return undefined
    const listed = own.type === 'boolean' ? [true, false].map((value) => ({ label: '', value })) : listedValues(own)
    return listed?.map(({ label, value }) => {
      if (typeof value !== 'boolean') return { label, value }
      return { label: value ? this.words.yes : this.words.no, value }
    })
  }

  private listOf(own: JsonObject, base: Base, depth: number): Field | undefined {
    if (own.type !== 'array' || 'prefixItems' in own || !isObject(own.items)) return undefined
    const item = this.fieldOf(own.items, { title: base.title, required: true, depth: depth + 1 })
    const least = typeof own.minItems === 'number' ? Math.min(Math.max(own.minItems, 0), maxLeast) : 0
    return { ...base, kind: 'list', item, least }
  }

  private objectOf(own: JsonObject, { initial, ...base }: Base, depth: number): Field | undefined {
    const { type = 'object', properties, required } = own
    if (type !== 'object' || !isObject(properties) || branching.some((keyword) => keyword in own)) return undefined
    const names = Object.keys(properties)
    if (names.length === 0 || names.length > maxFields) return undefined
    // What must be there and has no field could not be given.
    if (Array.isArray(required) && !required.every((name) => typeof name === 'string' && names.includes(name)))
      return undefined
    const fields = names.map((name) =>
      this.fieldOf(properties[name] as Json, {
        name,
        title: name,
        required: Array.isArray(required) && required.includes(name),
        depth: depth + 1,
        ...(isObject(initial) && Object.hasOwn(initial, name) ? { initial: initial[name] as Json } : {}),
      }),
    )
    return { ...base, kind: 'object', fields }
  }

  /** `anyOf`, `oneOf`, or several types: one form for each, of which the person fills in one. */
  private formsOf(own: JsonObject, base: Base, depth: number): Field | undefined {
    const { type, anyOf, oneOf = anyOf, ...rest } = own
    const byType = Array.isArray(type) ? type.map((each) => ({ ...rest, type: each })) : undefined
    const schemas = byType ?? oneOf
    if (!Array.isArray(schemas) || schemas.length === 0 || schemas.length > maxForms) return undefined
    if (byType === undefined && 'properties' in own) return undefined
    const forms = schemas.map((schema, index) => {
      const title = formTitle(follow(schema, this.root)) ?? String(index + 1)
      return this.fieldOf(schema, { title, required: true, depth: depth + 1 })
    })
    return { ...base, kind: 'forms', forms }
  }
}

type Base = { name?: string; title: string; description?: string; hint?: string; required: boolean; initial?: Json }

function wordsOf(own: JsonObject, fallback: string): { title: string; description?: string; hint?: string } {
  const { title, description, pattern } = own
  const hints = limitsOf(own)
  if (typeof pattern === 'string') hints.push(`pattern ${pattern}`)
  if (typeof own.format === 'string' && !formats.includes(own.format)) hints.push(`format ${own.format}`)
  return {
    title: typeof title === 'string' && title.trim() !== '' ? title : fallback,
    ...(typeof description === 'string' ? { description } : {}),
    ...(hints.length > 0 ? { hint: hints.join(', ') } : {}),
  }
}

function simpleOf(own: JsonObject, canBeNull: boolean, { initial, ...base }: Base): Field | undefined {
  const nothing = canBeNull ? { blank: null } : {}
  if (own.type === 'number' || own.type === 'integer') {
    const at = typeof initial === 'number' ? { initial } : {}
    return { ...base, ...nothing, ...at, kind: 'number', whole: own.type === 'integer' }
  }
  if (own.type !== 'string') return undefined
  const format = formats.includes(String(own.format)) ? { format: own.format as TextFormat } : {}
  const at = typeof initial === 'string' ? { initial } : {}
  const tall = (typeof own.maxLength === 'number' && own.maxLength >= tallFrom) || /[\r\n]/.test(at.initial ?? '')
  return { ...base, ...nothing, ...format, ...at, kind: 'text', tall: tall && format.format === undefined }
}

/** Values that are called the same are told apart by their JSON: `1` and `"1"`. */
function optionsOf(values: Listed[]): FieldOption[] {
  const named = Map.groupBy(values, ({ label }) => label)
  return values.map(({ label, value }) => ({ label: named.get(label)?.length === 1 ? label : canonical(value), value }))
}

/** A value that must be there and can be no other needs no hand. */
function onlyOne(base: Base, values: Listed[]): Base {
  const [only, ...more] = values
  return only && more.length === 0 && base.required ? { ...base, initial: only.value } : base
}

/** A schema that also lets `null` through, as generators write it, without that. */
function withoutNull(schema: JsonObject, root: JsonSchema): { own: JsonObject; canBeNull: boolean } {
  const { type, anyOf, oneOf, ...rest } = schema
  if (Array.isArray(type) && type.includes('null') && type.length === 2) {
    return { own: { ...schema, type: type.find((each) => each !== 'null') as Json }, canBeNull: true }
  }
  const branches = anyOf ?? oneOf
  if (type !== undefined || !Array.isArray(branches) || branches.length !== 2) return { own: schema, canBeNull: false }
  const others = branches.filter((branch) => !(isObject(branch) && (branch.type === 'null' || branch.const === null)))
  if (others.length !== 1) return { own: schema, canBeNull: false }
  return { own: { ...follow(others[0] as Json, root), ...rest }, canBeNull: true }
}

/** What one of several forms is called: its title, the value by which it is told from the others, or its type. */
function formTitle(schema: JsonObject): string | undefined {
  if (typeof schema.title === 'string') return schema.title
  for (const property of Object.values(isObject(schema.properties) ? schema.properties : {})) {
    if (isObject(property) && 'const' in property) return labelOf(property.const as Json)
  }
  if ('const' in schema) return labelOf(schema.const as Json)
  return typeof schema.type === 'string' ? typeNames[schema.type] : undefined
}

function labelOf(value: Json): string {
  return typeof value === 'string' ? value : canonical(value)
}
