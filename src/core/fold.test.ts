import { describe, expect, test } from 'vitest'
import { closeLog } from './close.ts'
import { type EventData, type EventType, type NewEvent, newEvent } from './event.ts'
import { emptyState, fold } from './fold.ts'
import { nextStep, type Situation } from './next-step.ts'
import { promptOf } from './prompt.ts'
import { defaultTexts } from './texts.ts'

const started: EventData['run.started'] = {
  agent: 'asker',
  fingerprint: 'f',
  trigger: 'chat',
  starter: { type: 'person', id: 'ann' },
  input: 'I need a T-shirt',
}

type Line = { [T in EventType]: [T, EventData[T]] }[EventType]

function log(...lines: Line[]): NewEvent[] {
  return [['run.started', started] as Line, ...lines].map(([type, data], index) =>
    newEvent(index + 1, type, data as never),
  )
}

function reply(turn: number, text: string, calls: { tool: string; id?: string }[] = [], repeat = 1): Line {
  const list = calls.map(({ tool, id }, index) => ({
    id: id ?? `c${turn}${index}`,
    tool,
    input: {},
    effect: `r.${repeat}.${turn}.${index + 1}`,
  }))
  const content = [
    ...(text ? [{ type: 'text', text }] : []),
    ...list.map((call) => ({ type: 'tool-call', toolCallId: call.id, toolName: call.tool, input: {} })),
  ]
  const messages = [JSON.stringify({ role: 'assistant', content })]
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
  return ['model.replied', { turn, messages, text, calls: list, usage, finish: 'stop' }]
}

const returned = (effect: string, value = 'ok'): Line => ['tool.returned', { effect, result: { type: 'text', value } }]
const said = (content: string): Line => ['message.added', { from: 'person', content }]
const opened = (effect: string, id = effect, more: Partial<EventData['ask.opened']> = {}): Line => [
  'ask.opened',
  {
    id,
    kind: 'question',
    effect,
    repeat: 1,
    step: 'question 1.1',
    n: 1,
    tool: 'question',
    input: { question: '?' },
    rule: { onExpire: 'refuse', guarded: false },
    held: true,
    ...more,
  },
]
const settled = (ask: string, outcome: EventData['ask.settled']['outcome'] = 'approved'): Line => [
  'ask.settled',
  { ask, outcome, by: { type: 'person', id: 'ann' }, data: 'M' },
]

function situation(more: Partial<Situation> = {}): Situation {
  return {
    mailed: false,
    running: new Set(),
    planned: new Set(),
    traits: (call) => ({ retrySafe: call.tool === 'safe', replays: false }),
    limits: { steps: 3 },
    ...more,
  }
}

const means = { texts: defaultTexts, resolve: () => ({ type: 'text' as const, value: 'resolved' }) }
const stateOf = (events: NewEvent[]) => fold(emptyState(), events)
const stepOf = (events: NewEvent[], more: Partial<Situation> = {}) => {
  const step = nextStep(stateOf(events), situation(more))
  return 'calls' in step ? { do: step.do, effects: step.calls.map((call) => call.effect) } : step
}

describe('nextStep', () => {
  test('a new run calls the model', () => {
    expect(stepOf(log())).toEqual({ do: 'model', turn: 1 })
  })

  test('what is in the mailbox goes first, always', () => {
    expect(stepOf(log(), { mailed: true })).toEqual({ do: 'absorb' })
    expect(stepOf(log(reply(1, 'bye')), { mailed: true })).toEqual({ do: 'absorb' })
  })

  test('a reply without calls ends the run', () => {
    expect(stepOf(log(reply(1, 'bye')))).toMatchObject({ do: 'finish' })
  })

  test('calls are planned together, then retry-safe ones start side by side and others in order', () => {
    const events = log(reply(1, '', [{ tool: 'write' }, { tool: 'safe' }, { tool: 'write' }, { tool: 'safe' }]))
    const all = ['r.1.1.1', 'r.1.1.2', 'r.1.1.3', 'r.1.1.4']
    expect(stepOf(events)).toEqual({ do: 'plan', effects: all })
    expect(stepOf(events, { planned: new Set(all) })).toEqual({
      do: 'start',
      effects: ['r.1.1.2', 'r.1.1.4', 'r.1.1.1'],
    })
    const running = new Set(['r.1.1.1', 'r.1.1.2', 'r.1.1.4'])
    expect(stepOf(events, { planned: new Set(['r.1.1.3']), running })).toEqual({ do: 'wait' })
    const first = [
      ...events,
      newEvent(3, 'tool.returned', { effect: 'r.1.1.1', result: { type: 'text', value: 'ok' } }),
    ]
    expect(stepOf(first, { planned: new Set(['r.1.1.3']), running: new Set(['r.1.1.2', 'r.1.1.4']) })).toEqual({
      do: 'start',
      effects: ['r.1.1.3'],
    })
  })

  test('a call that ran when its process died is repeated only where that does no harm', () => {
    const events = log(
      reply(1, '', [{ tool: 'write' }, { tool: 'safe' }]),
      ['tool.started', { effect: 'r.1.1.1' }],
      ['tool.started', { effect: 'r.1.1.2' }],
    )
    expect(stepOf(events)).toEqual({ do: 'interrupt', effects: ['r.1.1.1'] })
    expect(
      stepOf([...events, newEvent(5, 'tool.returned', { effect: 'r.1.1.1', result: { type: 'error', value: 'x' } })]),
    ).toEqual({
      do: 'start',
      effects: ['r.1.1.2'],
    })
  })

  test('an open ask parks the run once nothing else is to do; a settled one is resolved', () => {
    const asked = [reply(1, '', [{ tool: 'question' }, { tool: 'safe' }]), opened('r.1.1.1')]
    expect(stepOf(log(...asked), { running: new Set(['r.1.1.2']) })).toEqual({ do: 'wait' })
    expect(stepOf(log(...asked, returned('r.1.1.2')))).toEqual({ do: 'park' })
    expect(stepOf(log(...asked, returned('r.1.1.2'), settled('r.1.1.1')))).toMatchObject({ do: 'resolve' })
    expect(stepOf(log(...asked, returned('r.1.1.2'), settled('r.1.1.1'), returned('r.1.1.1')))).toEqual({
      do: 'model',
      turn: 2,
    })
  })

  test('the model is not called while a call of the turn lacks its result, nor before the answers are delivered', () => {
    const asked = [
      reply(1, '', [{ tool: 'question' }, { tool: 'question' }]),
      opened('r.1.1.1', 'a', { waiting: 'Asked.' }),
      returned('r.1.1.1', 'Asked.'),
      opened('r.1.1.2', 'b', { waiting: 'Asked.' }),
      returned('r.1.1.2', 'Asked.'),
    ]
    expect(stepOf(log(...asked))).toEqual({ do: 'park' })
    expect(stepOf(log(...asked, settled('b')))).toEqual({ do: 'park' })
    expect(stepOf(log(...asked, settled('b'), settled('a')))).toMatchObject({ do: 'deliver' })
    const delivered: Line = ['message.added', { from: 'answers', content: '?\nM' }]
    expect(stepOf(log(...asked, settled('b'), settled('a'), delivered))).toEqual({ do: 'model', turn: 2 })
  })

  test('limits: steps of the round, tokens of the run, an expiry that must fail', () => {
    const three = [1, 2, 3].flatMap((turn): Line[] => [reply(turn, '', [{ tool: 'safe' }]), returned(`r.1.${turn}.1`)])
    expect(stepOf(log(...three))).toMatchObject({ do: 'fail', code: 'T2001' })
    expect(stepOf(log(...three, said('go on')))).toEqual({ do: 'model', turn: 1 })
    expect(stepOf(log(...three.slice(0, 2)), { limits: { steps: 3, tokensOut: 2 } })).toMatchObject({
      do: 'fail',
      code: 'T2002',
    })
    const asked = [
      reply(1, '', [{ tool: 'question' }]),
      opened('r.1.1.1', 'a', { rule: { onExpire: 'fail', guarded: false } }),
    ]
    expect(stepOf(log(...asked, settled('a', 'expired')))).toMatchObject({ do: 'fail', code: 'T2004' })
  })
})

describe('rounds', () => {
  test('a message waits for the results of the turn, then opens the next round; those that come together share it', () => {
    const state = stateOf(log(reply(1, '', [{ tool: 'safe' }]), said('one'), said('two')))
    expect(state.repeat).toBe(1)
    expect(promptOf(state)).toHaveLength(3)
    fold(state, [newEvent(5, 'tool.returned', { effect: 'r.1.1.1', result: { type: 'text', value: 'ok' } })])
    expect(state.repeat).toBe(2)
    expect(state.turns).toBe(0)
    expect(promptOf(state).map((text) => JSON.parse(text).role)).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
  })

  test('a text that a guard refused is hidden, and the model is told after the results, before the next message', () => {
    const [type, data] = reply(1, 'secret', [{ tool: 'safe' }])
    const refused = { reason: 'no', notice: 'This was not shown to the person: no.' }
    const state = stateOf(log([type, { ...data, refused }] as Line, said('hello'), returned('r.1.1.1')))
    expect(
      promptOf(state)
        .slice(3)
        .map((text) => JSON.parse(text).content),
    ).toEqual([refused.notice, 'hello'])
  })
})

describe('the prompt', () => {
  test('it only grows, byte for byte, whatever order results came in', () => {
    const lines = [
      reply(1, 'a', [{ tool: 'safe' }, { tool: 'question' }]),
      opened('r.1.1.2'),
      settled('r.1.1.2'),
      returned('r.1.1.2', 'second'),
      returned('r.1.1.1', 'first'),
      reply(2, 'done'),
      said('more'),
      reply(1, 'again', [], 2),
    ]
    // The lines before each model call, and all of them.
    const prompts = [1, 6, 8, 9].map((count) => promptOf(stateOf(log(...lines).slice(0, count))))
    for (const [index, prompt] of prompts.slice(1).entries()) {
      const before = prompts[index] as string[]
      expect(prompt.slice(0, before.length)).toEqual(before)
      expect(prompt.length).toBeGreaterThan(before.length)
    }
    const results = JSON.parse(prompts[1]?.[2] as string).content
    expect(results.map((part: { output: { value: string } }) => part.output.value)).toEqual(['first', 'second'])
  })

  test('ids that were used before, or are empty, go back unique and stable; the rest of the message is untouched', () => {
    const lines = [
      reply(1, '', [
        { tool: 'safe', id: '0' },
        { tool: 'safe', id: '0' },
      ]),
      returned('r.1.1.1'),
      returned('r.1.1.2'),
      reply(2, '', [
        { tool: 'safe', id: '0' },
        { tool: 'safe', id: '' },
      ]),
      returned('r.1.2.1'),
      returned('r.1.2.2'),
    ]
    const prompt = promptOf(stateOf(log(...lines))).map((text) => JSON.parse(text))
    const calls = prompt
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => content.map((part: { toolCallId: string }) => part.toolCallId))
    const results = prompt
      .filter(({ role }) => role === 'tool')
      .flatMap(({ content }) => content.map((part: { toolCallId: string }) => part.toolCallId))
    expect(calls).toEqual(['0', '0_1_1_2', '0_1_2_1', 'call_1_2_2'])
    expect(results).toEqual(calls)
  })
})

describe('closing a log', () => {
  test('every call has a result, every ask its end, and a new round can follow', () => {
    const state = stateOf(
      log(
        reply(1, '', [{ tool: 'write' }, { tool: 'question' }, { tool: 'write' }]),
        ['tool.started', { effect: 'r.1.1.1' }],
        opened('r.1.1.2'),
      ),
    )
    const events = closeLog(state, { because: 'stop', by: { type: 'person', id: 'ann' } }, means)
    expect(events.map((event) => event.type)).toEqual([
      'ask.settled',
      'tool.returned',
      'tool.returned',
      'tool.returned',
      'run.stopped',
    ])
    expect(state.status).toBe('stopped')
    const results = JSON.parse(promptOf(state)[2] as string).content.map(
      (part: { output: { value: string } }) => part.output.value,
    )
    expect(results).toEqual([defaultTexts.interrupted, defaultTexts.stopped, defaultTexts.stopped])
    fold(state, [newEvent(state.seq + 1, 'message.added', { from: 'person', content: 'go on' })])
    expect(nextStep(state, situation())).toEqual({ do: 'model', turn: 1 })
  })
})

test('an event that is newer than this code is refused, not guessed at (T3002)', () => {
  const event = { ...newEvent(1, 'run.started', started), v: 2 } as unknown as NewEvent
  expect(() => fold(emptyState(), [event])).toThrow(expect.objectContaining({ code: 'T3002' }))
})
