import { beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonSchema } from '../core/json.ts'
import { checkAnswer } from './check-answer.ts'
import { type CheckThread, createCheckThread } from './check-thread.ts'
import { costOf, maxCostInPlace } from './cost.ts'
import { loadPatternCompiler, type PatternCompiler } from './pattern.ts'

let compile: PatternCompiler
beforeAll(async () => {
  compile = await loadPatternCompiler()
})

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const form = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '\\S' },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer' },
  },
  required: ['name'],
}

describe('checked in place: what people answer', () => {
  test.each<[string, JsonSchema, Json]>([
    ['a label', { enum: times(50, (i) => `choice ${i}`) }, 'choice 3'],
    [
      'several of fifty labels',
      { type: 'array', items: { enum: times(50, (i) => `choice ${i}`) }, uniqueItems: true },
      times(50, (i) => `choice ${i}`),
    ],
    ['a form', form, { name: 'Ann', mail: 'ann@example.com', age: 33 }],
    ['a text of two pages', { type: 'string', pattern: '\\S' }, 'word '.repeat(1500)],
  ])('%s', (_name, schema, data) => {
    expect(costOf(schema, data, compile)).toBeLessThan(maxCostInPlace)
  })
})

describe('hostile: sent to the worker, whatever the shape allowed', () => {
  const hostile: [string, JsonSchema, Json][] = [
    [
      '200 constants for each item of 8 kB',
      { items: { anyOf: times(200, (i) => ({ const: i })) } },
      times(1600, () => 'abc'),
    ],
    [
      '390 times allOf and not, 32 kB',
      { items: { allOf: times(195, () => ({ not: { type: 'number' } })) } },
      times(6000, () => 'abc'),
    ],
    [
      'an expensive pattern on long texts',
      { items: { pattern: '(a?){100}a{100}b' } },
      times(10, () => 'a'.repeat(4000)),
    ],
    ['unevaluatedProperties', { allOf: [form], unevaluatedProperties: false }, { name: 'Ann' }],
    ['many references', { $defs: { a: {} }, allOf: times(100, () => ({ $ref: '#/$defs/a' })) }, times(20, () => 1)],
    ['a pattern for the native engine', { pattern: '(?=a)' }, 'a'],
    ['recursion', { properties: { a: { $ref: '#' } } }, {}],
  ]
  test.each(hostile)('%s', async (_name, schema, data) => {
    expect(costOf(schema, data, compile)).toBeGreaterThan(maxCostInPlace)
    let asked = 0
    const thread: CheckThread = {
      check: async () => {
        asked += 1
        return []
      },
      end: async () => {},
    }
    await checkAnswer(schema, data, { thread })
    expect(asked).toBe(1)
  })

  test.each(hostile)('%s: it ends with an answer', async (_name, schema, data) => {
    const thread = createCheckThread()
    expect(await checkAnswer(schema, data, { thread, deadlineMs: 15_000 })).toBeInstanceOf(Array)
    await thread.end()
  })
})

test('uniqueItems looks at each object once: the work grows with the list, not with its square', async () => {
  let read = 0
  const reading = (id: number) => {
    read += 1
    return id
  }
  const counted = (count: number) =>
    times(count, (id) => Object.defineProperty({}, 'id', { enumerable: true, get: () => reading(id) }) as Json)
  const schema = { type: 'array', uniqueItems: true }
  const readFor = async (count: number) => {
    const objects = counted(count)
    expect(costOf(schema, objects, compile)).toBeLessThan(maxCostInPlace)
    read = 0
    expect(await checkAnswer(schema, objects)).toEqual([])
    return read / count
  }
  expect(await readFor(500)).toBe(await readFor(4000))
})

test('8,000 objects that must differ are checked, and the one that does not is found', async () => {
  const objects = times(8000, (id) => ({ id: id % 7999 }))
  expect(await checkAnswer({ type: 'array', uniqueItems: true }, objects)).toEqual([
    { path: '/7999', message: 'is there twice' },
  ])
})
