import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../protocol/core.ts'
import type { Field } from './field.ts'
import { fieldOfShape } from './fields-of.ts'

const words = { yes: 'yes', no: 'no' }
const fieldOf = (shape: JsonSchema) => fieldOfShape(shape, 'Your answer', words)

/** The fields of an object's shape, by name. */
function fieldsIn(properties: { [name: string]: JsonSchema }, more: { [keyword: string]: never } | object = {}) {
  const field = fieldOf({ type: 'object', properties, ...more } as JsonSchema)
  if (field.kind !== 'object') throw new Error(`It is ${field.kind}.`)
  return Object.fromEntries(field.fields.map((each) => [each.name, each]))
}

const kindsOf = (fields: { [name: string]: Field }) =>
  Object.fromEntries(Object.entries(fields).map(([name, { kind }]) => [name, kind]))

describe('fieldOfShape', () => {
  it('gives a field for each property, typed', () => {
    const fields = fieldsIn(
      {
        name: { type: 'string', title: 'Your name', description: 'as on the door' },
        story: { type: 'string', maxLength: 2000 },
        day: { type: 'string', format: 'date' },
        mail: { type: 'string', format: 'email' },
        code: { type: 'string', format: 'uuid', pattern: '^(a+)+$' },
        age: { type: 'integer', minimum: 0 },
        weight: { type: 'number' },
        adult: { type: 'boolean', default: true },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        home: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { required: ['name'] },
    )
    expect(fields).toMatchObject({
      name: { kind: 'text', title: 'Your name', description: 'as on the door', required: true, tall: false },
      story: { kind: 'text', title: 'story', tall: true, required: false, hint: 'at most 2000 characters' },
      day: { kind: 'text', format: 'date' },
      mail: { kind: 'text', format: 'email' },
      code: { kind: 'text', hint: 'pattern ^(a+)+$, format uuid' },
      age: { kind: 'number', whole: true, hint: 'at least 0' },
      weight: { kind: 'number', whole: false },
      adult: {
        kind: 'choice',
        initial: true,
        options: [
          { label: 'yes', value: true },
          { label: 'no', value: false },
        ],
      },
      tags: { kind: 'list', least: 1, item: { kind: 'text', required: true } },
      home: { kind: 'object', fields: [{ name: 'city', kind: 'text' }] },
    })
    expect(fields.code).not.toHaveProperty('format')
  })

  it('C27: enums by local reference, constants with titles, lists of an enum: choices with typed values', () => {
    const fields = fieldsIn(
      {
        size: { $ref: '#/$defs/a~1b', title: 'Size', default: 'M' },
        rank: {
          oneOf: [
            { const: 1, title: 'first' },
            { const: 2, title: 'second' },
          ],
        },
        extras: { type: 'array', items: { $ref: '#/$defs/a~1b' }, minItems: 1, maxItems: 2, uniqueItems: true },
        wrapped: { allOf: [{ $ref: '#/$defs/a~1b' }], description: 'as generators write it' },
        many: { enum: [1, 2, 3, 4, 5, 6, 7, 8] },
      },
      { $defs: { 'a/b': { enum: ['S', 'M'], title: 'Any size' } } },
    )
    const sizes = [
      { label: 'S', value: 'S' },
      { label: 'M', value: 'M' },
    ]
    expect(fields).toMatchObject({
      size: { kind: 'choice', title: 'Size', options: sizes, multi: false, initial: 'M' },
      rank: {
        kind: 'choice',
        options: [
          { label: 'first', value: 1 },
          { label: 'second', value: 2 },
        ],
      },
      extras: { kind: 'choice', multi: true, options: sizes, hint: 'at least 1 item, at most 2 items' },
      wrapped: { kind: 'choice', options: sizes, description: 'as generators write it' },
      many: { kind: 'choice', dropsDown: true },
    })
  })

  it('says limits in words, and not that a text must not be empty', () => {
    expect(fieldOf({ type: 'string', minLength: 1 })).not.toHaveProperty('hint')
    expect(fieldOf({ type: 'string', minLength: 1, maxLength: 1 })).toMatchObject({ hint: 'at most 1 character' })
    expect(fieldOf({ type: 'string', minLength: 2 })).toMatchObject({ hint: 'at least 2 characters' })
  })

  it('tells values of one spelling apart', () => {
    expect(fieldOf({ enum: [1, '1', 'a'] })).toMatchObject({
      options: [{ label: '1' }, { label: '"1"' }, { label: 'a' }],
    })
  })

  it('takes null, as generators write it, for a blank field or one more choice', () => {
    const nullable = fieldsIn({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], title: 'B', default: 3 },
      c: { anyOf: [{ enum: ['x'] }, { type: 'null' }] },
      d: { type: ['boolean', 'null'] },
      e: { anyOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { type: 'null' }] },
    })
    expect(nullable).toMatchObject({
      a: { kind: 'text', blank: null },
      b: { kind: 'number', whole: true, blank: null, title: 'B', hint: 'at least 1', initial: 3 },
      c: { kind: 'choice', options: [{ value: 'x' }, { label: 'null', value: null }] },
      d: { kind: 'choice', options: [{ value: true }, { value: false }, { value: null }] },
      e: { kind: 'forms', forms: [{ kind: 'object' }, { kind: 'json', title: 'null' }] },
    })
  })

  it('gives one of several forms where an answer has one of several', () => {
    const shape: JsonSchema = {
      oneOf: [
        {
          type: 'object',
          properties: { by: { const: 'post' }, street: { type: 'string' } },
          required: ['by', 'street'],
        },
        { type: 'object', title: 'By mail', properties: { address: { type: 'string' } } },
        { type: 'string' },
      ],
    }
    expect(fieldOf(shape)).toMatchObject({
      kind: 'forms',
      forms: [
        // What can be no other value is there already.
        { title: 'post', kind: 'object', fields: [{ name: 'by', initial: 'post' }, { name: 'street' }] },
        { title: 'By mail', kind: 'object' },
        { title: 'text', kind: 'text' },
      ],
    })
    expect(fieldOf({ type: ['string', 'number'] })).toMatchObject({
      kind: 'forms',
      forms: [{ kind: 'text' }, { kind: 'number' }],
    })
  })

  it('passes the default of an object down to its fields', () => {
    const shape = {
      type: 'object',
      properties: { city: { type: 'string', default: 'Bern' }, zip: { type: 'string', default: '3000' } },
      default: { city: 'Basel' },
    }
    expect(fieldOf(shape)).toMatchObject({ fields: [{ initial: 'Basel' }, { initial: '3000' }] })
  })

  it('leaves to JSON what no field stands for, at its place', () => {
    const kinds = kindsOf(
      fieldsIn({
        anything: {},
        always: true,
        tuple: { type: 'array', prefixItems: [{ type: 'string' }] },
        oldTuple: { type: 'array', items: [{ type: 'string' }] },
        list: { type: 'array' },
        open: { type: 'object' },
        patterns: { type: 'object', properties: { a: {} }, patternProperties: { '^(a+)+$': {} } },
        either: { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] },
        unnamed: { type: 'object', properties: { a: {} }, required: ['b'] },
        strange: { type: 'file' },
        ok: { type: 'string' },
      }),
    )
    expect(kinds.ok).toBe('text')
    expect(new Set(Object.values({ ...kinds, ok: 'json' }))).toEqual(new Set(['json']))
  })

  const property = (count: number, of: JsonSchema) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, of]))
  const doubling = Object.fromEntries(
    Array.from({ length: 28 }, (_, level) => [
      `d${level}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } } },
    ]),
  )
  const hostile: [string, JsonSchema][] = [
    ['20,000 properties', { type: 'object', properties: property(20_000, { type: 'string' }) }],
    ['references doubled 28 deep', { $ref: '#/$defs/d0', $defs: doubling }],
    [
      'recursion in a list',
      {
        $defs: { n: { type: 'object', properties: property(3, { type: 'array', items: { $ref: '#/$defs/n' } }) } },
        $ref: '#/$defs/n',
      },
    ],
    ['a reference to itself', { $ref: '#' }],
    ['100,000 values', { enum: Array.from({ length: 100_000 }, (_, at) => at) }],
    ['an array of nowhere', { type: 'array', items: { $ref: 'https://example.com/x' } }],
    [
      'anyOf of 10,000',
      { anyOf: Array.from({ length: 10_000 }, () => ({ type: 'object', properties: property(10, {}) })) },
    ],
  ]
  it.each(hostile)('C27: %s is not drawn', (_, shape) => {
    const field = fieldOf(shape)
    expect(sizeOf(field)).toBeLessThan(10)
  })

  it('an order of ten thousand items is a list of none', () => {
    expect(fieldOf({ type: 'array', items: { type: 'string' }, minItems: 1e9 })).toMatchObject({
      kind: 'list',
      least: 20,
    })
  })
})

function sizeOf(field: Field): number {
  if (field.kind === 'object') return field.fields.reduce((sum, each) => sum + sizeOf(each), 1)
  if (field.kind === 'forms') return field.forms.reduce((sum, each) => sum + sizeOf(each), 1)
  return field.kind === 'list' ? 1 + sizeOf(field.item) : 1
}
