import fc from 'fast-check'
import type { Json } from 'querent/extension'
import { describe, expect, test } from 'vitest'
import { cut, optionsOf, prepare } from './spec.ts'

const bytesOf = (text: string) => Buffer.byteLength(text)

const asking = (fields: { [name: string]: Json }) => ({ question: 'Which one?', ...fields })

describe('prepare', () => {
  test('trims, cuts, and leaves out what is null', () => {
    const input = {
      question: '  Which one?\n',
      choices: [' S ', { label: ' M ', description: ` ${'x'.repeat(300)}` }, { label: 'L', description: null }],
      multi: null,
      shape: null,
    }
    expect(prepare(input)).toEqual({
      question: 'Which one?',
      choices: ['S', { label: 'M', description: 'x'.repeat(200) }, { label: 'L' }],
    })
  })

  test('C25: a label of 10,000 characters is cut', () => {
    expect(prepare(asking({ choices: ['y'.repeat(10_000), 'n'] }))).toEqual(asking({ choices: ['y'.repeat(200), 'n'] }))
  })

  test('leaves what it does not know, for the check to name', () => {
    const input = { question: 3, choices: 'a', other: 'yes', more: { a: 1 } }
    expect(prepare(input)).toEqual(input)
    expect(prepare('text')).toBe('text')
  })

  test('changes nothing it was given', () => {
    const input = { question: ' a ', choices: [{ label: ' b ' }] }
    prepare(input)
    expect(input).toEqual({ question: ' a ', choices: [{ label: ' b ' }] })
  })
})

describe('cut: between two characters', () => {
  const family = '👨‍👩‍👧'

  test.each([
    ['a code point of four bytes', `${'a'.repeat(197)}😀`, 'a'.repeat(197)],
    ['a letter and its accent', `${'a'.repeat(198)}e\u0301`, 'a'.repeat(198)],
    ['a family of three', `${'a'.repeat(190)}${family}`, 'a'.repeat(190)],
    ['a flag', `${'a'.repeat(194)}🇪🇸`, 'a'.repeat(194)],
    ['what fits just so', `${'a'.repeat(182)}${family}`, `${'a'.repeat(182)}${family}`],
    ['one character longer than all', `a${'\u0301'.repeat(500)}`, `a${'\u0301'.repeat(99)}`],
    ['a space at the cut', `${'a'.repeat(199)} b`, 'a'.repeat(199)],
    ['half of a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ])('%s', (_name, text, kept) => {
    expect(cut(text, 200)).toBe(kept)
  })

  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', ' ', '\n', 'é', '…', '😀', '👍🏽', '👨‍👩‍👧', '\u0301', '\ud83d', '\ude00', '🇪🇸'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    maxLength: 80,
  })

  test('property: at most so many bytes, a prefix of the text, well-formed, trimmed; cutting again changes nothing', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, maxBytes) => {
        const kept = cut(text, maxBytes)
        expect(bytesOf(kept)).toBeLessThanOrEqual(maxBytes)
        expect(kept.isWellFormed()).toBe(true)
        expect(kept).toBe(kept.trim())
        expect(text.trim().toWellFormed().startsWith(kept)).toBe(true)
        expect(cut(kept, maxBytes)).toBe(kept)
      }),
      { numRuns: 1000 },
    )
  })

  test('property: no character of a person is cut in two, unless it alone is too long', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 60 }), (text, maxBytes) => {
        const whole = text.trim().toWellFormed()
        const characters = Array.from(segmenter.segment(whole), ({ segment }) => segment)
        fc.pre(bytesOf(characters[0] ?? '') <= maxBytes)
        const prefixes = characters.map((_, index) =>
          characters
            .slice(0, index + 1)
            .join('')
            .trim(),
        )
        expect(['', ...prefixes]).toContain(cut(text, maxBytes))
      }),
      { numRuns: 1000 },
    )
  })

  test('property: preparing twice changes nothing', () => {
    const choice = fc.oneof(texts, fc.record({ label: texts, description: fc.option(texts) }))
    const input = fc.record({
      question: texts,
      choices: fc.array(choice),
      multi: fc.option(fc.boolean()),
      more: fc.jsonValue(),
    })
    fc.assert(
      fc.property(fc.oneof(input, fc.jsonValue()), (written) => {
        const once = prepare(written as Json)
        expect(prepare(once)).toEqual(once)
      }),
    )
  })
})

test('optionsOf: choices in one form', () => {
  expect(optionsOf({ question: 'a', choices: ['S', { label: 'M', description: 'medium' }] })).toEqual([
    { label: 'S' },
    { label: 'M', description: 'medium' },
  ])
  expect(optionsOf({ question: 'a' })).toBeUndefined()
})
