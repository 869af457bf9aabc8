import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ask, Json } from '../protocol/core.ts'
import { answerFormOf, answerOf, asForm, asJson, canSwitch, draftWith, shownOf } from './answer.ts'
import type { Field, Typed } from './field.ts'
import { englishTexts } from './texts.ts'
import { initialTyped } from './typed.ts'

const formOf = (ask: Partial<Ask>) =>
  answerFormOf({ id: 'ask_a', kind: 'question', input: null, ...ask } as Ask, englishTexts)
const approvalOf = (input: Json, editable = true) =>
  formOf({ kind: 'approval', tool: 'send', input, ...(editable ? { editable } : {}) } as Partial<Ask>)

// What JSON.parse gives: -0 is none of it.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)

describe('an approval', () => {
  it('sends no input that was not changed, whatever it is', () => {
    fc.assert(
      fc.property(json, (input) => {
        const answer = approvalOf(input)
        expect(answerOf(answer, {})).toEqual({})
        expect(answerOf(answer, { typed: initialTyped(answer.form as Field) })).toEqual({})
        expect(answerOf(answer, { json: JSON.stringify(input) })).toEqual({})
      }),
    )
  })

  it.each(['a\rb', 'a\r\nb', '\t', ' ', '', 'a\u2028b', '\u202E'])(
    'keeps the text %j as it is beside what was changed',
    (text) => {
      const answer = approvalOf({ text, n: 1 })
      const draft = draftWith(answer, { typed: initialTyped(answer.form as Field) }, { place: '/1', typed: '2' })
      expect(answerOf(answer, draft)).toEqual({ data: { input: { text, n: 2 } } })
    },
  )

  it('sends the whole input where a part was changed', () => {
    const answer = approvalOf({ to: 'bob', n: 1, deep: { ok: true } })
    const draft = draftWith(
      answer,
      { typed: initialTyped(answer.form as Field) },
      { place: '/2/0', typed: { at: [1] } },
    )
    expect(answerOf(answer, draft)).toEqual({ data: { input: { to: 'bob', n: 1, deep: { ok: false } } } })
    const wrong = draftWith(answer, draft, { place: '/1', typed: 'x' })
    expect(answerOf(answer, wrong)).toMatchObject({ issues: [{ path: '/input/n' }] })
  })

  it('shows no field where nothing may be changed, nor before anybody asks for one', () => {
    expect(shownOf(approvalOf({ a: 1 }, false), { typed: [''], json: '{}' })).toBeUndefined()
    expect(shownOf(approvalOf({ a: 1 }), {})).toBeUndefined()
    expect(answerOf(approvalOf({ a: 1 }, false), { json: '{"a": 2}' })).toEqual({})
  })

  it('a large or deep input is changed as JSON', () => {
    const deep = (levels: number): Json => (levels === 0 ? 'x' : { a: deep(levels - 1) })
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))
    expect(approvalOf(wide).form).toMatchObject({ kind: 'json' })
    expect(JSON.stringify(approvalOf(deep(500)).form).length).toBeLessThan(20_000)
  })
})

describe('a question', () => {
  it('with choices and a shape is answered by a choice', () => {
    const options = [{ label: 'a' }, { label: 'b' }]
    const answer = formOf({ input: { question: 'Q', shape: { enum: ['a'] } }, options })
    expect(answerOf(answer, { typed: { at: [1] } })).toEqual({ data: 'b' })
    expect(canSwitch(answer)).toBe(false)
  })

  it('a draft that is none of this form is as if there were none', () => {
    const answer = formOf({ input: { question: 'Q' } })
    for (const typed of [null, 5, ['x'], { at: [0] }]) expect(shownOf(answer, { typed })).toMatchObject({ typed: '' })
    expect(answerOf(answer, { typed: 'kept' })).toEqual({ data: 'kept' })
  })

  it('goes to JSON and back with what it says, and keeps what was typed where that says nothing yet', () => {
    const shape = { type: 'object', properties: { n: { type: 'integer' }, t: { type: 'string' } }, required: ['n'] }
    const answer = formOf({ input: { question: 'Q', shape } })
    const typed: Typed = ['3', 'x']
    expect(asJson(answer, { typed }).json).toBe('{\n  "n": 3,\n  "t": "x"\n}')
    expect(asForm(answer, { json: '{"n": 4}' })).toEqual({ typed: ['4', ''] })
    const half = asJson(answer, { typed: ['', 'x'] })
    expect(half).toEqual({ typed: ['', 'x'], json: '' })
    expect(asForm(answer, half)).toEqual({ typed: ['', 'x'] })
    for (const text of ['{', '{"n": "4"}', '{"n": 4, "more": 1}', '[]'])
      expect(asForm(answer, { json: text })).toBeUndefined()
  })
})

it('a stranger’s ask is answered by its options, or with JSON', () => {
  expect(formOf({ kind: 'vote', options: [{ label: 'aye' }] }).form).toMatchObject({ kind: 'choice', multi: false })
  expect(formOf({ kind: 'vote', input: { question: 'Q', shape: { type: 'string' }, multi: true } }).form).toMatchObject(
    { kind: 'json' },
  )
  const options = Array.from({ length: 3_000 }, (_, at) => ({ label: String(at) }))
  expect(formOf({ kind: 'vote', options }).form).toMatchObject({ kind: 'json' })
})
