import { expect, test } from 'vitest'
import { cursorOf, pageOf, pageSize, placeOf } from './cursor.ts'

test('a cursor is read as it was made', () => {
  for (const place of [[0], [17], [9_007_199_254_740_991, 3]]) {
    expect(placeOf(cursorOf(place), place.length)).toEqual(place)
  }
})

test('what no list made is refused, with what was seen', () => {
  const none = [
    '',
    ' ',
    'x',
    cursorOf([1, 2]),
    cursorOf([1.5]),
    ...['1e3', '', '01', '-', '1.'].map((text) => Buffer.from(text).toString('base64url')),
  ]
  for (const cursor of none) expect(() => placeOf(cursor, 1)).toThrow(expect.objectContaining({ code: 'T0008' }))
  expect(() => placeOf('y'.repeat(5000), 1)).toThrow(/"y{80}"/)
})

test('a page holds 50 if nothing is said, 1 at least, 200 at most', () => {
  expect([pageSize(), pageSize(7), pageSize(0), pageSize(-3), pageSize(9999), pageSize(2.9)]).toEqual([
    50, 7, 1, 1, 200, 2,
  ])
})

test('a page has a cursor only where more follows, of its last row', () => {
  const view = { item: (row: number) => `row ${row}`, place: (row: number) => [row] }
  expect(pageOf([1, 2, 3], 2, view)).toEqual({ items: ['row 1', 'row 2'], cursor: cursorOf([2]) })
  expect(pageOf([1, 2], 2, view)).toEqual({ items: ['row 1', 'row 2'] })
  expect(pageOf([], 2, view)).toEqual({ items: [] })
})
