import { describe, expect, test } from 'vitest'
import type { Ask } from './ask.ts'
import type { Json } from './json.ts'
import { readAnswer } from './read-answer.ts'

function asking(kind: string, input: Json): Ask {
  const place = { id: 'ask_1', run: 'run_1', agent: 'asker', path: ['asker'], repeat: 1, n: 1 }
  return { ...place, kind, tool: 'question', input, step: 'question 1.1', since: '2026-01-01T00:00:00.000Z' }
}

const shaped = (shape: Json) => asking('question', { question: 'What?', shape })

/** The data that was read, or `why` there is none. */
function read(ask: Ask, text: string): unknown {
  const answer = readAnswer(ask, text)
  return 'unclear' in answer ? new Error(answer.why) : 'data' in answer ? answer.data : answer
}

const unclear = (why: RegExp) => expect.objectContaining({ message: expect.stringMatching(why) })

describe('one value', () => {
  test.each<[Json, string, Json]>([
    [{ type: 'integer' }, '3', 3],
    [{ type: 'integer' }, ' +３ ', 3],
    [{ type: 'integer' }, '-0', 0],
    [{ type: 'number' }, '1.50', 1.5],
    [{ type: 'number' }, '2.5e3', 2500],
    [{ type: 'number' }, '.5', 0.5],
    [{ type: 'integer' }, '9007199254740992', 9007199254740992],
    [{ type: 'number' }, '5e-324', 5e-324],
    [{ type: 'boolean' }, 'Yes.', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'null' }, 'null', null],
    [{ type: 'string' }, ' a text ', 'a text'],
    [{ type: 'string' }, '3', '3'],
    [{ type: 'string' }, '"in \\"quotes\\""', 'in "quotes"'],
    [{ type: 'string' }, '""', ''],
    [{ type: 'string' }, '"A" and "B"', '"A" and "B"'],
    [{ type: ['string', 'null'] }, 'null', null],
    [{ type: ['string', 'null'] }, '"null"', 'null'],
    [{ type: ['string', 'integer'] }, '3', 3],
    [{ type: ['string', 'boolean'] }, 'y', true],
    [{ type: ['string', 'boolean'] }, '"y"', 'y'],
    [{ enum: ['red', 'Green', 3, null, true] }, 'GREEN', 'Green'],
    [{ enum: ['red', 'Green', 3, null, true] }, '3', 3],
    [{ enum: ['red', 'Green', 3, null, true] }, 'null', null],
    [{ enum: ['red', 'Green', 3, null, true] }, 'yes', true],
    [{ enum: ['1', 1] }, '"1"', '1'],
    [{ enum: ['a', 'A.'] }, 'a', 'a'],
    [{ const: { a: 1 } }, '{"a": 1}', { a: 1 }],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 'de', title: 'German' },
        ],
      },
      'one',
      1,
    ],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 'de', title: 'German' },
        ],
      },
      'german',
      'de',
    ],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 'de', title: 'German' },
        ],
      },
      'DE',
      'de',
    ],
    [{ $ref: '#/$defs/size', $defs: { size: { enum: ['S'] } } }, 's', 'S'],
    [{ type: 'array', items: { type: 'string' } }, '["a"]', ['a']],
    [{ type: 'array' }, '[]', []],
    [true, '"text"', 'text'],
    [{ type: '__proto__' }, '1', 1],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null', null],
  ])('%j: %j', (shape, text, data) => {
    expect(read(shaped(shape), text)).toEqual(data)
  })

  test.each<[Json, string, RegExp]>([
    [{ type: 'integer' }, '1.5', /^The answer must be a whole number\.$/],
    [{ type: 'integer' }, '1.000', /must be a whole number/],
    [{ type: 'integer' }, '9007199254740993', /too large to be kept exactly/],
    [{ type: 'number' }, '1,5', /must be a number/],
    [{ type: 'number' }, '0x10', /must be a number/],
    [{ type: 'number' }, '2.0e999', /too large/],
    [{ type: 'number' }, 'NaN', /must be a number/],
    [{ type: 'integer', minimum: 3 }, '2', /must be at least 3/],
    [{ type: 'number', exclusiveMaximum: 3 }, '3', /must be less than 3/],
    [{ type: 'string', maxLength: 2 }, 'abc', /must have at most 2 characters/],
    [{ type: 'boolean' }, 'maybe', /must be yes or no/],
    [{ type: 'null' }, 'nothing', /must be null/],
    [{ type: ['integer', 'null'] }, 'x', /must be a whole number or null/],
    [{ enum: ['1', 1] }, '1', /more than one/],
    [{ enum: ['one.', 'ONE'] }, 'one', /may be more than one of the values listed: write JSON/],
    [{ enum: ['a', 'A.'] }, 'A', /more than one/],
    [{ enum: ['a'] }, 'b', /must be one of the values listed/],
    [{ type: 'array' }, 'a, b', /must be JSON, such as/],
    [{ type: 'array', minItems: 1 }, '[]', /must have at least 1 item\.$/],
    [{ type: 'array' }, '{}', /must be a list/],
    [{ type: 'object' }, '[1e999]', /must be JSON/],
    [true, 'text', /must be JSON/],
  ])('%j: not %j', (shape, text, why) => {
    expect(read(shaped(shape), text)).toEqual(unclear(why))
  })

  test('of a stranger’s ask: JSON, and nothing is taken for text', () => {
    const ask = asking('rating', { stars: 5 })
    expect(read(ask, '4')).toBe(4)
    expect(read(ask, '{"stars": 4}')).toEqual({ stars: 4 })
    expect(read(ask, 'four')).toEqual(unclear(/^The answer must be JSON/))
  })
})

describe('a flat shape', () => {
  const order = shaped({
    type: 'object',
    properties: {
      size: { $ref: '#/$defs/size', title: 'Your size' },
      count: { type: 'integer', minimum: 1 },
      gift: { type: 'boolean' },
      note: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['size', 'count'],
    additionalProperties: false,
    $defs: { size: { enum: ['S', 'M'], title: 'Size' } },
  })

  test.each<[string, Json]>([
    ['size: m\ncount: 2', { size: 'M', count: 2 }],
    ['Your size: S\n\nCOUNT：２\r\ngift: no\nnote: null', { size: 'S', count: 2, gift: false, note: null }],
    ['size: S\ncount: 1\nnote: at 10:30, "sharp"', { size: 'S', count: 1, note: 'at 10:30, "sharp"' }],
    ['size: S\ncount: 1\nnote: "null"\ntags: ["a", "b"]', { size: 'S', count: 1, note: 'null', tags: ['a', 'b'] }],
    ['size: S\ncount: 1\nnote:\ngift: ', { size: 'S', count: 1 }],
    ['{"size": "S", "count": 1, "note": ""}', { size: 'S', count: 1, note: '' }],
  ])('%j', (text, data) => {
    expect(read(order, text)).toEqual(data)
  })

  test.each<[string, RegExp]>([
    ['size: M', /^"count" is missing\.$/],
    ['size: M\ncount:', /^"count" is missing\.$/],
    ['size: M\ncount: 0', /^"count" must be at least 1\.$/],
    ['size: M\ncount: two', /^"count" must be a whole number\.$/],
    ['size: XL\ncount: 2', /^"size" must be one of the values listed\.$/],
    ['size: M\nsize: S\ncount: 1', /^"size" is there twice\.$/],
    ['size: M\ncount: 1\ncolour: red', /^"colour: red" does not begin with the name of a field and a colon\.$/],
    ['M', /^"M" does not begin with/],
    ['{"size": "S", "count": "1"}', /^"count" must be a whole number\.$/],
    ['{"size": "S", "count": 1.5}', /^"count" must be a whole number\.$/],
    ['{"size": "S"}', /^"count" is missing\.$/],
    ['{"size": "S", "count": 1, "x": 1}', /^"x" is not asked for\.$/],
    ['{"size": "S", "count"', /does not begin with/],
    ['size: S\ncount: 1\ntags: a', /^"tags" must be JSON/],
  ])('not %j', (text, why) => {
    expect(read(order, text)).toEqual(unclear(why))
  })

  test('names that are hard to tell apart, that hold colons, that objects inherit', () => {
    const ask = shaped({
      type: 'object',
      properties: {
        a: { type: 'integer' },
        'a: b': { type: 'string' },
        A: { type: 'integer' },
        __proto__x: {},
        constructor: {},
      },
    })
    expect(read(ask, 'a: 1')).toEqual(unclear(/^"a: 1" may mean more than one field: write JSON/))
    expect(read(ask, 'a: b: 1')).toEqual(unclear(/more than one field/))
    expect(read(ask, 'constructor: 1')).toEqual({ constructor: 1 })
    expect(
      read(
        shaped(JSON.parse('{"properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}')),
        '__proto__: 1',
      ),
    ).toEqual(JSON.parse('{"__proto__":1}'))
    const required = shaped({ properties: { constructor: {} }, required: ['constructor'] })
    expect(read(required, '{}')).toEqual(unclear(/"constructor" is missing/))
  })

  test('a name is read as it was shown, colons and all', () => {
    expect(read(shaped({ properties: { 'at 10:30: what?': { type: 'string' } } }), 'At 10:30: what?: a: b')).toEqual({
      'at 10:30: what?': 'a: b',
    })
    expect(read(shaped({ properties: { 'a\u200bb': { type: 'integer' } } }), 'a‹U+200B›b: 1')).toEqual({
      'a\u200bb': 1,
    })
  })

  test('other fields are left to whoever settles, where the shape does not forbid them', () => {
    const ask = shaped({ type: 'object', properties: { a: { type: 'integer' } } })
    expect(read(ask, '{"a": 1, "b": 2}')).toEqual({ a: 1, b: 2 })
  })

  test('an object with branches is written as JSON', () => {
    const ask = shaped({ type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] })
    expect(read(ask, 'a: 1')).toEqual(unclear(/must be JSON/))
    expect(read(ask, '{"a": 1}')).toEqual({ a: 1 })
  })
})
