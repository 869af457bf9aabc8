import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OpenedAsk } from '../core/ask.ts'
import { newEvent } from '../core/event.ts'
import { packAsk, packEvent, unpackAsk, unpackEvent } from './packed.ts'

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
const anyText = fc.oneof(fc.string(), fc.json(), fc.constant('{\n  "role": "assistant"\n}'))
const anyEffect = fc.oneof(fc.constant('run_1.1.1.1'), fc.constant('run_10.1.1.1'), fc.constant('of a driver'))
const anyInput = fc.jsonValue({ maxDepth: 2 })
const asked = {
  id: 'ask_1',
  kind: 'question',
  effect: 'run_1.1.1.1',
  repeat: 1,
  step: 'question 1.1',
  n: 1,
  tool: 'question',
  input: 'Size?',
} as const
const rule = { onExpire: 'refuse', guarded: false } as const

test('a reply comes back with its keys in their order and its messages byte for byte, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(anyText), anyEffect, anyInput, (messages, effect, input) => {
      const calls = [{ id: 'c', tool: 't', input: JSON.parse(JSON.stringify(input)), effect }]
      const event = newEvent(2, 'model.replied', { turn: 1, messages, text: 'a\nb', calls, usage, finish: 'stop' })
      expect(JSON.stringify(unpackEvent('run_1', packEvent('run_1', event)))).toBe(JSON.stringify(event.data))
    }),
  )
})

test('a result comes back, also where it looks like what is packed', () => {
  for (const effect of ['run_1.1.2.3', 'run_2.1.2.3']) {
    const result = { type: 'json' as const, value: { effect: '.1', messages: 0, calls: [{ effect: '.2' }] } }
    const event = newEvent(3, 'tool.returned', { effect, result })
    expect(unpackEvent('run_1', packEvent('run_1', event))).toEqual(event.data)
  }
})

test('an ask comes back with its own step, on the row of its root too', () => {
  const ask: OpenedAsk = { ...asked, answerSchema: {}, rule }
  for (const step of ['question 1.1', 'tool 2.1/question 1.1']) {
    const opened = packAsk('run_1', ask, step)
    expect(opened).not.toContain('run_1')
    expect(JSON.stringify(unpackAsk('run_1', { id: 'ask_1', step, opened }))).toBe(JSON.stringify(ask))
  }
})

const kept: [string, Partial<OpenedAsk>][] = [
  ['choices', { answerSchema: { enum: ['S', 'M'] }, options: [{ label: 'S' }, { label: 'M' }] }],
  ['choices with a description', { answerSchema: { enum: ['S'] }, options: [{ label: 'S', description: 'Small' }] }],
  ['choices in another order', { answerSchema: { enum: ['S', 'M'] }, options: [{ label: 'M' }, { label: 'S' }] }],
  ['a schema with values and no choices', { answerSchema: { enum: ['S', 'M'] } }],
  ['no schema', {}],
  ['another rule', { answerSchema: {}, rule: { onExpire: 'fail', guarded: true } }],
]

test.each(kept)('an ask comes back with its options and its rule: %s', (_, fields) => {
  const { answerSchema, options, ...others } = fields
  const ask = {
    ...asked,
    ...(options ? { options } : {}),
    ...(answerSchema ? { answerSchema } : {}),
    rule,
    ...others,
  } as OpenedAsk
  const opened = packAsk('run_1', ask, 'question 1.1')
  expect(JSON.stringify(unpackAsk('run_1', { id: 'ask_1', step: 'question 1.1', opened }))).toBe(JSON.stringify(ask))
})
