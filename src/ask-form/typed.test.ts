import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../protocol/core.ts'
import type { Field } from './field.ts'
import { fieldOfShape } from './fields-of.ts'
import { readField } from './read-field.ts'
import { initialTyped, isTyped, typedOf } from './typed.ts'

const fieldOf = (shape: JsonSchema) => fieldOfShape(shape, 'Your answer', { yes: 'yes', no: 'no' })

const everything: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    story: { type: 'string', maxLength: 500 },
    n: { type: 'integer' },
    maybe: { type: ['number', 'null'] },
    one: { enum: ['a', 1, null, false] },
    some: { type: 'array', items: { enum: ['x', 'y', 'z'] } },
    list: { type: 'array', items: { type: 'object', properties: { at: { type: 'string', format: 'date' } } } },
    any: {},
    either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
  },
  required: ['text', 'story', 'n', 'maybe', 'one', 'some', 'list', 'any', 'either'],
}

const line = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !/[\r\n]/.test(text))
const answers = fc.record({
  text: line,
  story: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
  n: fc.integer(),
  maybe: fc.option(fc.integer()),
  one: fc.constantFrom('a', 1, null, false),
  some: fc.subarray(['x', 'y', 'z']),
  list: fc.array(fc.record({ at: fc.constantFrom('2026-01-31', '1999-12-31') })),
  any: fc.jsonValue().filter((value) => JSON.stringify(value) !== '-0'),
  either: fc.oneof(line, fc.array(fc.integer(), { maxLength: 5 })),
})

describe('typedOf', () => {
  it('shows every answer that it takes, so that reading gives it again; and it is a draft', () => {
    const field = fieldOf(everything)
    fc.assert(
      fc.property(answers, (answer) => {
        const value = JSON.parse(JSON.stringify(answer)) as Json
        const typed = typedOf(field, value)
        if (typed === undefined) throw new Error('It cannot be shown.')
        expect(readField(field, typed)).toEqual({ value })
        expect(isTyped(field, JSON.parse(JSON.stringify(typed)))).toBe(true)
      }),
    )
  })

  it('an instant keeps its moment through the zone of the reader', () => {
    const field = fieldOf({ type: 'string', format: 'date-time' })
    for (const instant of [
      '2026-01-31T12:00:00Z',
      '2026-07-31T23:59:59Z',
      '2026-03-29T02:30:00Z',
      '2026-01-01T00:00:00.120Z',
    ])
      expect(readField(field, typedOf(field, instant) ?? '')).toEqual({ value: instant })
    expect(readField(field, typedOf(field, '2026-01-31T12:00:00+05:00') ?? '')).toEqual({
      value: '2026-01-31T07:00:00Z',
    })
  })

  it.each<[string, JsonSchema, Json]>([
    ['a key without a field', { type: 'object', properties: { a: {} } }, { b: 1 }],
    ['a value that is no option', { enum: ['a'] }, 'b'],
    ['a choice given twice', { type: 'array', items: { enum: ['a', 'b'] } }, ['a', 'a']],
    ['lines in a field for one', { type: 'string' }, 'a\nb'],
    ['a fraction', { type: 'integer' }, 1.5],
    ['a text for a number', { type: 'number' }, '1'],
    ['null where it is not allowed', { type: 'string' }, null],
    ['no date', { type: 'string', format: 'date' }, 'tomorrow'],
    ['no instant', { type: 'string', format: 'date-time' }, '2026-01-31'],
    [
      'more items than can be drawn',
      { type: 'array', items: { type: 'number' } },
      Array.from({ length: 101 }, () => 1),
    ],
  ])('does not show %s as something else', (_, shape, value) => {
    expect(typedOf(fieldOf(shape), value)).toBeUndefined()
  })
})

describe('isTyped', () => {
  const drafts: unknown[] = [
    undefined,
    null,
    1,
    'x',
    [],
    {},
    { at: [9] },
    { at: ['0'] },
    { at: [0, 1] },
    { at: [-1] },
    { form: 7 },
    [''],
  ]
  const shapes: JsonSchema[] = [
    everything,
    { enum: ['a', 'b'] },
    { anyOf: [{ type: 'string' }, { type: 'object' }] },
    { type: 'string' },
  ]

  it('lets nothing through that cannot be drawn and read; of several forms, none is chosen in what is no choice', () => {
    for (const field of shapes.map(fieldOf)) {
      for (const draft of drafts) if (isTyped(field, draft)) readField(field, draft)
    }
    expect(shapes.map((shape) => drafts.filter((draft) => isTyped(fieldOf(shape), draft)).length)).toEqual([0, 0, 5, 1])
  })

  it('takes what a field shows at first', () => {
    const fields: Field[] = [...shapes, { type: 'array', items: {}, minItems: 3 } as const].map(fieldOf)
    for (const field of fields) expect(isTyped(field, initialTyped(field))).toBe(true)
  })
})
