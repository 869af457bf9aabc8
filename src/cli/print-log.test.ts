import { expect, it } from 'vitest'
import type { OpenedAsk } from '../core/ask.ts'
import { type EventData, type EventType, newEvent, type RunEvent } from '../core/event.ts'
import { logLines } from './print-log.ts'

function log(...entries: { [T in EventType]: [T, EventData[T]] }[EventType][]): RunEvent[] {
  return entries.map(
    ([type, data], index) =>
      ({
        ...newEvent(index + 1, type, data as never),
        run: 'run_1',
        at: `2026-01-01T00:00:0${index % 10}.123Z`,
      }) as RunEvent,
  )
}

const usage = { inputTokens: 1, outputTokens: 7, totalTokens: 8 }
const opened = (fields: Partial<OpenedAsk>): OpenedAsk => ({
  id: 'ask_1',
  kind: 'question',
  effect: 'e1',
  repeat: 1,
  step: 'question 1.1',
  n: 1,
  tool: 'question',
  input: { question: 'Which?' },
  rule: { onExpire: 'refuse', guarded: false },
  ...fields,
})

it('shows each event on a line, with its step by name', () => {
  const calls = [
    { id: 'c1', tool: 'question', input: {}, effect: 'e1' },
    { id: 'c2', tool: 'send', input: {}, effect: 'e2' },
    { id: 'c3', tool: 'helper', input: {}, effect: 'e3' },
  ]
  const events = log(
    [
      'run.started',
      { agent: 'asker', fingerprint: '', trigger: 'chat', starter: { type: 'person', id: 'ann' }, input: 'hi' },
    ],
    ['model.replied', { turn: 1, messages: [], text: 'Let me ask.', calls, usage, finish: 'tool-calls' }],
    ['ask.opened', opened({})],
    ['approval.decided', { effect: 'e2', needed: false }],
    ['tool.started', { effect: 'e2' }],
    ['tool.kept', { effect: 'e2', key: 'receipt', value: 1 }],
    ['tool.returned', { effect: 'e2', result: { type: 'json', value: { sent: true } } }],
    ['tool.started', { effect: 'e3', child: 'run_2' }],
    ['ask.settled', { ask: 'ask_1', outcome: 'approved', by: { type: 'person', id: 'ann' }, data: null }],
    ['tool.returned', { effect: 'e1', result: { type: 'json', value: null } }],
    ['ask.opened', opened({ id: 'ask_2', effect: 'e4', step: 'tool 2.1' })],
    ['ask.settled', { ask: 'ask_2', outcome: 'withdrawn', by: { type: 'run' }, because: 'stop' }],
    ['guard.refused', { direction: 'out', kind: 'question', reason: 'rude', effect: 'e1' }],
    ['message.added', { from: 'person', content: 'stop\nit' }],
    ['driver.kept', { key: 'state', value: {} }],
    ['run.failed', { code: 'T2005', message: 'It broke.' }],
    ['run.finished', { text: '', output: { a: 1 } }],
    ['run.stopped', { by: { type: 'system' } }],
  )
  expect(logLines(events).map((line) => line.replace(/^( ?\d+) {2}2026-01-01 00:00:0\d {2}/, '$1 '))).toEqual([
    ' 1               started: asker, chat, by ann: hi',
    ' 2 model 1       Let me ask. · calls question, send, helper · 7 tokens',
    ' 3 question 1.1  asked: {"question":"Which?"}',
    ' 4 tool 1.2      needs no approval',
    ' 5 tool 1.2      send started',
    ' 6 tool 1.2      kept receipt',
    ' 7 tool 1.2      result: {"sent":true}',
    ' 8 tool 1.3      run run_2 does it',
    ' 9 question 1.1  approved by ann: null',
    '10 question 1.1  result: null',
    '11 tool 2.1      asked: {"question":"Which?"}',
    '12 tool 2.1      withdrawn by the run (stop)',
    '13 question 1.1  guard refused to show a question: rude',
    '14               message from person: stop ⏎ it',
    '15               driver kept state',
    '16               failed: T2005 It broke.',
    '17               finished: {"a":1}',
    '18               stopped by the system',
  ])
})

it('a result that is an error reads as one', () => {
  const [line] = logLines(log(['tool.returned', { effect: 'e1', result: { type: 'error', value: 'It fell.' } }]))
  expect(line).toMatch(/ error: It fell\.$/)
})

it('C33: cuts a long text only after all of it was made visible', () => {
  for (let before = 180; before < 205; before++) {
    const content = `${'x'.repeat(before)}\u202E👩\u200D👩\u200D👧${'y'.repeat(100)}`
    const [line = ''] = logLines(log(['message.added', { from: 'system', content }]))
    expect(line.endsWith('…')).toBe(true)
    expect(line.replace('👩\u200D👩\u200D👧', '')).not.toMatch(/[\p{Cf}\p{Cs}]/u)
  }
})
