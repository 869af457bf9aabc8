import { expect, test } from 'vitest'
import { closest } from './closest.ts'

const known = ['properties', 'required', 'minLength', 'maxLength', 'type', 'title', 'not', 'if']

test.each([
  ['propertes', 'properties'],
  ['Properties', 'properties'],
  ['requred', 'required'],
  ['minlength', 'minLength'],
  ['minimumLength', undefined],
  ['tpe', 'type'],
  ['nullable', undefined],
  ['x', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%s → %s', (word, meant) => {
  expect(closest(word, known)).toBe(meant)
})
