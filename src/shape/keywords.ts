import { isObject, type Json } from '../core/json.ts'

/** The dialects of JSON Schema that a shape may be written in. */
export type Dialect = 'draft-07' | '2020-12'

/** How a keyword holds schemas. `dependencies` is a map of schemas or of lists of names. */
export type Holds = 'schema' | 'list' | 'schema or list' | 'map' | 'definitions' | 'dependencies'

/** What a keyword is: where it may stand, which schemas it holds, which values it takes. */
export interface Keyword {
  only?: Dialect
  holds?: Holds
  /** Only on the outermost schema. */
  rootOnly?: true
  expects?: { text: string; fits(value: Json): boolean }
}

type Expects = NonNullable<Keyword['expects']>

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const isText = (value: Json) => typeof value === 'string'
const isNames = (value: Json) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const isType = (value: Json) => typeof value === 'string' && types.includes(value)
const isCount = (value: Json) => Number.isSafeInteger(value) && (value as number) >= 0

const anything: Expects = { text: 'any value', fits: () => true }
const text: Expects = { text: 'a text', fits: isText }
const flag: Expects = { text: 'true or false', fits: (value) => typeof value === 'boolean' }
const number: Expects = { text: 'a number', fits: (value) => typeof value === 'number' }
const count: Expects = { text: 'a whole number of at least 0', fits: isCount }
const names: Expects = { text: 'a list of different texts', fits: isNames }

const keywords = new Map<string, Keyword>([
  ['$schema', { rootOnly: true, expects: text }],
  ['$id', { rootOnly: true, expects: text }],
  ['$ref', { expects: text }],
  [
    '$anchor',
    {
      only: '2020-12',
      expects: { text: 'a name', fits: (v: Json) => isText(v) && /^[A-Za-z_][\w.-]*$/.test(v as string) },
    },
  ],
  ['$comment', { expects: text }],
  ['$defs', { holds: 'definitions' }],
  ['definitions', { holds: 'definitions' }],

  ['title', { expects: text }],
  ['description', { expects: text }],
  ['default', { expects: anything }],
  ['examples', { expects: { text: 'a list', fits: Array.isArray } }],
  ['deprecated', { expects: flag }],
  ['readOnly', { expects: flag }],
  ['writeOnly', { expects: flag }],
  ['contentEncoding', { expects: text }],
  ['contentMediaType', { expects: text }],
  ['contentSchema', { only: '2020-12', holds: 'schema' }],
  ['format', { expects: text }],

  [
    'type',
    {
      expects: {
        text: `one of ${types.join(', ')}, or a list of them`,
        fits: (value: Json) =>
          isType(value) || (isNames(value) && (value as Json[]).length > 0 && (value as Json[]).every(isType)),
      },
    },
  ],
  [
    'enum',
    { expects: { text: 'a list with at least one value', fits: (v: Json) => Array.isArray(v) && v.length > 0 } },
  ],
  ['const', { expects: anything }],
  ['multipleOf', { expects: { text: 'a number above 0', fits: (v: Json) => typeof v === 'number' && v > 0 } }],
  ['maximum', { expects: number }],
  ['exclusiveMaximum', { expects: number }],
  ['minimum', { expects: number }],
  ['exclusiveMinimum', { expects: number }],
  ['maxLength', { expects: count }],
  ['minLength', { expects: count }],
  ['pattern', { expects: text }],
  ['maxItems', { expects: count }],
  ['minItems', { expects: count }],
  ['uniqueItems', { expects: flag }],
  ['maxContains', { only: '2020-12', expects: count }],
  ['minContains', { only: '2020-12', expects: count }],
  ['maxProperties', { expects: count }],
  ['minProperties', { expects: count }],
  ['required', { expects: names }],
  [
    'dependentRequired',
    {
      only: '2020-12',
      expects: { text: 'lists of names by name', fits: (v: Json) => isObject(v) && Object.values(v).every(isNames) },
    },
  ],

  ['prefixItems', { only: '2020-12', holds: 'list' }],
  ['contains', { holds: 'schema' }],
  ['additionalProperties', { holds: 'schema' }],
  ['properties', { holds: 'map' }],
  ['patternProperties', { holds: 'map' }],
  ['propertyNames', { holds: 'schema' }],
  ['dependentSchemas', { only: '2020-12', holds: 'map' }],
  ['unevaluatedItems', { only: '2020-12', holds: 'schema' }],
  ['unevaluatedProperties', { only: '2020-12', holds: 'schema' }],
  ['additionalItems', { only: 'draft-07', holds: 'schema' }],
  ['dependencies', { only: 'draft-07', holds: 'dependencies' }],
  ['allOf', { holds: 'list' }],
  ['anyOf', { holds: 'list' }],
  ['oneOf', { holds: 'list' }],
  ['not', { holds: 'schema' }],
  ['if', { holds: 'schema' }],
  ['then', { holds: 'schema' }],
  ['else', { holds: 'schema' }],
])

const itemsOf: { [D in Dialect]: Keyword } = {
  'draft-07': { holds: 'schema or list' },
  '2020-12': { holds: 'schema' },
}

/** What a keyword is in a dialect; nothing where it is none of ours. */
export function keywordOf(name: string, dialect: Dialect): Keyword | undefined {
  if (name === 'items') return itemsOf[dialect]
  const keyword = keywords.get(name)
  return keyword?.only === undefined || keyword.only === dialect ? keyword : undefined
}

/** All keywords of a dialect. */
export function keywordsOf(dialect: Dialect): string[] {
  return ['items', ...keywords.keys()].filter((name) => keywordOf(name, dialect))
}

/** A schema inside a schema: its keyword, and where it stands below the schema that holds it. */
export interface Child {
  keyword: string
  path: string[]
  schema: Json
}

/** The schemas that a schema holds directly, definitions included. What is not in its right place is left out. */
export function childrenOf(schema: { [keyword: string]: Json }, dialect: Dialect): Child[] {
  const children: Child[] = []
  for (const [name, value] of Object.entries(schema)) {
    const holds = keywordOf(name, dialect)?.holds
    const add = (path: string[], child: Json) => children.push({ keyword: name, path: [name, ...path], schema: child })
    if (holds === undefined) continue
    if (holds === 'schema' || (holds === 'schema or list' && !Array.isArray(value))) add([], value)
    else if (Array.isArray(value)) {
      for (const [index, child] of value.entries()) add([String(index)], child)
    } else if (isObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        if (holds !== 'dependencies' || !Array.isArray(child)) add([key], child)
      }
    }
  }
  return children
}

/** A subschema and the place where it stands: a JSON Pointer as a reference writes it, `#/properties/a`. */
export interface Subschema {
  place: string
  schema: Json
}

/** The place of a child of the schema that stands at `place`. */
export function placeBelow(place: string, child: Child): string {
  return `${place}/${child.path.map(escapeStep).join('/')}`
}

/** A schema and all that are inside it. */
export function subschemasOf(schema: Json, dialect: Dialect): Subschema[] {
  const all: Subschema[] = [{ place: '#', schema }]
  for (const each of all) {
    if (!isObject(each.schema)) continue
    for (const child of childrenOf(each.schema, dialect)) {
      all.push({ place: placeBelow(each.place, child), schema: child.schema })
    }
  }
  return all
}

const dialects: { [uri: string]: Dialect } = {
  '//json-schema.org/draft/2020-12/schema': '2020-12',
  '//json-schema.org/draft-07/schema': 'draft-07',
}

/** The dialect a schema says it is written in: 2020-12 where it says nothing, `undefined` where we do not know it. */
export function dialectOf(schema: Json): Dialect | undefined {
  const said = isObject(schema) ? schema.$schema : undefined
  if (said === undefined) return '2020-12'
  if (typeof said !== 'string') return undefined
  const uri = said.replace(/^https?:/, '').replace(/#$/, '')
  return Object.hasOwn(dialects, uri) ? dialects[uri] : undefined
}

/** One step of a JSON Pointer (RFC 6901). */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
