import { beforeAll, describe, expect, test } from 'vitest'
import { type LinearPattern, loadPatternCompiler, type PatternCompiler } from './pattern.ts'

let compile: PatternCompiler
beforeAll(async () => {
  compile = await loadPatternCompiler()
})

function patternOf(source: string): LinearPattern {
  const compiled = compile(source)
  if (!compiled.ok) throw new Error(compiled.problem)
  return compiled.pattern
}

const spaces = ['\t', '\v', '\f', ' ', '\u00a0', '\ufeff', '\u1680', '\u2003', '\u2028', '\u202f', '\u3000']
const samples = [
  '',
  'a',
  'A',
  'abc',
  'a-b',
  '9',
  '٣',
  '_',
  'é',
  'é',
  '😀',
  '\n',
  '\r',
  '\u2029',
  '\0',
  ...spaces,
  'a b',
  'a\nb',
]

describe('a pattern means what it means in JavaScript', () => {
  test.each([
    '\\s',
    '\\S',
    '^\\s*$',
    '^\\S+$',
    '[\\s]',
    '[^\\s]',
    '[\\s\\S]',
    '^[a-z\\s]+$',
    '.',
    '^.$',
    '^.*$',
    '[.]',
    '\\.',
    '\\d',
    '\\w',
    '\\bb\\b',
    '^a',
    'c$',
    '^$',
    '[^]',
    '\\u0061',
    '\\u{1F600}',
    '\\x61',
    '\\cI',
    '(?<n>a)',
    '\\p{L}',
    '\\p{Lu}',
    '\\P{L}',
    '[\\p{L}\\d]',
    '^(?:a|b)+?c?$',
    'a{1,2}',
    '[\\]a]',
    '[a\\-z]',
    '\\/',
    '[[]',
    '\\\\',
    '\\n',
  ])('%s', (source) => {
    const native = new RegExp(source, 'u')
    const linear = patternOf(source)
    for (const text of samples) expect([text, linear.test(text)]).toEqual([text, native.test(text)])
  })
})

test.each([
  '[]',
  'a|[]b',
  '\\p{Letter}',
  '\\p{Script=Greek}',
  '(?<=a)b',
  '(?<!a)b',
  '(?=a)',
  '(?!a)',
  '(a)\\1',
  '\\k<a>(?<a>.)',
  '\\-',
  'a**',
])('%s is refused, not read as something else', (source) => {
  expect(compile(source)).toMatchObject({ ok: false })
})

test('what only looks like look-around or a back-reference is allowed', () => {
  expect(patternOf('[(?=]').test('=')).toBe(true)
  expect(patternOf('\\(\\?=').test('(?=')).toBe(true)
  expect(patternOf('\\\\1').test('\\1')).toBe(true)
})

test('at most 4,096 characters are read: a longer text does not fit', () => {
  expect(patternOf('a').test('a'.repeat(4096))).toBe(true)
  expect(patternOf('a').test('a'.repeat(4097))).toBe(false)
})
