import fc from 'fast-check'
import type { Json } from 'querent/extension'
import { describe, expect, test } from 'vitest'
import { cut, optionsOf, prepare, readQuestion } from './spec.ts'

const bytesOf = (text: string) => Buffer.byteLength(text)

function messageOf(input: Json): string {
  const read = readQuestion(input)
  return read.ok ? 'ok' : read.message
}

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

describe('what can be asked', () => {
  test.each<[string, { [name: string]: Json }]>([
    ['a free text', {}],
    ['one choice', { choices: ['Yes'] }],
    ['fifty choices', { choices: Array.from({ length: 50 }, (_, i) => `choice ${i}`) }],
    ['choices with descriptions', { choices: [{ label: 'S', description: 'small' }, 'M'] }],
    ['several', { choices: ['S', 'M'], multi: true, other: true }],
    ['a shape', { shape: { type: 'integer' } }],
    ['what is false anyway', { multi: false, other: false }],
    ['what is null', { choices: null, multi: null, other: null, shape: null }],
    ['labels that differ in an accent', { choices: ['resume', 'resumé'] }],
  ])('%s', (_name, fields) => {
    expect(messageOf(asking(fields))).toBe('ok')
  })
})

describe('C24: labels that a person cannot tell apart', () => {
  test.each([
    ['the same', 'Staging', 'Staging'],
    ['case and space', 'Staging', 'staging '],
    ['composed and decomposed', 'caf\u00e9', 'cafe\u0301'],
    ['full width', 'ABC', 'ＡＢＣ'],
    ['a ligature', 'file', 'ﬁle'],
    ['sharp s', 'STRASSE', 'straße'],
    ['final sigma', 'ΣΟΦΟΣ', 'σοφος'],
    ['two spaces', 'a b', 'a  b'],
    ['no-break space', 'a b', 'a\u00a0b'],
    ['zero width', 'Staging', 'Stag\u200bing'],
    ['turned around', 'Staging', '\u202eStaging'],
  ])('%s', (_name, first, second) => {
    expect(messageOf(asking({ choices: ['other', first, second] }))).toMatch(
      /"choices\[1\]" and "choices\[2\]" look the same to a person/,
    )
    expect(messageOf(asking({ choices: [{ label: second }, first] }))).toMatch(
      /"choices\[0\]" and "choices\[1\]" look the same/,
    )
  })
})

describe('C25: what nobody could answer is told to the model, with its repair', () => {
  test.each<[string, Json, RegExp]>([
    ['no question', { choices: ['a'] }, /"question" is missing; write the question as one text/],
    ['an empty question', { question: ' \n\u200b' }, /"question" is empty; write what the person is to answer/],
    ['a question that is a list', { question: ['a', 'b'] }, /"question" is a list; write the question as one text/],
    ['a text', 'Which one?', /the input is a text; send an object/],
    ['null', null, /the input is null; send an object/],
    [
      'no choices at all',
      asking({ choices: [] }),
      /"choices" is empty; give at least one choice, or leave it out for a free text/,
    ],
    [
      '2,000 choices',
      asking({ choices: Array.from({ length: 2000 }, (_, i) => `${i}`) }),
      /"choices" has 2000 choices, at most 50 are shown/,
    ],
    [
      'choices as JSON in a text',
      asking({ choices: '["a","b"]' }),
      /"choices" is a text; send a list of labels itself, not JSON in a text/,
    ],
    ['choices as an object', asking({ choices: { a: 1 } }), /"choices" is an object; send a list of labels/],
    ['an empty label', asking({ choices: ['a', '  '] }), /"choices\[1\]" is empty; write a label, or leave it out/],
    ['an invisible label', asking({ choices: [{ label: '\u200b\u2060' }] }), /"choices\[0\]" has an empty label/],
    ['a label that is a number', asking({ choices: [1, 'b'] }), /"choices\[0\]" is 1; write a label in quotes/],
    ['a choice without a label', asking({ choices: [{ description: 'x' }] }), /"choices\[0\]" has no "label"/],
    ['a value for a label', asking({ choices: [{ value: 'x' }] }), /unknown field "value"; did you mean "label"\?/],
    [
      'a description that is a list',
      asking({ choices: [{ label: 'a', description: [] }] }),
      /"choices\[0\]" has the description a list/,
    ],
    [
      'multi without choices',
      asking({ multi: true }),
      /"multi" is true without "choices"; give choices, or leave it out/,
    ],
    ['other without choices', asking({ other: true }), /"other" is true without "choices"/],
    ['multi as a text', asking({ choices: ['a'], multi: 'true' }), /"multi" is a text; send true or false/],
    ['an unknown field', asking({ options: ['a'] }), /"options" is no field of a question; did you mean "choices"\?/],
    ['a slip', asking({ choises: ['a'] }), /did you mean "choices"\?/],
    ['letters that changed places', { qeustion: 'a' }, /did you mean "question"\?/],
    [
      'another word',
      asking({ multiple_select: true, allowOther: true }),
      /"allowOther" is no field of a question; did you mean "other"\?/,
    ],
    [
      'a field near none',
      asking({ urgency: 1 }),
      /"urgency" is no field of a question; leave it out; There are question, choices, multi, other, shape/,
    ],
  ])('%s', (_name, input, message) => {
    expect(messageOf(input)).toMatch(message)
  })

  test('several problems are told at once, but not all of fifty, and shortly', () => {
    const message = messageOf({ question: '', choices: Array.from({ length: 50 }, () => ''), ['x'.repeat(1000)]: 1 })
    expect(message).toMatch(/^Nobody was asked: .*"question" is empty.*Repair this and call the tool again\.$/)
    expect(message.length).toBeLessThan(700)
  })

  test('property: whatever is written is asked or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (question, choices) => {
        expect(messageOf({ question, choices, multi: choices } as Json)).toBeTypeOf('string')
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
