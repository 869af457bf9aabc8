import { describe, expect, test } from 'vitest'
import type { Json, JsonSchema } from '../core/json.ts'
import { checkAnswer } from './check-answer.ts'
import { checkShape } from './check-shape.ts'

async function messageOf(shape: Json): Promise<string> {
  const checked = await checkShape(shape)
  return checked.ok ? 'ok' : checked.message
}

/** Definitions that each refer twice to the one before. */
function doubled(depth: number): JsonSchema {
  const $defs: { [name: string]: Json } = { d0: { type: 'string' } }
  for (let i = 1; i <= depth; i += 1) {
    $defs[`d${i}`] = { properties: { a: { $ref: `#/$defs/d${i - 1}` }, b: { $ref: `#/$defs/d${i - 1}` } } }
  }
  return { $defs, $ref: `#/$defs/d${depth}` }
}

const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) })
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const propertiesOf = (count: number) => Object.fromEntries(times(count, (i) => [`p${i}`, true]))

describe('a shape that may be asked for', () => {
  test.each<[string, Json]>([
    ['a number', { type: 'integer', minimum: 0 }],
    ['true', true],
    ['nothing said', {}],
    ['a form', { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] }],
    [
      'C27: an enum by reference',
      { $defs: { size: { enum: ['S', 'M'] } }, properties: { size: { $ref: '#/$defs/size' } } },
    ],
    [
      'C27: oneOf of const and title',
      {
        oneOf: [
          { const: 1, title: 'Low' },
          { const: 2, title: 'High' },
        ],
      },
    ],
    ['a reference by an anchor', { $defs: { a: { $anchor: 'size', type: 'string' } }, items: { $ref: '#size' } }],
    ['a reference with escapes', { $defs: { 'a/b~c d': { type: 'string' } }, items: { $ref: '#/$defs/a~1b~0c%20d' } }],
    ['names that look like keywords', { properties: { $ref: { type: 'string' }, enum: {}, properties: {} } }],
    ['data that looks like a schema', { const: { $ref: 'https://example.com', typ: 1 }, default: { $dynamicRef: 1 } }],
    ['a format that is not checked', { type: 'string', format: 'phone' }],
    ['just 16 deep', nested(15)],
    ['just 400 subschemas', { allOf: times(399, () => ({})) }],
    ['just 200 properties', { properties: propertiesOf(200) }],
    ['just 500 values', { enum: times(500, (i) => i) }],
    ['just 20 patterns', { allOf: times(20, (i) => ({ pattern: `a${i}` })) }],
    ['references doubled 8 deep', doubled(8)],
    ['names that every object has', { properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}') }],
  ])('%s', async (_name, shape) => {
    expect(await messageOf(shape)).toBe('ok')
  })
})

describe('a shape that a model must repair: where, what was seen, what to do', () => {
  test.each<[string, Json, RegExp]>([
    ['a text', '{"type":"string"}', /The shape is a text\. Send the JSON Schema itself/],
    ['null', null, /The shape is null/],
    ['a list', [], /The shape is a list/],
    ['false', false, /no answer would fit/],
    ['a type that is none', { type: 'strin' }, /#\/type: "strin" does not fit\. Write one of array, boolean/],
    ['a wrong value', { items: { minLength: '3' } }, /#\/items\/minLength: "3" does not fit\. Write a whole number/],
    [
      'no schema where one must be',
      { properties: { a: 'string' } },
      /#\/properties\/a: "string" stands where a JSON Schema must/,
    ],
    [
      'properties as a list',
      { properties: ['a'] },
      /#\/properties: a list does not fit\. Write an object of JSON Schemas/,
    ],
    ['an empty enum', { enum: [] }, /#\/enum: \[\] does not fit\. Write a list with at least one value/],
    ['an empty anyOf', { anyOf: [] }, /#\/anyOf: a list does not fit/],
    [
      'an unknown keyword',
      { type: 'object', propertes: {} },
      /"propertes" is no keyword of JSON Schema\. Did you mean "properties"\?/,
    ],
    ['an unknown keyword near none', { nullable: true }, /"nullable" is no keyword of JSON Schema\. Leave it out/],
    ['a keyword of the other draft', { dependencies: {} }, /is no keyword of 2020-12, but of draft-07/],
    [
      'a remote reference',
      { $ref: 'https://example.com/a.json' },
      /#\/\$ref: "https:\/\/example.com\/a.json" is not a reference inside/,
    ],
    ['a relative reference', { items: { $ref: 'a.json#/b' } }, /nothing is fetched/],
    ['a reference to nothing', { items: { $ref: '#/$defs/a' } }, /#\/items\/\$ref: "#\/\$defs\/a" points at no schema/],
    ['a reference into data', { enum: [{}], items: { $ref: '#/enum/0' } }, /points at no schema/],
    ['a reference that cannot be read', { $ref: '#/%' }, /points at no schema/],
    [
      'a reference to the whole',
      { properties: { child: { $ref: '#' } } },
      /#\/properties\/child\/\$ref: the shape refers to itself/,
    ],
    [
      'recursion through definitions',
      { $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' },
      /refers to itself/,
    ],
    ['recursion by an anchor', { $anchor: 'top', items: { $ref: '#top' } }, /refers to itself/],
    ['a dynamic reference', { $dynamicRef: '#a' }, /"\$dynamicRef" cannot be used\. Write \$ref/],
    [
      'an $id inside',
      { properties: { a: { $id: 'https://example.com/a' } } },
      /"\$id" may stand on the outermost schema only/,
    ],
    ['look-ahead', { pattern: '^(?=.*\\d).+$' }, /#\/pattern: the pattern .* uses look-around/],
    ['look-behind', { pattern: '(?<!a)b' }, /uses look-around/],
    ['a back-reference', { pattern: '(a)\\1' }, /uses a back-reference/],
    ['a named back-reference', { pattern: '(?<x>a)\\k<x>' }, /uses a back-reference/],
    [
      'a pattern that is none',
      { patternProperties: { '(': {} } },
      /#\/patternProperties: the pattern "\(" is not a regular expression/,
    ],
    ['a pattern whose program is huge', { pattern: '(a{20}b{20}){25}' }, /is too large \(\d+ steps, at most 1000\)/],
    ['a pattern that repeats repetitions', { pattern: '(a{40}){40}' }, /repeats too often: use smaller repetitions/],
    ['a long pattern', { pattern: 'a'.repeat(257) }, /more than 256 characters/],
    ['too many patterns', { allOf: times(21, () => ({ pattern: 'a' })) }, /more than 20 patterns/],
    ['too many values', { enum: times(501, (i) => i) }, /more than 500 enum values/],
    ['too many properties', { properties: propertiesOf(201) }, /more than 200 properties/],
    ['too many subschemas', { allOf: times(400, () => ({})) }, /more than 400 subschemas/],
    ['too deep', nested(16), /more than 16 schemas inside each other/],
    ['too large', { description: 'x'.repeat(33_000) }, /larger than 32768 bytes/],
    ['larger in bytes than in characters', { description: '…'.repeat(12_000) }, /larger than 32768 bytes/],
    ['unevaluated twice', { unevaluatedItems: false, items: { unevaluatedItems: false } }, /more than 1 unevaluated/],
  ])('%s', async (_name, shape, message) => {
    expect(await messageOf(shape)).toMatch(message)
  })

  test('several problems are told at once, but not all of fifty', async () => {
    const shape = { properties: Object.fromEntries(times(50, (i) => [`p${i}`, { tpye: 'string' }])) }
    expect((await messageOf(shape)).split('\n')).toHaveLength(3)
  })

  test('a message stays short, whatever was written', async () => {
    expect((await messageOf({ type: 'x'.repeat(20_000) })).length).toBeLessThan(400)
    expect((await messageOf({ ['x'.repeat(20_000)]: 1 })).length).toBeLessThan(500)
  })
})

describe('hostile shapes end, and say why', () => {
  const deepList = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as Json

  test.each<[string, Json, RegExp]>([
    ['references doubled 28 deep: counted, not walked', doubled(28), /more than 2000 subschemas once its references/],
    ['20,000 properties', { properties: propertiesOf(20_000) }, /larger than 32768 bytes/],
    ['nested 10,000 deep in a default', { default: deepList }, /more than 48 deep/],
    ['schemas nested 5,000 deep', nested(5000), /more than 48 deep/],
  ])('%s', async (_name, shape, message) => {
    expect(await messageOf(shape)).toMatch(message)
  })

  test('^(a+)+$ is harmless on a linear engine, so it may be asked', async () => {
    const shape = { type: 'string', pattern: '^(a+)+$' }
    expect(await messageOf(shape)).toBe('ok')
    expect(await checkAnswer(shape, `${'a'.repeat(4000)}b`)).toEqual([
      { path: '', message: 'must match the pattern ^(a+)+$' },
    ])
  })
})

describe('C28: dialects', () => {
  const said = (name: string) => `//json-schema.org/${name}`

  test.each(['draft-07/schema', 'draft-07/schema#', 'draft/2020-12/schema', 'draft/2020-12/schema#'])(
    '%s, http and https',
    async (name) => {
      for (const scheme of ['http:', 'https:']) {
        const shape = { $schema: scheme + said(name), type: 'integer' }
        for (let use = 0; use < 2; use += 1) {
          expect(await messageOf(shape)).toBe('ok')
          expect(await checkAnswer(shape, 1)).toEqual([])
          expect(await checkAnswer(shape, 'a')).toEqual([{ path: '', message: 'must be a whole number' }])
        }
      }
    },
  )

  test.each([
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/draft-06/schema#',
    'draft-07',
    '',
    '__proto__',
    'ftp://json-schema.org/draft-07/schema',
  ])('%s is refused', async ($schema) => {
    expect(await messageOf({ $schema })).toMatch(
      /^At #\/\$schema: .* is not a dialect that can be checked\. Leave \$schema out/,
    )
  })

  test('a keyword means what its dialect says', async () => {
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }
    const tuple = [{ type: 'string' }]
    expect(await messageOf({ ...draft7, items: tuple })).toBe('ok')
    expect(await messageOf({ items: tuple })).toMatch(/#\/items: a list stands where a JSON Schema must/)
    expect(await messageOf({ prefixItems: tuple, unevaluatedItems: false })).toBe('ok')
    expect(await messageOf({ ...draft7, prefixItems: tuple })).toMatch(/but of 2020-12/)
    expect(await checkAnswer({ prefixItems: tuple, unevaluatedItems: false }, ['a', 1])).toEqual([
      { path: '/1', message: 'is not asked for' },
    ])
  })

  test('two questions with one $id know nothing of each other', async () => {
    const $id = 'https://example.com/same'
    const first = { $id, $defs: { v: { const: 1 } }, $ref: '#/$defs/v' }
    const second = { $id, $defs: { v: { const: 2 } }, $ref: '#/$defs/v' }
    for (let use = 0; use < 2; use += 1) {
      expect(await messageOf(first)).toBe('ok')
      expect(await messageOf(second)).toBe('ok')
      expect(await checkAnswer(first, 1)).toEqual([])
      expect(await checkAnswer(second, 1)).toEqual([{ path: '', message: 'must be 2' }])
      expect(await checkAnswer(second, 2)).toEqual([])
    }
  })

  test('nothing is changed in what it was given', async () => {
    const shape = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'x',
      properties: { a: { enum: [1] } },
    }
    const before = structuredClone(shape)
    await checkShape(shape)
    await checkAnswer(shape, { a: 2 })
    expect(shape).toEqual(before)
  })
})
