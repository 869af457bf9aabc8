import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Ask } from '../core/ask.ts'
import type { ViewEvent } from '../core/view.ts'
import { Output } from './output.ts'
import { RunPrinter } from './run-printer.ts'

function printed(events: ViewEvent[]): string {
  const screen = new PassThrough({ encoding: 'utf8' })
  const printer = new RunPrinter(new Output(screen))
  for (const event of events) printer.print(event)
  return (screen.read() as string | null) ?? ''
}

const delta = (text: string): ViewEvent => ({ type: 'text.delta', text })
const said = (text: string, role: 'user' | 'assistant' = 'assistant', seq = 2): ViewEvent => ({
  type: 'message',
  seq,
  at: '2026-01-01T00:00:00.000Z',
  role,
  text,
})

describe('a message is printed once', () => {
  it.each([
    ['not live', [said('Which size?')]],
    ['live', [delta('Which '), delta('size?'), said('Which size?')]],
    ['live, and the last piece came after the whole', [delta('Which '), said('Which size?'), delta('size?')]],
    ['live, and every piece came after the whole', [said('Which size?'), delta('Which '), delta('size?')]],
  ])('%s', (_, events) => {
    expect(printed(events)).toBe('Which size?\n')
  })

  it('whole, where only its end was seen live', () => {
    expect(printed([delta('size?'), said('Which size?')])).toBe('size?\nWhich size?\n')
  })

  it('again, where the model broke off half-way', () => {
    expect(printed([delta('Which col'), { type: 'text.reset' }, delta('Which size?'), said('Which size?')])).toBe(
      'Which col\n … broke off, and is said again:\nWhich size?\n',
    )
  })

  it('the next one is not taken for the end of the last', () => {
    expect(printed([delta('A b'), said('A b c'), delta('Next.'), said('Next.')])).toBe('A b c\nNext.\n')
  })
})

it('what the person typed first is on their screen; what they say later is shown', () => {
  expect(printed([said('hello', 'user', 1), said('two\nlines', 'user', 9)])).toBe('> two\n> lines\n')
})

it('how an ask ended is said where the person here did not end it', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const ask: Ask = {
    id: 'ask_1',
    kind: 'question',
    run: 'run_1',
    agent: 'asker',
    path: ['asker'],
    repeat: 1,
    step: 'question 1.1',
    n: 1,
    tool: 'question',
    input: {},
    since: at,
  }
  const settled = (by: 'you' | 'clock', outcome: 'approved' | 'expired'): ViewEvent => ({
    type: 'ask.settled',
    seq: 3,
    at,
    ask,
    end: { outcome, by, at },
  })
  expect(printed([settled('you', 'approved'), settled('clock', 'expired')])).toBe('question 1.1  expired\n')
})
