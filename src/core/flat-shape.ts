import { canonical, isObject, type Json, type JsonSchema } from './json.ts'
import { referredTo } from './reference.ts'

/*
 * Shapes that a person can answer in plain text: a single value, or fields that are single values. What their schemas say
 * of a value is judged here as far as it can be said in a word or two; settling judges the whole.
 */

type JsonObject = { [key: string]: Json }

/** One property of a flat shape. `schema` has its references followed. */
export interface Field {
  name: string
  title?: string
  description?: string
  required: boolean
  schema: JsonObject
}

/** A shape as a person fills it in: fields, or (where it is no flat object) one value. */
export interface FlatShape {
  fields?: Field[]
  /** Of the whole, its references followed. */
  schema: JsonObject
  /** Whether an answer may have fields that the shape does not name. */
  open: boolean
}

/** Beside these, the properties are not all there is to say of an object. */
const branching = [
  ...['patternProperties', 'propertyNames', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
  ...['dependencies', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'enum', 'const', 'unevaluatedProperties'],
]

/** Reads a shape as fields where it is a flat object, else as one value. */
export function flatShapeOf(shape: JsonSchema): FlatShape {
  const schema = follow(shape, shape)
  const { type = 'object', properties, required, additionalProperties } = schema
  const flat: FlatShape = { schema, open: additionalProperties !== false }
  if (type !== 'object' || !isObject(properties) || Object.keys(properties).length === 0) return flat
  if (branching.some((keyword) => keyword in schema)) return flat
  flat.fields = Object.entries(properties).map(([name, property]) => {
    const field: Field = {
      name,
      required: Array.isArray(required) && required.includes(name),
      schema: follow(property, shape),
    }
    const { title, description } = field.schema
    if (typeof title === 'string') field.title = title
    if (typeof description === 'string') field.description = description
    return field
  })
  return flat
}

/**
 * A schema with its reference followed. Beside a reference only what people read of the property itself counts here: in
 * draft-07 nothing else does. Shapes that go in circles are never asked; the bound is for those of a stranger.
 */
function follow(schema: Json, root: JsonSchema): JsonObject {
  let found: Json = schema
  let read: JsonObject = {}
  for (let hop = 0; hop < 16 && isObject(found) && typeof found.$ref === 'string'; hop++) {
    const { title, description } = found
    read = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }), ...read }
    found = referredTo(found.$ref, root)
  }
  // Unknown, or `true`: any JSON.
  return isObject(found) && !('$ref' in found) ? { ...found, ...read } : read
}

/** A value that a schema lists, and what a person calls it. */
export interface Listed {
  label: string
  value: Json
}

/** The values that a schema lists; nothing where it lists none. */
export function listedValues(schema: JsonObject): Listed[] | undefined {
  if ('const' in schema) return [listed(schema.const as Json)]
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => listed(value))
  const branches = Array.isArray(schema.oneOf) ? schema.oneOf : []
  if (branches.length === 0 || !branches.every((branch) => isObject(branch) && 'const' in branch)) return undefined
  return branches.map((branch) => listed((branch as JsonObject).const as Json, (branch as JsonObject).title))
}

function listed(value: Json, title?: Json): Listed {
  if (typeof title === 'string') return { label: title, value }
  return { label: typeof value === 'string' ? value : JSON.stringify(value), value }
}

const singleTypes = ['string', 'number', 'integer', 'boolean', 'null']

/** The types of a single value; nothing where lists, objects or branches may be given: those are written as JSON. */
export function singleTypesOf(schema: JsonObject): string[] | undefined {
  const types = typesOf(schema)
  if (types.length === 0 || !types.every((type) => singleTypes.includes(type))) return undefined
  return ['anyOf', 'oneOf', 'allOf', 'not', 'if'].some((keyword) => keyword in schema) ? undefined : types
}

function typesOf({ type }: JsonObject): string[] {
  const types = Array.isArray(type) ? type : [type]
  return types.filter((each) => typeof each === 'string' && Object.hasOwn(typeNames, each)) as string[]
}

/** What people call the types. */
export const typeNames: { [type: string]: string } = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

const isOfType: { [type: string]: (value: Json) => boolean } = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
}

/** Limits by keyword: how far a value may go, and how that is said. */
const limits: { [keyword: string]: { of: (value: Json) => number | undefined; fits: Fits; text: Say } } = {
  minimum: { of: numberOf, fits: (size, limit) => size >= limit, text: (limit) => `at least ${limit}` },
  maximum: { of: numberOf, fits: (size, limit) => size <= limit, text: (limit) => `at most ${limit}` },
  exclusiveMinimum: { of: numberOf, fits: (size, limit) => size > limit, text: (limit) => `more than ${limit}` },
  exclusiveMaximum: { of: numberOf, fits: (size, limit) => size < limit, text: (limit) => `less than ${limit}` },
  minLength: {
    of: lengthOf,
    fits: (size, limit) => size >= limit,
    text: (limit) => `at least ${counted(limit, 'character')}`,
  },
  maxLength: {
    of: lengthOf,
    fits: (size, limit) => size <= limit,
    text: (limit) => `at most ${counted(limit, 'character')}`,
  },
  minItems: {
    of: itemsOf,
    fits: (size, limit) => size >= limit,
    text: (limit) => `at least ${counted(limit, 'item')}`,
  },
  maxItems: { of: itemsOf, fits: (size, limit) => size <= limit, text: (limit) => `at most ${counted(limit, 'item')}` },
}

type Say = (limit: number) => string
type Fits = (size: number, limit: number) => boolean

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function numberOf(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function lengthOf(value: Json): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined
}

function itemsOf(value: Json): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

/**
 * The limits of a schema in words: `at least 1`, `at most 20 characters`. That a text is not empty is not said: nobody who is
 * asked for one thinks of giving none.
 */
export function limitsOf(schema: JsonObject): string[] {
  return Object.entries(limits).flatMap(([keyword, { text }]) => {
    const limit = schema[keyword]
    return typeof limit === 'number' && !(keyword === 'minLength' && limit <= 1) ? [text(limit)] : []
  })
}

/** Why a value does not fit, as far as types, listed values and limits say; other keywords are not judged here. */
export function misfitOf(schema: JsonObject, value: Json): string | undefined {
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOfType[type]?.(value))) {
    return `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`
  }
  const values = listedValues(schema)
  if (values && !values.some((each) => canonical(each.value) === canonical(value))) {
    return 'must be one of the values listed'
  }
  for (const [keyword, { of, fits, text }] of Object.entries(limits)) {
    const [limit, size] = [schema[keyword], of(value)]
    if (typeof limit !== 'number' || size === undefined || fits(size, limit)) continue
    return `must ${of === numberOf ? 'be' : 'have'} ${text(limit)}`
  }
  return undefined
}
