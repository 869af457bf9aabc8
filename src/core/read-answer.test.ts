import { describe, expect, test } from 'vitest'
import type { Ask, AskOption } from './ask.ts'
import type { Json } from './json.ts'
import { readAnswer } from './read-answer.ts'

function askOf(fields: Partial<Ask>): Ask {
  return {
    ...{ id: 'ask_1', kind: 'question', run: 'run_1', agent: 'asker', path: ['asker'], repeat: 1 },
    ...{
      step: 'question 1.1',
      n: 1,
      tool: 'question',
      input: { question: 'Which?' },
      since: '2026-01-01T00:00:00.000Z',
    },
    ...fields,
  } as Ask
}

function choosing(labels: string[], flags: { multi?: boolean; other?: boolean } = {}): Ask {
  return askOf({
    input: { question: 'Which?', choices: labels, ...flags },
    options: labels.map((label) => ({ label })),
  })
}

const shaped = (shape: Json) => askOf({ input: { question: 'What?', shape } })

/** The data that was read, or `why` there is none. */
function read(ask: Ask, text: string): unknown {
  const answer = readAnswer(ask, text)
  return 'unclear' in answer ? new Error(answer.why) : 'data' in answer ? answer.data : answer
}

const unclear = (why: RegExp) => expect.objectContaining({ message: expect.stringMatching(why) })

const sizes = ['S', 'M', 'L']

describe('a free text', () => {
  test('is the reply, exactly', () => {
    for (const text of ['yes', ' two\nlines ', '1', '{"a":1}']) expect(read(askOf({}), text)).toBe(text)
    expect(read(askOf({ tool: 'ask' }), 'yes')).toBe('yes')
    expect(read(askOf({ options: [] }), 'yes')).toBe('yes')
    expect(read(askOf({}), ' \n\u00a0')).toEqual(unclear(/^Nothing was written\.$/))
  })
})

describe('an approval', () => {
  const approval = askOf({ kind: 'approval', tool: 'pay', input: { amount: 5 }, step: 'tool 1.1' })

  test.each(['yes', ' Yes. ', 'Y', 'approve', 'APPROVED', 'ｙｅｓ', 'yes。'])('is approved by %j', (text) => {
    expect(readAnswer(approval, text)).toEqual({ approve: true })
  })

  test.each(['no', 'No.', 'n', 'refuse', 'Refused', 'reject', 'rejected'])('is refused by %j', (text) => {
    expect(readAnswer(approval, text)).toEqual({ approve: false })
  })

  test.each([
    'ok',
    'no problem',
    'yes please',
    'yes, but less',
    'not yes',
    'yesno',
    'true',
    '1',
    'ye\u0301s',
    '{"input":{}}',
  ])('is not decided by %j', (text) => {
    expect(read(approval, text)).toEqual(unclear(/is neither yes nor no\. Answer with one of the two alone\.$/))
  })
})

describe('choices', () => {
  test.each<[string, Json]>([
    ['2', 'M'],
    ['2.', 'M'],
    ['(2)', 'M'],
    ['#2', 'M'],
    ['2)', 'M'],
    ['２', 'M'],
    [' m. ', 'M'],
    ['Ｍ', 'M'],
    ['L', 'L'],
  ])('%j is read', (text, data) => {
    expect(read(choosing(sizes), text)).toBe(data)
  })

  test.each(['4', '0', '1, 2', 'S M', 'XL', 'S or M', '-1', '2.0', 'one'])('%j is not', (text) => {
    expect(read(choosing(sizes), text)).toEqual(unclear(/is none of the choices\. Answer with one number or label\.$/))
  })

  test('of another dialect, of a stranger', () => {
    const options: AskOption[] = [{ label: 'S' }, { label: 'M', description: 'medium' }]
    expect(read(askOf({ tool: 'ask', input: { question: 'a', options: sizes, multi: true }, options }), '2,1')).toEqual(
      ['M', 'S'],
    )
    expect(read(askOf({ kind: 'poll', input: 'Which?', options }), 'm')).toBe('M')
  })

  test('a label that looks like the number of another is a label', () => {
    expect(read(choosing(['2', '4', '8']), '2')).toBe('2')
    expect(read(choosing(['2', '4', '8']), '4.')).toBe('4')
    expect(read(choosing(['2', '4', '8']), '3')).toEqual(unclear(/none of the choices. Answer with one of the labels/))
    expect(read(choosing(['1', '2', '10']), '2')).toBe('2')
    expect(read(choosing(['1', '2', '10']), '3')).toBe('10')
    expect(read(choosing(['10', '20']), '2')).toBe('20')
    expect(read(choosing(['②', 'M']), '2')).toBe('②')
    expect(read(choosing(['M', '1 .']), '1')).toBe('1 .')
  })

  test('what folds to two labels is none, written exactly it is one', () => {
    expect(read(choosing(['v1', 'V1.']), 'V1')).toEqual(unclear(/can be read in more than one way/))
    expect(read(choosing(['v1', 'V1.']), 'v1')).toBe('v1')
    expect(read(choosing(['v1', 'V1.']), '2')).toBe('V1.')
  })

  test('a label is read as it was shown: what was hidden in it is visible there', () => {
    expect(read(choosing(['safe\u202etxt', 'other']), 'safe‹U+202E›txt')).toBe('safe\u202etxt')
    expect(read(choosing(['safe\u202etxt', 'other']), 'safetxt')).toBe('safe\u202etxt')
    expect(read(choosing(['a\nb']), 'a ⏎ b')).toBe('a\nb')
    expect(read(choosing(['a\nb', 'a ⏎ b']), 'a ⏎ b')).toEqual(unclear(/more than one way/))
  })

  test('case of other scripts', () => {
    expect(read(choosing(['STRASSE', 'ΟΔΟΣ']), 'straße')).toBe('STRASSE')
    expect(read(choosing(['STRASSE', 'ΟΔΟΣ']), 'οδος')).toBe('ΟΔΟΣ')
  })
})

describe('several choices', () => {
  const several = choosing(sizes, { multi: true })

  test.each<[string, Json]>([
    ['1,3', ['S', 'L']],
    ['1 and 3', ['S', 'L']],
    ['3, 1', ['L', 'S']],
    ['1, 2, and 3', ['S', 'M', 'L']],
    ['1 & 2', ['S', 'M']],
    ['1；3', ['S', 'L']],
    ['s、l', ['S', 'L']],
    ['1\n3', ['S', 'L']],
    ['S, 3.', ['S', 'L']],
    ['m', ['M']],
  ])('%j is read', (text, data) => {
    expect(read(several, text)).toEqual(data)
  })

  test.each(['1, 4', '1 3', '1, 1', 'S, 1', '1,, 3', '1,', 'all', '1-3', 'S, M, XL', 'and'])('%j is not', (text) => {
    expect(read(several, text)).toEqual(
      unclear(/none of the choices. Answer with one or more numbers or labels, parted by commas/),
    )
  })

  test('labels with what parts them: by number, or one a line', () => {
    const ask = choosing(['salt', 'pepper', 'salt, pepper', 'oil and salt'], { multi: true })
    expect(read(ask, 'salt, pepper')).toEqual(['salt, pepper'])
    expect(read(ask, 'salt\npepper')).toEqual(['salt', 'pepper'])
    expect(read(ask, '1, 2')).toEqual(['salt', 'pepper'])
    expect(read(ask, 'Oil and salt\nsalt, pepper')).toEqual(['oil and salt', 'salt, pepper'])
    expect(read(ask, 'pepper and salt')).toEqual(
      unclear(/numbers, parted by commas, or labels, each in a line of its own/),
    )
    expect(read(choosing(['a', 'b', '1, 2'], { multi: true }), '1, 2')).toEqual(unclear(/more than one way/))
    expect(read(choosing(['v1', 'V1.'], { multi: true }), 'v1, V1')).toEqual(unclear(/more than one way/))
  })
})

describe('a text of one’s own', () => {
  const one = choosing(sizes, { other: true })
  const several = choosing(sizes, { multi: true, other: true })

  test.each<[string, Json]>([
    ['2', 'M'],
    ['m', 'M'],
    ['XXL', { selected: [], other: 'XXL' }],
    [' two lines\n of it ', { selected: [], other: 'two lines\n of it' }],
    ['other: M', { selected: [], other: 'M' }],
    ['Other : 7', { selected: [], other: '7' }],
    ['OTHER: other: x', { selected: [], other: 'other: x' }],
  ])('beside one choice: %j', (text, data) => {
    expect(read(one, text)).toEqual(data)
  })

  test.each(['7', 'S, but blue', '1 and 2', 'other', 'other:', 'S, other: blue'])('is not guessed: %j', (text) => {
    expect(read(one, text)).toEqual(unclear(/none of the choices.* A text of your own begins with "other:"/))
  })

  test.each<[string, Json]>([
    ['1, 3', ['S', 'L']],
    ['1, 3, other: in blue, please', { selected: ['S', 'L'], other: 'in blue, please' }],
    ['S and other: blue', { selected: ['S'], other: 'blue' }],
    ['S\nother: blue', { selected: ['S'], other: 'blue' }],
    ['none of these, thanks', { selected: [], other: 'none of these, thanks' }],
  ])('beside several: %j', (text, data) => {
    expect(read(several, text)).toEqual(data)
  })

  test.each(['S, blue', '1, 7', 'XL, other: blue', 'S, S, other: blue'])(
    'is not guessed beside several: %j',
    (text) => {
      expect(read(several, text)).toEqual(unclear(/none of the choices/))
    },
  )

  test('where a label is called so', () => {
    expect(read(choosing(['S', 'Other: ask me'], { other: true }), 'other: ask me')).toBe('Other: ask me')
    expect(read(choosing(['S', 'Other'], { other: true }), 'other')).toBe('Other')
    const ask = choosing(['S', 'Other: x'], { multi: true, other: true })
    expect(read(ask, 'S, other: x')).toEqual(unclear(/more than one way/))
  })
})

test('choices and a shape: both', () => {
  const options = sizes.map((label) => ({ label }))
  const ask = askOf({ input: { question: 'a', choices: sizes, multi: true, shape: { maxItems: 1 } }, options })
  expect(read(ask, '1')).toEqual(['S'])
  expect(read(ask, '1, 2')).toEqual(unclear(/must have at most 1 item\.$/))
})

test('what stands in a reason is shown as it is, and not at length', () => {
  expect(read(choosing(['S']), `\u001b[2K${'x'.repeat(1000)}`)).toEqual(unclear(/^"‹U\+001B›\[2Kx{40,60}…" is none/))
})

describe('long replies are read in time that grows with them, or not at all', () => {
  const many = choosing(
    Array.from({ length: 50 }, (_, index) => `choice ${index}`),
    { multi: true, other: true },
  )
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field ${index}`, { type: 'string' }]))
  const form = shaped({ properties: fields })

  test.each([' ', ',', '.', '\n', ':', ' and ', 'other:', ', ', '[', '1,', 'field 1:', '\u0301', '"'])(
    '%j',
    (piece) => {
      const text = `1${piece.repeat(90_000 / piece.length)}x`
      for (const ask of [many, form, shaped({ type: 'number' }), shaped(true), askOf({ kind: 'approval' })]) {
        expect(readAnswer(ask, text)).toBeTypeOf('object')
      }
    },
  )

  test('past the limit', () => {
    expect(read(many, '1,'.repeat(60_000))).toEqual(unclear(/longer than 100000 characters/))
    expect(read(askOf({}), 'x'.repeat(200_000))).toHaveLength(200_000)
  })
})
