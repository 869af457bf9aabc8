import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from './json.ts'
import { type QuestionDialect, readQuestion } from './read-question.ts'

const dialect: QuestionDialect = { choices: 'choices', fields: ['question', 'choices', 'multi', 'other', 'shape'] }
const asks: QuestionDialect = { choices: 'options', fields: ['question', 'options', 'multi'] }

function messageOf(input: Json, as = dialect): string {
  const read = readQuestion(input, as)
  return read.ok ? 'ok' : read.message
}

const asking = (fields: { [name: string]: Json }) => ({ question: 'Which one?', ...fields })

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
    ['a question that is null', { question: null }, /"question" is missing/],
    ['a label that is null', asking({ choices: [{ label: null }] }), /"choices\[0\]" has no "label"/],
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

describe('preparation', () => {
  const prepared = (input: Json, as = dialect) => {
    const read = readQuestion(input, as)
    return read.ok ? read.input : read.message
  }

  test('trims, cuts, and leaves out what is null', () => {
    const input = {
      question: '  Which one?\n',
      choices: [' S ', { label: ' M ', description: ` ${'x'.repeat(300)}` }, { label: 'L', description: null }],
      multi: null,
      shape: null,
    }
    const once = {
      question: 'Which one?',
      choices: ['S', { label: 'M', description: 'x'.repeat(200) }, { label: 'L' }],
    }
    expect(readQuestion(input, dialect)).toEqual({ ok: true, input: once, question: once })
    expect(input.choices[0]).toBe(' S ')
  })

  test('C25: a long question and a label of 10,000 characters are cut', () => {
    expect(prepared({ question: 'é'.repeat(1500), choices: ['y'.repeat(10_000), 'n'] })).toEqual({
      question: 'é'.repeat(1000),
      choices: ['y'.repeat(200), 'n'],
    })
  })

  test('property: preparing twice changes nothing', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', 'é', '😀', '👨‍👩‍👧', '\u0301', '\ud83d'),
      maxLength: 2100,
    })
    const choice = fc.oneof(text, fc.record({ label: text, description: fc.option(text) }))
    const input = fc.record({ question: text, choices: fc.array(choice), multi: fc.option(fc.boolean()) })
    fc.assert(
      fc.property(input, (written) => {
        const once = readQuestion(written as Json, dialect)
        if (once.ok) expect(readQuestion(once.input, dialect)).toEqual(once)
      }),
    )
  })
})

describe('another dialect', () => {
  test('is stored as it was said, and asks the same question', () => {
    const options: Json = [{ label: ' S ' }, { label: 'M', description: 'medium' }]
    const trimmed: Json = [{ label: 'S' }, { label: 'M', description: 'medium' }]
    expect(readQuestion({ question: ' Size?', options, multi: true }, asks)).toEqual({
      ok: true,
      input: { question: 'Size?', options: trimmed, multi: true },
      question: { question: 'Size?', choices: trimmed, multi: true },
    })
  })

  test.each<[string, { [name: string]: Json }, RegExp]>([
    ['a field of the other', { choices: ['a'] }, /"choices" is no field of a question; did you mean "options"\?/],
    [
      'a field that it lacks',
      { other: 3 },
      /^Nobody was asked: "other" is no field of a question; leave it out; There are question, options, multi\. Repair/,
    ],
    ['equal labels', { options: [{ label: 'a' }, { label: 'A' }] }, /"options\[0\]" and "options\[1\]" look the same/],
    ['no label', { options: [{}] }, /"options\[0\]" has no "label"/],
    ['multi alone', { multi: true }, /"multi" is true without "options"; give options, or leave it out/],
    ['options in a text', { options: '["a"]' }, /"options" is a text; send a list of labels itself/],
  ])('is told in its own words: %s', (_name, fields, message) => {
    expect(messageOf(asking(fields), asks)).toMatch(message)
  })
})
