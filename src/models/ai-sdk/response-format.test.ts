import type { JsonSchema } from 'querent/model'
import { expect, it } from 'vitest'
import { responseFormatOf } from './response-format.ts'

const text = { type: 'string' }
const object = (properties: { [name: string]: JsonSchema }, more: { [keyword: string]: JsonSchema | string[] } = {}) =>
  ({ type: 'object', properties, required: Object.keys(properties), ...more }) as JsonSchema

it('closes objects at every depth, and leaves the schema it was given alone', () => {
  const given = object({
    list: { type: 'array', items: object({ a: text }) },
    either: { anyOf: [object({ b: text })] },
  })
  const before = JSON.stringify(given)
  const closed = { additionalProperties: false }
  expect(responseFormatOf(given)).toEqual({
    strict: true,
    schema: object(
      {
        list: { type: 'array', items: object({ a: text }, closed) },
        either: { anyOf: [object({ b: text }, closed)] },
      },
      closed,
    ),
  })
  expect(JSON.stringify(given)).toBe(before)
})

it('follows definitions, and takes properties that have the names of keywords for what they are', () => {
  const given = object({ not: text, a: { $ref: '#/$defs/a' } }, { $defs: { a: object({ items: text }) } as never })
  expect(responseFormatOf(given)).toMatchObject({
    strict: true,
    schema: { $defs: { a: { additionalProperties: false } }, additionalProperties: false },
  })
})

it.each<[string, JsonSchema]>([
  ['an optional property', { type: 'object', properties: { a: text } }],
  ['an optional property, deep', object({ a: { anyOf: [object({ b: text }, { required: [] })] } })],
  ['a map', object({ a: { type: 'object', additionalProperties: text } })],
  ['an open object', object({ a: text }, { additionalProperties: true })],
  ['anything at all', object({ a: true })],
  ['an object that may be null, and is open', object({ a: { type: ['object', 'null'] } })],
  ['a property beside anyOf, which closing would forbid', object({ a: object({ b: text }, { anyOf: [] as never }) })],
  ['allOf', object({ a: { allOf: [text] } })],
  ['a list of items', object({ a: { type: 'array', items: [text] as never } })],
  ['a format that is not known', object({ a: { type: 'string', format: 'uri' } })],
  ['a limit that is not known', object({ a: { type: 'string', minLength: 1 } })],
])('sends a schema with %s as it is, not strict', (_, given) => {
  expect(responseFormatOf(given)).toEqual({ strict: false, schema: given })
})

it.each<[string, JsonSchema]>([
  ['true', true],
  ['a list', { type: 'array', items: text }],
  ['a reference', { $ref: '#/$defs/a', $defs: { a: object({}) } }],
  ['a choice of objects', object({}, { anyOf: [object({ a: text })] as never })],
])('gives no format for a schema that is %s', (_, given) => {
  expect(responseFormatOf(given)).toBeUndefined()
})
