import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../protocol/core.ts'
import type { Field, Typed } from './field.ts'
import { fieldOfShape } from './fields-of.ts'
import { isRequired, readField } from './read-field.ts'
import { initialTyped } from './typed.ts'

const fieldOf = (shape: JsonSchema) => fieldOfShape(shape, 'Your answer', { yes: 'yes', no: 'no' })

const c21: JsonSchema = {
  type: 'object',
  properties: { a: { type: 'boolean', default: true }, n: { type: 'integer' }, opt: { type: 'number' } },
  required: ['a', 'n'],
}

/** What is read of fields into which this was typed, the others as they came. */
function readWith(shape: JsonSchema, typed: { [name: string]: Typed } = {}) {
  const field = fieldOf(shape) as Field & { kind: 'object' }
  const initial = initialTyped(field) as Typed[]
  return readField(
    field,
    field.fields.map(
      ({ name = '' }, at) => (Object.hasOwn(typed, name) ? typed[name] : undefined) ?? (initial[at] as Typed),
    ),
  )
}

describe('readField', () => {
  it('C21: sends what is shown, and misses what is needed', () => {
    expect(readWith(c21)).toEqual({ issues: [{ path: '/n', message: isRequired }] })
    expect(readWith(c21, { n: '1' })).toEqual({ value: { a: true, n: 1 } })
    expect(readWith(c21, { n: '1.0', a: { at: [1] } })).toEqual({ value: { a: false, n: 1 } })
  })

  it('C21: what was cleared is left out', () => {
    expect(readWith(c21, { n: '3', opt: '' })).toEqual({ value: { a: true, n: 3 } })
    expect(readWith(c21, { n: '3', opt: ' 0.5 ' })).toEqual({ value: { a: true, n: 3, opt: 0.5 } })
  })

  it.each(['1.5', 'three', '0x10', '1,5', '9007199254740993', '1e999', '--1'])('C21: %j is no whole number', (text) => {
    expect(readWith(c21, { n: text })).toMatchObject({ issues: [{ path: '/n' }] })
  })

  it.each<[JsonSchema, Json]>([
    [{ type: 'array', items: { type: 'string' } }, []],
    [{ type: 'array', items: { enum: ['a'] } }, []],
    [{ type: ['string', 'null'] }, null],
    [{ type: 'boolean', default: false }, false],
    [{ type: 'integer', default: 0 }, 0],
    [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
    [{ const: 7 }, 7],
  ])('C20: %j, as it came, is %j', (shape, value) => {
    expect(readField(fieldOf(shape), initialTyped(fieldOf(shape)))).toEqual({ value })
  })

  it('C20: any value at all can be written as JSON', () => {
    const field = fieldOf(true)
    for (const value of [false, 0, '', null, [], { a: [1] }])
      expect(readField(field, JSON.stringify(value))).toEqual({ value })
    expect(readField(field, '{a: 1}')).toMatchObject({ issues: [{ path: '', message: /must be JSON/ }] })
    expect(readField(field, ' ')).toMatchObject({ issues: [{ path: '' }] })
  })

  it('C27: chosen values keep their type', () => {
    const shape: JsonSchema = {
      type: 'object',
      properties: {
        rank: {
          oneOf: [
            { const: 1, title: 'first' },
            { const: 2, title: 'second' },
          ],
        },
        extras: { type: 'array', items: { enum: ['gift', 'card', 'box'] } },
        maybe: { enum: ['x'] },
      },
      required: ['rank', 'extras'],
    }
    expect(readWith(shape, { rank: { at: [1] }, extras: { at: [2, 0] } })).toEqual({
      value: { rank: 2, extras: ['gift', 'box'] },
    })
    expect(readWith(shape)).toEqual({ issues: [{ path: '/rank', message: isRequired }] })
  })

  const nested: JsonSchema = {
    type: 'object',
    properties: {
      who: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          home: {
            type: 'object',
            properties: { city: { type: 'string' }, land: { type: 'string', default: 'CH' } },
            required: ['city'],
          },
        },
        required: ['name'],
      },
    },
  }

  it('C27: an object that need not be there is left out by leaving it as it was', () => {
    expect(readWith(nested)).toEqual({ value: {} })
    expect(readWith(nested, { who: ['Ann', ['', 'CH']] })).toEqual({ value: { who: { name: 'Ann' } } })
    expect(readWith(nested, { who: ['Ann', ['Bern', 'CH']] })).toEqual({
      value: { who: { name: 'Ann', home: { city: 'Bern', land: 'CH' } } },
    })
    // Half of it is no answer.
    expect(readWith(nested, { who: ['', ['', 'DE']] })).toEqual({
      issues: [
        { path: '/who/name', message: isRequired },
        { path: '/who/home/city', message: isRequired },
      ],
    })
  })

  it('what an optional object shows by itself is sent', () => {
    const shape: JsonSchema = {
      type: 'object',
      properties: { o: { type: 'object', properties: { a: { type: 'boolean', default: true } } } },
    }
    expect(readWith(shape)).toEqual({ value: { o: { a: true } } })
  })

  it('an instant is read in the zone of the reader', () => {
    const field = fieldOf({ type: 'string', format: 'date-time' })
    expect(readField(field, '2026-01-31T12:00')).toEqual({
      value: new Date(2026, 0, 31, 12).toISOString().replace('.000', ''),
    })
  })

  it('names of any kind are names', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "a/b~c": {"type": "string"}}')
    const shape = { type: 'object', properties, required: ['a/b~c'] }
    expect(readWith(shape)).toEqual({ issues: [{ path: '/a~1b~0c', message: isRequired }] })
    const read = readField(fieldOf(shape), ['x', 'y']) as { value: object }
    expect(JSON.stringify(read.value)).toBe('{"__proto__":"x","a/b~c":"y"}')
  })

  it('a text of the person’s own stands beside what is chosen, and counts where it is ticked', () => {
    const choice: Field = {
      kind: 'choice',
      title: '',
      required: true,
      multi: true,
      atLeastOne: true,
      other: true,
      options: ['a', 'b'].map((label) => ({ label, value: label })),
    }
    expect(readField(choice, { at: [] })).toEqual({ issues: [{ path: '', message: isRequired }] })
    expect(readField(choice, { at: [1, -1, 0], other: 'c' })).toEqual({ value: { selected: ['a', 'b'], other: 'c' } })
    expect(readField(choice, { at: [1], other: 'c' })).toEqual({ value: ['b'] })
    expect(readField(choice, { at: [-1], other: ' ' })).toEqual({ issues: [{ path: '/other', message: isRequired }] })
    expect(readField({ ...choice, multi: false }, { at: [-1], other: 'c' })).toEqual({
      value: { selected: [], other: 'c' },
    })
  })
})
