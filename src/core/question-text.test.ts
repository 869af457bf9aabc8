import { describe, expect, test } from 'vitest'
import type { Ask } from './ask.ts'
import type { Json } from './json.ts'
import { questionText } from './question-text.ts'

function textOf(fields: Partial<Ask>): string {
  const place = { id: 'ask_1', run: 'run_1', agent: 'asker', path: ['asker'], repeat: 1, n: 1 }
  const ask = { ...place, kind: 'question', tool: 'question', step: 'question 1.1', since: '2026-01-01T00:00:00.000Z' }
  return questionText({ ...ask, input: {}, ...fields } as Ask)
}

const options = [{ label: 'S' }, { label: 'M', description: 'medium' }]

describe('a question as text', () => {
  test('free', () => {
    expect(textOf({ input: { question: 'Why?\n\nSay it.' } })).toBe('Why?\n\nSay it.')
  })

  test('choices, from whichever tool', () => {
    const text = 'Size?\n\n1. S\n2. M – medium\n\nAnswer with one number or label.'
    expect(textOf({ input: { question: 'Size?' }, options })).toBe(text)
    expect(textOf({ tool: 'ask', input: { question: 'Size?', options }, options } as Partial<Ask>)).toBe(text)
  })

  test.each<[string, { [field: string]: Json }, string[], string]>([
    ['several', { multi: true }, ['S', 'M'], 'Answer with one or more numbers or labels, parted by commas.'],
    ['other', { other: true }, ['S', 'M'], 'Answer with one number or label. A text of your own begins with "other:".'],
    [
      'several, with commas',
      { multi: true },
      ['a, b'],
      'Answer with one or more numbers, parted by commas, or labels, each in a line of its own.',
    ],
    ['several numbers', { multi: true }, ['2', '1'], 'Answer with one or more labels, parted by commas.'],
    [
      'several numbers, with commas',
      { multi: true },
      ['2', '1,5'],
      'Answer with one or more labels, each in a line of its own.',
    ],
    ['numbers', {}, ['2', '4'], 'Answer with one of the labels.'],
  ])('how to answer: %s', (_name, flags, labels, how) => {
    const text = textOf({ input: { question: 'a', ...flags }, options: labels.map((label) => ({ label })) })
    expect(text.split('\n\n').at(-1)).toBe(how)
    expect(text.includes('\n1. ')).toBe(/number/.test(how))
  })

  test('a flat shape: its fields', () => {
    const shape = {
      type: 'object',
      description: 'For the order.',
      properties: {
        size: { enum: ['S', 'M'], title: 'Your size', description: 'as on the label' },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        when: { type: ['string', 'null'], format: 'date', maxLength: 10 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['count'],
    }
    expect(textOf({ input: { question: 'What?', shape } })).toBe(
      `What?

For the order.

- size (Your size): one of S, M, may be left out – as on the label
- count: a whole number, at least 1, at most 9
- when: text or null, at most 10 characters, format date, may be left out
- tags: JSON that fits {"type":"array","items":{"type":"string"}}, may be left out

Answer with a line for each, such as "count: …".`,
    )
  })

  test.each<[Json, string]>([
    [{ type: 'boolean' }, 'Answer with yes or no.'],
    [{ type: 'string', pattern: '^a' }, 'Answer with text, pattern ^a.'],
    [{ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'Answer with one of One, 2.'],
    [{ type: 'array' }, 'Answer with JSON that fits {"type":"array"}.'],
    [
      { $ref: '#/$defs/a', $defs: { a: { type: 'array' } } },
      'Answer with JSON that fits {"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}.',
    ],
    [true, 'Answer with JSON.'],
  ])('another shape: %j', (shape, how) => {
    expect(textOf({ input: { question: 'What?', shape } })).toBe(`What?\n\n${how}`)
  })
})

test('an approval: the call as it would run', () => {
  expect(textOf({ kind: 'approval', tool: 'pay', input: { amount: 5 } })).toBe(
    'pay wants to run with\n{\n  "amount": 5\n}\n\nAnswer yes or no.',
  )
})

test('a stranger’s ask: what there is', () => {
  expect(textOf({ kind: 'rating', input: { stars: 5 } })).toBe('{\n  "stars": 5\n}\n\nAnswer with JSON.')
  expect(textOf({ kind: 'poll', input: { question: 'Who?' }, options })).toBe(
    'Who?\n\n1. S\n2. M – medium\n\nAnswer with one number or label.',
  )
})

test('C33: nothing is hidden and nothing acts, ordinary text stays as it is', () => {
  const bad = `a\u202eb\u200b\u001b[2K\r${' '.repeat(2000)}; rm -rf /`
  const shown = 'a‹U+202E›b‹U+200B›‹U+001B›[2K‹U+000D›‹2000 spaces›; rm -rf /'
  const properties = { [bad]: { type: 'string', title: bad, description: bad, pattern: bad, format: bad } }
  const asked: Partial<Ask>[] = [
    { input: { question: bad }, options: [{ label: bad, description: bad }] },
    { kind: 'approval', tool: bad, input: { command: bad } },
    { input: { question: bad, shape: { properties, description: bad } } },
    { input: { question: bad, shape: { enum: [bad] } } },
    { input: { question: bad, shape: { not: { const: bad } } } },
  ]
  for (const fields of asked) {
    const text = textOf(fields)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(text).toContain('‹U+202E›')
    expect(text).not.toContain(' '.repeat(100))
  }
  expect(textOf({ input: { question: bad } })).toBe(shown)
  expect(textOf({ input: { question: 'מה הגודל? ما المقاس؟ 👩‍👩‍👧 <b>@everyone</b>' } })).toBe(
    'מה הגודל? ما المقاس؟ 👩‍👩‍👧 <b>‹@›everyone</b>',
  )
})
