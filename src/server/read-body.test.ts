import { expect, test } from 'vitest'
import { hasMoreValues } from './read-body.ts'

test.each([
  ['[1,2,3]', 3],
  ['{"a":1,"b":[{}]}', 4],
  ['"a,b,c,[{"', 0],
  ['["a\\",b,\\\\","c"]', 2],
  ['["\\\\",",,,"]', 2],
  ['["a', 1],
])('%s has %i values', (text, values) => {
  expect(hasMoreValues(text, values)).toBe(false)
  if (values > 0) expect(hasMoreValues(text, values - 1)).toBe(true)
})
