import { expect, test } from 'vitest'
import { checkSize } from './check-size.ts'

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
const tooDeep = { path: '', message: 'must have at most 32 lists and objects inside each other' }

test('at most 256 KiB, counted in bytes of JSON', () => {
  expect(checkSize('x'.repeat(256 * 1024 - 2))).toEqual([])
  expect(checkSize('x'.repeat(256 * 1024 - 1))).toEqual([{ path: '', message: 'must be at most 256 KiB' }])
  expect(checkSize('…'.repeat(100_000))).toEqual([{ path: '', message: 'must be at most 256 KiB' }])
})

test('at most 32 deep, and a value nested 100,000 deep is refused as well', () => {
  expect(checkSize(nested(32))).toEqual([])
  expect(checkSize(nested(33))).toEqual([tooDeep])
  expect(checkSize(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toEqual([tooDeep])
})

test('a value that holds itself', () => {
  const own: unknown[] = []
  own.push(own)
  expect(checkSize(own)).toEqual([tooDeep])
})

test('what would be endless work to write out', () => {
  let each: unknown = 1
  for (let i = 0; i < 31; i += 1) each = [each, each]
  expect(checkSize(each)).toEqual([{ path: '', message: 'must be at most 256 KiB' }])
  expect(checkSize(new Array(4_000_000_000))).toEqual([{ path: '', message: 'must be at most 256 KiB' }])
})

test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol('x'), () => 1, new Date(0), new Map()])(
  '%s is no JSON value',
  (value) => {
    expect(checkSize(value)).toEqual([{ path: '', message: 'must be a JSON value' }])
    expect(checkSize({ 'a/b': [value] })).toEqual([{ path: '/a~1b/0', message: 'must be a JSON value' }])
  },
)

test('a field that is undefined counts as left out, as in JSON', () => {
  expect(checkSize({ a: undefined, b: null })).toEqual([])
})
