import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cut } from './cut.ts'

const bytesOf = (text: string) => Buffer.byteLength(text)

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
})
