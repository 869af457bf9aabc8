import { expect, test } from 'vitest'
import { relativeTo, shortly } from './instants.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test.each([
  [0, /^now$/],
  [999, /^now$/],
  [1_000, /1 sec/],
  [59 * second, /59 sec/],
  [119 * second, /119 sec/],
  [2 * minute, /2 min/],
  [119 * minute, /119 min/],
  [2 * hour, /2 hr/],
  [47 * hour, /47 hr/],
  [24 * day, /24 days/],
  [25 * day, /25 days/],
  [30 * day, /30 days/],
  [7 * day - second, /7 days/],
  [5 * 366 * day, /5 yr/],
])('C36: %i ms ahead reads as %s', (ms, text) => {
  expect(relativeTo(1_000 + ms, 1_000)).toMatch(text)
})

test('what is past reads as past, and what has just been as now', () => {
  expect(relativeTo(0, 59 * second)).toBe('now')
  expect(relativeTo(0, minute)).toMatch(/^1 min\.? ago/)
  expect(relativeTo(0, 119 * second)).toMatch(/^1 min\.? ago/)
  expect(relativeTo(0, 119 * minute)).toMatch(/^119 min\.? ago/)
  expect(relativeTo(0, 3 * hour)).toMatch(/3 hr\. ago/)
})

test('an instant of today is told without its day', () => {
  const noon = new Date(2026, 5, 10, 12).getTime()
  expect(shortly(noon + hour, noon)).not.toMatch(/Jun|2026/)
  expect(shortly(noon + 2 * day, noon)).toMatch(/Jun/)
  expect(shortly(noon + 400 * day, noon)).toMatch(/2027/)
})
