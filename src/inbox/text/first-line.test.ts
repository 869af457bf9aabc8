import { expect, test } from 'vitest'
import { firstLine } from './first-line.ts'

test.each([
  ['Which size?', 'Which size?'],
  ['\n\n  # Which **size**?\n\nThere are three.', 'Which size?'],
  ['> - `deploy` to *production*', 'deploy to *production*'],
  ['---\n***\nGo on?', 'Go on?'],
  ['1. First\n2. Second', 'First'],
  ['snake_case and 2 * 3 * 4', 'snake_case and 2 * 3 * 4'],
  ['مرحبا بالعالم', 'مرحبا بالعالم'],
  ['👍', '👍'],
  ['', ''],
])('%j is %j', (text, line) => {
  expect(firstLine(text)).toBe(line)
})

test('nothing in it is hidden', () => {
  expect(firstLine('safe\u202Etxt.exe')).toBe('safe‹U+202E›txt.exe')
  expect(firstLine(`ok${' '.repeat(2000)}; rm -rf /`)).toBe('ok‹2000 spaces›; rm -rf /')
})

test('a long hostile line takes no time', () => {
  for (const piece of ['**', '`', '_', '> ', '- ', '1. ', '__a']) expect(firstLine(piece.repeat(100_000))).toBeDefined()
})
