import type { Json, JsonSchema } from 'querent/model'

/** A schema as it is sent to a provider that can hold a model to it. */
export interface ResponseFormat {
  schema: JsonSchema
  /** It has nothing that OpenAI refuses where it is to hold the model strictly. */
  strict: boolean
}

/**
 * Makes the response format of an `output` schema. Objects that say nothing of other properties are closed where that is
 * all that keeps a schema from being strict; what the model gives then fits the schema as it was all the same. Nothing
 * where the schema is no plain object at its root: providers take no other, and the model knows it from its instructions.
 */
export function responseFormatOf(output: JsonSchema): ResponseFormat | undefined {
  if (!isObject(output) || output.type !== 'object' || notAtRoot.some((keyword) => keyword in output)) return undefined
  const schema = closed(output)
  return isObject(schema) && isStrict(schema) ? { schema, strict: true } : { schema: output, strict: false }
}

const notAtRoot = ['allOf', 'anyOf', 'enum', 'not', 'oneOf']

type JsonObject = { [key: string]: Json }

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keywords whose values are a schema, a list of schemas, and schemas by name: those that a strict schema may have. */
const one = ['items', 'additionalProperties']
const listed = ['anyOf']
const named = ['properties', '$defs', 'definitions']

/** Keywords that OpenAI takes in a strict schema and that have no schemas in them. */
const plain = [
  '$ref',
  '$schema',
  'const',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maximum',
  'maxItems',
  'minimum',
  'minItems',
  'multipleOf',
  'pattern',
  'required',
  'title',
  'type',
]
const formats = ['date', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'time', 'uuid']

function closed(schema: Json): Json {
  if (!isObject(schema)) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, closedIn(keyword, value)]))
  return isObject(copy.properties) && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy
}

function closedIn(keyword: string, value: Json): Json {
  if (one.includes(keyword)) return closed(value)
  if (listed.includes(keyword) && Array.isArray(value)) return value.map(closed)
  if (!named.includes(keyword) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
}

function isStrict(schema: Json): boolean {
  if (!isObject(schema)) return schema === false
  return Object.entries(schema).every(([keyword, value]) => isStrictIn(keyword, value)) && isClosed(schema)
}

function isStrictIn(keyword: string, value: Json): boolean {
  if (one.includes(keyword)) return isStrict(value)
  if (listed.includes(keyword)) return Array.isArray(value) && value.every(isStrict)
  if (named.includes(keyword)) return isObject(value) && Object.values(value).every(isStrict)
  return keyword === 'format' ? formats.includes(String(value)) : plain.includes(keyword)
}

/** Whether an object has just the properties that it names, each of them always. */
function isClosed({ type, properties, required, additionalProperties, anyOf, $ref }: JsonObject): boolean {
  const mayBeObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!mayBeObject && properties === undefined) return true
  // Closed here, it would forbid what the other schema demands.
  if (anyOf !== undefined || $ref !== undefined) return false
  const names = isObject(properties) ? Object.keys(properties) : []
  return additionalProperties === false && Array.isArray(required) && names.every((name) => required.includes(name))
}
