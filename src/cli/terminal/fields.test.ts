import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../core/json.ts'
import { type Field, fieldsOf, readField } from './fields.ts'

function kinds(shape: Parameters<typeof fieldsOf>[0]): Record<string, Field['kind']> {
  return Object.fromEntries(fieldsOf(shape).map(({ name = '', kind }) => [name, kind]))
}

describe('fieldsOf', () => {
  it('gives one field for each property of a flat shape, what is nested as JSON', () => {
    const shape: JsonSchema = {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name', description: 'as on the door' },
        age: { type: 'integer' },
        weight: { type: 'number' },
        adult: { type: 'boolean', default: true },
        size: { enum: ['S', 'M'] },
        rank: { oneOf: [{ const: 1, title: 'first' }, { const: 2 }] },
        extras: { type: 'array', items: { enum: ['gift', 'card'] }, uniqueItems: true },
        maybe: { type: ['string', 'null'] },
        address: { type: 'object', properties: { city: { type: 'string' } } },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['name'],
    }
    expect(kinds(shape)).toEqual({
      name: 'text',
      age: 'integer',
      weight: 'number',
      adult: 'choice',
      size: 'choice',
      rank: 'choice',
      extras: 'choices',
      maybe: 'json',
      address: 'json',
      list: 'json',
    })
    const [name, , , adult, , rank] = fieldsOf(shape)
    expect(name).toMatchObject({ title: 'Your name', description: 'as on the door', required: true })
    expect(adult).toMatchObject({ required: false, initial: true, options: [{ value: true }, { value: false }] })
    expect(rank?.options).toEqual([
      { label: 'first', value: 1 },
      { label: '2', value: 2 },
    ])
  })

  it('C27: follows local references, and takes a title beside one', () => {
    const shape = {
      $defs: { 'a/b': { enum: [1, 2] } },
      type: 'object',
      properties: { n: { $ref: '#/$defs/a~1b', title: 'Number' } },
    }
    expect(fieldsOf(shape)).toMatchObject([
      { name: 'n', title: 'Number', kind: 'choice', options: [{ value: 1 }, { value: 2 }] },
    ])
  })

  it('gives one field for a shape that is no form', () => {
    expect(fieldsOf({ type: 'integer' })).toMatchObject([{ kind: 'integer', required: true }])
    expect(fieldsOf({ type: 'object', patternProperties: {} })).toMatchObject([{ kind: 'json' }])
    expect(fieldsOf({ type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }] })).toMatchObject([
      { kind: 'json' },
    ])
    expect(fieldsOf(true)).toMatchObject([{ kind: 'json' }])
    expect(fieldsOf({ $ref: '#' })).toMatchObject([{ kind: 'json' }])
  })
})

describe('readField', () => {
  it.each([
    ['integer', '3', 3],
    ['integer', ' -0 ', -0],
    ['integer', '1.0', 1],
    ['number', '1.5e3', 1500],
    ['text', ' as typed ', ' as typed '],
    ['text', '3', '3'],
    ['json', 'null', null],
    ['json', '{"a": [1]}', { a: [1] }],
  ] as const)('C21: reads %s from %j', (kind, typed, value) => {
    expect(readField({ kind, required: true }, typed)).toEqual({ value })
  })

  it.each([
    ['integer', '1.5'],
    ['integer', 'three'],
    ['integer', '0x10'],
    ['number', 'Infinity'],
    ['number', '1,5'],
    ['json', '{a: 1}'],
  ] as const)('C21: says that %s cannot be read from %j', (kind, typed) => {
    expect(readField({ kind, required: false }, typed)).toEqual({ problem: expect.stringMatching(/^Type /) })
  })

  it('C21, C40: blank leaves an optional field out and is no answer to a required one', () => {
    expect(readField({ kind: 'integer', required: false }, '  ')).toBe('left out')
    expect(readField({ kind: 'text', required: true }, '\n')).toEqual({ problem: 'An answer is needed here.' })
  })
})
