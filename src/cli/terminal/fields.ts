import { isObject, type Json, type JsonSchema } from '../../core/json.ts'

/** One answer of a form that a person fills in: a property of a flat shape, or the whole of a shape that is not one. */
export interface Field {
  /** The property. Left out: the field is the whole answer. */
  name?: string
  title: string
  description?: string
  required: boolean
  kind: 'text' | 'number' | 'integer' | 'choice' | 'choices' | 'json'
  /** For `choice` and `choices`: what may be chosen, typed. */
  options: { label: string; value: Json }[]
  /** What the field shows at first. */
  initial?: Json
}

/** The fields of a shape. */
export function fieldsOf(shape: JsonSchema): Field[] {
  const root = follow(shape, shape)
  if (isObject(root) && root.type === 'object' && isObject(root.properties) && isClosedForm(root)) {
    const required = Array.isArray(root.required) ? root.required : []
    return Object.entries(root.properties).map(([name, schema]) => ({
      ...fieldOf(schema as JsonSchema, shape, name),
      name,
      required: required.includes(name),
    }))
  }
  return [{ ...fieldOf(shape, shape, 'Answer'), required: true }]
}

/** Reads what was typed into a field. Blank leaves an optional field out; what does not convert says why. */
export function readField(
  field: Pick<Field, 'kind' | 'required'>,
  text: string,
): { value: Json } | 'left out' | { problem: string } {
  if (text.trim() === '') return field.required ? { problem: 'An answer is needed here.' } : 'left out'
  if (field.kind === 'text') return { value: text }
  if (field.kind === 'json') return readJson(text)
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) return { problem: 'Type a number, such as 3 or 1.5.' }
  if (field.kind === 'integer' && !Number.isInteger(number)) return { problem: 'Type a whole number.' }
  return { value: number }
}

function readJson(text: string): { value: Json } | { problem: string } {
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return { problem: 'Type JSON, such as "text", 3, true, null, [1, 2] or {"key": "value"}.' }
  }
}

/** Whether its properties are all there is to say. What also needs patterns or branches is typed as JSON. */
function isClosedForm(root: { [keyword: string]: Json }): boolean {
  const open = ['patternProperties', 'anyOf', 'oneOf', 'allOf', 'if', 'not', 'minProperties', 'dependentRequired']
  return Object.keys(root.properties as object).length > 0 && !open.some((keyword) => keyword in root)
}

function fieldOf(schema: JsonSchema, root: JsonSchema, fallback: string): Field {
  const own = isObject(schema) ? schema : {}
  const resolved = follow(schema, root)
  const { type, title, description, default: initial } = { ...(isObject(resolved) ? resolved : {}), ...own }
  const field: Field = {
    title: typeof title === 'string' ? title : fallback,
    required: false,
    kind: 'json',
    options: optionsOf(resolved),
  }
  if (typeof description === 'string') field.description = description
  if (initial !== undefined) field.initial = initial
  if (field.options.length > 0) field.kind = 'choice'
  else if (type === 'string') field.kind = 'text'
  else if (type === 'number' || type === 'integer') field.kind = type
  else if (type === 'array' && isObject(resolved) && resolved.items !== undefined) {
    field.options = optionsOf(follow(resolved.items as JsonSchema, root))
    if (field.options.length > 0 && resolved.uniqueItems === true) field.kind = 'choices'
  }
  return field
}

function optionsOf(schema: JsonSchema): Field['options'] {
  if (!isObject(schema)) return []
  if (schema.type === 'boolean') return [true, false].map(option)
  if (Array.isArray(schema.enum)) return schema.enum.map(option)
  const branches = Array.isArray(schema.oneOf) ? schema.oneOf : []
  if (!branches.every((branch) => isObject(branch) && 'const' in branch)) return []
  return branches.map((branch) => {
    const { const: value, title } = branch as { const: Json; title?: Json }
    return typeof title === 'string' ? { label: title, value } : option(value)
  })
}

function option(value: Json): { label: string; value: Json } {
  if (value === true || value === false) return { label: value ? 'yes' : 'no', value }
  return { label: typeof value === 'string' ? value : JSON.stringify(value), value }
}

/** Follows local references. Shapes with circles are never asked; the bound is for those of a stranger's extension. */
function follow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let found: Json = schema
  for (let hop = 0; hop < 16 && isObject(found) && typeof found.$ref === 'string'; hop++) {
    const keys: string[] = found.$ref.startsWith('#/') ? found.$ref.slice(2).split('/') : []
    let at: Json | undefined = root
    for (const key of keys.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))) {
      at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
    }
    found = at ?? true
  }
  return isObject(found) || typeof found === 'boolean' ? found : true
}
