import fc from 'fast-check'
import type { Json } from 'querent/extension'
import { expect, test } from 'vitest'
import { deltaOf, patched } from './delta.ts'

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

/** Through text, as a log would. */
const again = (before: Json, after: Json): string =>
  JSON.stringify(patched(before, JSON.parse(JSON.stringify(deltaOf(before, after)))))

/** A value and one that grew out of it. */
const grown = fc.tuple(json, json, fc.dictionary(fc.string(), json)).map(([value, item, more]): [Json, Json] => {
  const list = [value, more as Json]
  return [
    { list, more: more as Json, kept: 1 },
    { list: [...list, item], more: { ...more, new: item }, kept: 1 },
  ]
})

test('what it makes is what was, to the byte', () => {
  fc.assert(fc.property(json, json, (before, after) => again(before, after) === JSON.stringify(after)))
  fc.assert(fc.property(grown, ([before, after]) => again(before, after) === JSON.stringify(after)))
})

test.each<[Json, Json]>([
  [1, 1],
  [null, {}],
  [{}, null],
  [[], {}],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: 2 }, { a: 1 }],
  [[1, 2], [2]],
  [{ v: 1 }, { v: 2, o: {}, a: [] }],
  [{}, JSON.parse('{"__proto__":{"a":1},"toString":1}')],
  [JSON.parse('{"__proto__":1,"toString":2}'), JSON.parse('{"__proto__":2,"toString":2,"hasOwnProperty":3}')],
])('%j to %j', (before, after) => {
  expect(again(before, after)).toBe(JSON.stringify(after))
})

test('what was is not said again', () => {
  const items = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(1000) }))
  const stateOf = (count: number): Json => ({
    turn: count,
    responses: items(count),
    by: [{ agent: 'A', items: items(count) }],
  })
  expect(JSON.stringify(deltaOf(stateOf(50), stateOf(51))).length).toBeLessThan(2500)
  expect(deltaOf(stateOf(50), stateOf(50))).toEqual({ o: {} })
})
