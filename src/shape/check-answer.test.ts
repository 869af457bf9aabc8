import { describe, expect, test } from 'vitest'
import type { Json, JsonSchema } from '../core/json.ts'
import { checkAnswer } from './check-answer.ts'

const draft07 = 'http://json-schema.org/draft-07/schema#'

async function issuesOf(schema: JsonSchema, data: Json): Promise<string[]> {
  return (await checkAnswer(schema, data)).map(({ path, message }) => `${path} ${message}`)
}

describe('C20: every JSON value is an answer where the shape allows it', () => {
  test.each<[JsonSchema, Json]>([
    [{ type: 'boolean' }, false],
    [{ type: 'integer' }, 0],
    [{ type: 'string' }, ''],
    [{ type: ['string', 'null'] }, null],
    [{ type: 'array' }, []],
  ])('%j takes %j', async (schema, data) => {
    expect(await issuesOf(schema, data)).toEqual([])
  })

  test('null where the shape forbids it', async () => {
    expect(await issuesOf({ type: 'string' }, null)).toEqual([' must be text'])
    expect(await issuesOf({ type: ['string', 'number'] }, null)).toEqual([' must be text or a number'])
  })
})

describe('C21: nothing is coerced', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'boolean', default: true }, n: { type: 'integer' }, opt: { type: 'number' } },
    required: ['a', 'n'],
  }
  test.each<[Json, string[]]>([
    [{ a: true, n: 1 }, []],
    [{ a: true, n: 1.0 }, []],
    [{ a: 'true', n: 1 }, ['/a must be true or false']],
    [{ a: true, n: '3' }, ['/n must be a whole number']],
    [{ a: true, n: 1.5 }, ['/n must be a whole number']],
    [{ n: 1 }, ['/a is required']],
    [{ a: true, n: 1, opt: null }, ['/opt must be a number']],
  ])('%j', async (data, issues) => {
    expect(await issuesOf(schema, data)).toEqual(issues)
  })
})

describe('C26: what does not fit is told by field', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
  }
  test.each<[Json, string[]]>([
    [{}, ['/name is required']],
    [{ name: 42 }, ['/name must be text']],
    [{ name: 'Ann', age: -5 }, ['/age must be at least 0']],
    [{ name: 'Ann', extra: 1 }, []],
    [{ age: 'x' }, ['/name is required', '/age must be a whole number']],
    [[], [' must be an object']],
  ])('%j', async (data, issues) => {
    expect((await issuesOf(schema, data)).sort()).toEqual(issues.sort())
  })

  test('an extra key, where the shape says none', async () => {
    expect(await issuesOf({ ...schema, additionalProperties: false }, { name: 'Ann', extra: 1 })).toEqual([
      '/extra is not asked for',
    ])
  })
})

describe('C27: the server half', () => {
  test('an enum by reference, and numbers with titles', async () => {
    const sizes = {
      $defs: { size: { enum: ['S', 'M', 'L'] } },
      type: 'object',
      properties: { size: { $ref: '#/$defs/size' } },
    }
    expect(await issuesOf(sizes, { size: 'M' })).toEqual([])
    expect(await issuesOf(sizes, { size: 'XL' })).toEqual(['/size must be one of: S, M, L'])
    const levels = {
      oneOf: [
        { const: 1, title: 'Low' },
        { const: 2, title: 'High' },
      ],
    }
    expect(await issuesOf(levels, 1)).toEqual([])
    expect(await issuesOf(levels, '1')).toEqual([' must be one of: 1 (Low), 2 (High)'])
  })

  test('a list of one or two different values', async () => {
    const schema = { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2, uniqueItems: true }
    expect(await issuesOf(schema, ['a', 'b'])).toEqual([])
    expect(await issuesOf(schema, [])).toEqual([' must have at least 1 item'])
    expect(await issuesOf(schema, ['a', 'a'])).toEqual(['/1 is there twice'])
    expect(await issuesOf(schema, ['a', 'b', 'd'])).toEqual([
      '/2 must be one of: a, b, c',
      ' must have at most 2 items',
    ])
  })

  test('an object two deep', async () => {
    const schema = { properties: { to: { type: 'object', properties: { zip: { type: 'string', minLength: 4 } } } } }
    expect(await issuesOf(schema, { to: { zip: '12' } })).toEqual(['/to/zip must have at least 4 characters'])
  })

  test.each([
    ['email', 'ann@example.com', 'ann', 'an email address'],
    ['date', '2026-02-28', '2026-02-30', 'a date, such as 2026-01-31'],
    [
      'date-time',
      '2026-02-28T10:00:00Z',
      '2026-02-28 10:00',
      'a date and time with its zone, such as 2026-01-31T12:00:00Z',
    ],
    ['uri', 'https://example.com/a?b', 'example', 'a URI, such as https://example.com'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8', 'a UUID'],
  ])('format %s', async (format, right, wrong, what) => {
    const schema = { type: 'string', format }
    expect(await issuesOf(schema, right)).toEqual([])
    for (const text of [wrong, '', `${right}${' '.repeat(5000)}`]) {
      expect(await issuesOf(schema, text)).toEqual([` must be ${what}`])
    }
  })

  test('a schema that came unchecked and refers outside is not followed, and lets nothing through', async () => {
    expect(await issuesOf({ $ref: 'http://127.0.0.1:9/a.json' }, 'x')).toEqual([
      ' cannot be checked: the schema refers to something outside it',
    ])
  })
})

describe('messages', () => {
  test.each<[JsonSchema, Json, string[]]>([
    [{ type: 'string', pattern: '\\S' }, ' \u00a0\u3000\n', [' must not be blank']],
    [{ type: 'string', pattern: '\\S' }, `${' '.repeat(10_000)}x`, []],
    [{ pattern: '^[A-Z]+$' }, 'abc', [' must match the pattern ^[A-Z]+$']],
    [{ pattern: '^[A-Z]+$' }, 'A'.repeat(5000), [' must have at most 4,096 characters']],
    [{ minLength: 1 }, '', [' must not be empty']],
    [{ maxLength: 1 }, 'ab', [' must have at most 1 character']],
    [{ maximum: 3 }, 4, [' must be at most 3']],
    [{ exclusiveMinimum: 3 }, 3, [' must be more than 3']],
    [{ exclusiveMaximum: 3 }, 3, [' must be less than 3']],
    [{ multipleOf: 0.01 }, 1.005, [' must be a multiple of 0.01']],
    [{ const: { a: 1 } }, 2, [' must be {"a":1}']],
    [{ enum: ['only'] }, 'x', [' must be only']],
    [{ enum: ['', null] }, 'x', [' must be one of: "", null']],
    [
      { enum: Array.from({ length: 30 }, (_, i) => i) },
      'x',
      [` must be one of: ${Array.from({ length: 20 }, (_, i) => i).join(', ')}, … (30 in all)`],
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 1, [' must be text or a list']],
    [{ anyOf: [{ type: 'integer', minimum: 5 }, { type: 'array' }] }, 1, [' does not fit any of the allowed forms']],
    [
      { oneOf: [{ type: 'integer' }, { minimum: 2 }] },
      3,
      [' fits several of the allowed forms; it must fit exactly one'],
    ],
    [{ not: { enum: ['root'] } }, 'root', [' must not be root']],
    [{ not: {} }, 'root', [' is not allowed']],
    [{ properties: { a: false } }, { a: 1 }, ['/a is not allowed']],
    [{ contains: { const: 1 } }, [2], [' must contain at least 1 item of the kind asked for']],
    [{ minProperties: 2 }, { a: 1 }, [' must have at least 2 fields']],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, [' has the name "abc", which is not allowed']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['/b is required with what else was given']],
    [{ maxItems: 0 }, [1], [' must be empty']],
  ])('%j with %j', async (schema, data, issues) => {
    expect(await issuesOf(schema, data)).toEqual(issues)
  })

  test('the first twenty are told', async () => {
    const data = Array.from({ length: 100 }, () => 'x')
    expect(await checkAnswer({ items: { type: 'number' } }, data)).toHaveLength(20)
  })
})

describe('paths are JSON Pointers', () => {
  test.each<[Json, string]>([
    [{ 'a/b': { '~': 'x' } }, '/a~1b/~0'],
    [{ a: { b: 1 }, 'a/b': 'x' }, '/a~1b'],
    [{ '': 'x' }, '/'],
    [[[1, 'x']], '/0/1'],
  ])('%j', async (data, path) => {
    const schema = { $defs: { n: { type: ['number', 'object', 'array'] } } }
    const levels = (depth: number): JsonSchema =>
      depth === 0
        ? { $ref: '#/$defs/n' }
        : { $ref: '#/$defs/n', additionalProperties: levels(depth - 1), items: levels(depth - 1) }
    expect(await checkAnswer({ ...schema, ...(levels(2) as object) }, data)).toEqual([
      { path, message: 'must be a number or an object or a list' },
    ])
  })
})

describe('names that every object inherits are names like any other', () => {
  const own = (json: string) => JSON.parse(json) as { [key: string]: Json }

  test.each<[JsonSchema, string, string[]]>([
    [{ additionalProperties: false }, '{"constructor":1}', ['/constructor is not asked for']],
    [{ additionalProperties: false }, '{"_id":1}', ['/_id is not asked for']],
    [{ additionalProperties: false }, '{"__proto__":1}', ['/__proto__ is not asked for']],
    [{ unevaluatedProperties: false, properties: {} }, '{"toString":1}', ['/toString is not asked for']],
    [{ required: ['constructor', 'valueOf'] }, '{}', ['/constructor is required', '/valueOf is required']],
    [{ dependentRequired: { a: ['toString'] } }, '{"a":1}', ['/toString is required with what else was given']],
    [{ properties: own('{"__proto__":{"type":"string"}}') }, '{"__proto__":1}', ['/__proto__ must be text']],
    [{ properties: own('{"__proto__":{"type":"string"}}') }, '{"schema":1,"parent":2,"validators":3}', []],
    [{ dependentSchemas: own('{"__proto__":{"required":["b"]}}') }, '{"__proto__":1}', ['/b is required']],
    [{ dependentSchemas: {} }, '{"constructor":1}', []],
    [{ uniqueItems: true }, '[{"valueOf":1},{"valueOf":1}]', ['/1 is there twice']],
    [{ const: own('{"toString":1}') }, '{"toString":1}', []],
  ])('%j with %s', async (schema, data, issues) => {
    expect(await issuesOf(schema, JSON.parse(data) as Json)).toEqual(issues)
  })
})

test('values are the same whatever the order of their keys', async () => {
  expect(await issuesOf({ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 })).toEqual([])
  expect(
    await issuesOf({ uniqueItems: true }, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ).toEqual(['/1 is there twice'])
  expect(await issuesOf({ uniqueItems: true }, [1, true, '1', [1], { a: 1 }])).toEqual([])
})

describe('what the library has otherwise', () => {
  const inside = (schema: JsonSchema) => ({ additionalProperties: schema, unevaluatedProperties: { type: 'number' } })
  test.each<[string, JsonSchema, Json, string[]]>([
    ['a limit of 0', { maximum: 0 }, 1, [' must be at most 0']],
    ['a limit of 0, in draft-07', { $schema: draft07, maximum: 0 }, 0.5, [' must be at most 0']],
    ['contains true', { contains: true }, [], [' must contain at least 1 item of the kind asked for']],
    ['none of all', { contains: true, maxContains: 0 }, [1], [' must contain at most 0 items of the kind asked for']],
    ['none of none', { contains: false, minContains: 0 }, [1], []],
    ['decimals', { multipleOf: 0.01 }, 19.99, []],
    ['large numbers', { multipleOf: 3 }, 1e300, [' must be a multiple of 3']],
    ['a list, asked of its names', { unevaluatedProperties: false }, [1], []],
    ['an object, beside items', { items: true, unevaluatedProperties: false }, { a: 1 }, ['/a is not asked for']],
    [
      'a branch that does not fit',
      { oneOf: [{ type: 'object', items: true }, true], unevaluatedItems: false },
      [1],
      ['/0 is not asked for'],
    ],
    ['a reference to anything', { ...inside({ $ref: '#/$defs/x' }), $defs: { x: true } }, { a: 'x' }, []],
  ])('%s', async (_name, schema, data, issues) => {
    expect(await issuesOf(schema, data)).toEqual(issues)
  })
})

test('the size is checked first', async () => {
  expect(await issuesOf({ type: 'string' }, 'x'.repeat(300_000))).toEqual([' must be at most 256 KiB'])
})

test('a schema that is none lets nothing through', async () => {
  expect(await issuesOf({ type: 'array', items: { pattern: '(' } }, ['a'])).toEqual([
    ' could not be checked: make it shorter or simpler',
  ])
})

test('schemas of developers may do what shapes may not: look-around, recursion', async () => {
  expect(await issuesOf({ pattern: '^(?!root$)' }, 'root')).toEqual([' must match the pattern ^(?!root$)'])
  expect(await issuesOf({ pattern: '^(?!root$)' }, 'ann')).toEqual([])
  const tree = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#' } } },
    additionalProperties: false,
  }
  expect(await issuesOf(tree, { children: [{ children: [] }] })).toEqual([])
  expect(await issuesOf(tree, { children: [{ kids: [] }] })).toEqual(['/children/0/kids is not asked for'])
})
