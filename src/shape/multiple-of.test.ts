import { expect, test } from 'vitest'
import { isMultipleOf } from './multiple-of.ts'

test.each([
  [0.3, 0.1],
  [19.99, 0.01],
  [-4, 2],
  [0, 7],
  [-0, 7],
  [1e300, 2],
  [2 ** 53 - 1, 0.5],
  [1e21, 1e20],
  [5e-324, 5e-324],
])('%d is a multiple of %d', (value, of) => {
  expect(isMultipleOf(value, of)).toBe(true)
})

test.each([
  [0.35, 0.1],
  [7, 2],
  [1e300, 3],
  [5e-324, 1],
  [1, 1e300],
  [1.5, 1],
])('%d is no multiple of %d', (value, of) => {
  expect(isMultipleOf(value, of)).toBe(false)
})
