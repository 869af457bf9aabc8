import { expect, it } from 'vitest'
import { jsonText } from './json-text.ts'

it('C33: escapes what acts or hides, and reads back as the same value', () => {
  const value = { 'k\u202E': 'a\u001B[2K\u007F\u009B\u200B\u2028\u{E0041}\uD800\n\té 👩\u200D👧', list: [0, null] }
  const text = jsonText(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  expect(text).toContain('é 👩')
})
