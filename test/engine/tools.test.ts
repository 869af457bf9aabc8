import { type ToolOptions, tool } from 'querent'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, asker, ended, helperOf, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const

/** A tool `work` that counts how often it was begun. */
function counting(options: Partial<ToolOptions<typeof anything>>) {
  const count = { begun: 0 }
  const begun = Promise.withResolvers<void>()
  const work = tool({
    name: 'work',
    description: 'works',
    input: anything,
    ...options,
    execute(input, ctx) {
      count.begun++
      begun.resolve()
      return options.execute?.(input, ctx)
    },
  })
  return { work, count, begun: begun.promise }
}

const working = { calls: [{ tool: 'work', input: {} }] }

describe('what the model hears of a call', () => {
  const results: [string, () => unknown, { type: string; value: unknown }][] = [
    ['a text', () => 'made', { type: 'text', value: 'made' }],
    ['a value', () => ({ id: 7, at: new Date(0) }), { type: 'json', value: { id: 7, at: '1970-01-01T00:00:00.000Z' } }],
    ['nothing', () => undefined, { type: 'json', value: null }],
    ['a promise', async () => false, { type: 'json', value: false }],
    [
      'an error',
      () => {
        throw new Error('no paper')
      },
      { type: 'error-text', value: 'no paper' },
    ],
    ['a rejection that is no error', () => Promise.reject('jam'), { type: 'error-text', value: 'jam' }],
    [
      'what cannot be JSON',
      () => {
        const loop: Record<string, unknown> = {}
        loop.self = loop
        return loop
      },
      { type: 'error-text', value: expect.stringContaining('circular') },
    ],
  ]

  test.each(results)('%s', async (_, execute, told) => {
    const { open } = world()
    const { work } = counting({ execute })
    const { model, agents } = asker([working, { text: 'ok' }], { tools: [work] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])).toEqual([told])
  })

  test('an unknown tool, an input that cannot be read or does not fit: what was seen and what to do; nothing runs', async () => {
    const { open } = world()
    let ran = 0
    const mail = tool({
      name: 'mail',
      description: 'mails',
      input: z.object({ to: z.email(), copies: z.number().int().max(3).optional() }),
      execute: () => ++ran,
    })
    const { model, agents } = asker(
      [
        {
          calls: [
            { tool: 'male', input: {} },
            { tool: 'mail', input: {}, invalid: 'The input is not JSON.' },
            { tool: 'mail', input: { to: 7 } },
            { tool: 'mail', input: { to: 'nobody', copies: 9 } },
          ],
        },
        { text: 'ok' },
      ],
      { tools: [mail], questions: false },
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: 'There is no tool "male". Tools: mail.' },
      { type: 'error-text', value: 'The input is not JSON.' },
      { type: 'error-text', value: expect.stringMatching(/^Not run: .*schema of "mail".*\n- \/to: /) },
      { type: 'error-text', value: expect.stringMatching(/\/to: [\s\S]*\/copies: /) },
    ])
    expect(ran).toBe(0)
    expect(typesOf(await engine.runs.log(run))).not.toContain('tool.started')
  })

  test('the tool gets the checked value, and what is stored stays as the model said it', async () => {
    const { open } = world()
    const seen: unknown[] = []
    const add = tool({
      name: 'add',
      description: 'adds',
      input: z.object({ n: z.number().default(5), s: z.string().transform((text) => text.length) }),
      execute: (input, ctx) => seen.push(input, ctx.run, ctx.step, ctx.effect, ctx.person),
    })
    const { agents } = asker([{ calls: [{ tool: 'add', input: { s: 'four' } }] }, { text: 'ok' }], { tools: [add] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    expect(seen).toEqual([{ n: 5, s: 4 }, run, 'tool 1.1', `${run}.1.1.1`, { id: 'ann' }])
    const reply = (await engine.runs.log(run)).find((event) => event.type === 'model.replied')
    expect(reply?.data).toMatchObject({ calls: [{ input: { s: 'four' } }] })
  })
})

describe('a time-out', () => {
  test('aborts the signal and tells the model, though the tool ignores it; what it returns late is not written', async () => {
    const { open, clock } = world()
    const late = Promise.withResolvers<string>()
    let signal: AbortSignal | undefined
    const { work, begun } = counting({
      timeout: '30s',
      execute(_, ctx) {
        signal = ctx.signal
        return late.promise
      },
    })
    const { model, agents } = asker([working, { text: 'ok' }], { tools: [work] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun
    clock.advance(29_999)
    expect(signal?.aborted).toBe(false)
    clock.advance(1)
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' })
    expect((await ann.atRest(run)).status).toBe('done')
    const log = await engine.runs.log(run)
    late.resolve('late')
    await late.promise
    expect(await engine.runs.log(run)).toEqual(log)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: 'The tool did not return in time. It may or may not have happened.' },
    ])
  })

  test('not reached leaves no timer behind', async () => {
    const { open, clock } = world()
    const { work } = counting({ timeout: '30s', execute: () => 'made' })
    const { agents } = asker([working, { text: 'ok' }], { tools: [work] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    await ann.atRest((await ann.start('go')).run)
    await engine.stop()
    expect(clock.timers).toBe(0)
  })
})

test('a tool that ignores its signal holds nobody up: the run is stopped, and what it returns is not written', async () => {
  const { open } = world()
  const gate = Promise.withResolvers<string>()
  const { work, begun } = counting({ execute: () => gate.promise })
  const { agents } = asker([working, { text: 'Never.' }], { tools: [work] })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await begun
  await ann.stop({ run })
  await engine.stop()
  const log = await engine.runs.log(run)
  gate.resolve('late')
  await gate.promise
  expect(await engine.runs.log(run)).toEqual(log)
  expect(typesOf(log).at(-1)).toBe('run.stopped')
})

describe('a tool that ran when its process died', () => {
  const interrupted = 'Interrupted before its result was recorded. It may or may not have happened.'
  const kinds: [string, Partial<ToolOptions<typeof anything>>, number, string][] = [
    ['neither retrySafe nor replays: it is not run again (G6)', {}, 1, interrupted],
    ['retrySafe: it is run again', { retrySafe: true }, 2, 'made'],
    ['replays: it is run again', { replays: true }, 2, 'made'],
  ]

  test.each(kinds)('%s', async (_, traits, runs, told) => {
    const { open, kill } = world()
    const { work, count, begun } = counting({
      ...traits,
      execute: () => (count.begun === 1 ? new Promise(() => undefined) : 'made'),
    })
    const play = () => asker([working, { text: 'ok' }], { tools: [work] })
    const first = await open(play().agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await begun
    await kill(first)
    const { model, agents } = play()
    const second = await open(agents)
    expect((await helperOf(second, 'asker').atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual([told])
    expect(count.begun).toBe(runs)
    expect(typesOf(await second.runs.log(run)).filter((type) => type === 'tool.started')).toHaveLength(1)
  })

  test('one that never began is run, and one that returned is not run again', async () => {
    const { open, kill, died } = world()
    const trace: string[] = []
    const step = tool({
      name: 'step',
      description: 'steps',
      input: { type: 'object', properties: { id: { type: 'string' } } },
      execute(input) {
        const { id } = input as { id: string }
        trace.push(id)
        if (id === 'b' && trace.length === 2) {
          void kill(first)
          return new Promise(() => undefined)
        }
        return id
      },
    })
    const calls = ['a', 'b', 'c'].map((id) => ({ tool: 'step', input: { id } }))
    const play = () => asker([{ calls }, { text: 'ok' }], { tools: [step] })
    const first = await open(play().agents, { idle: true })
    await first.start()
    const { run } = await helperOf(first, 'asker').start('go')
    await died(first)
    const { model, agents } = play()
    const second = await open(agents)
    await helperOf(second, 'asker').atRest(run)
    expect(trace).toEqual(['a', 'b', 'c'])
    expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual(['a', interrupted, 'c'])
  })
})

test('a tool that a deploy took away: its call is answered, and the run goes on', async () => {
  const { open, kill } = world()
  const { work, begun } = counting({ retrySafe: true, execute: () => new Promise(() => undefined) })
  const first = await open(asker([working, { text: 'ok' }], { tools: [work] }).agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await begun
  await kill(first)
  const { model, agents } = asker([working, { text: 'ok' }])
  const second = await open(agents)
  expect((await helperOf(second, 'asker').atRest(run)).status).toBe('done')
  expect(resultsIn(model.prompts[0]).map(({ type }) => type)).toEqual(['error-text'])
})

test('tools beside a question: retry-safe ones run at once, while it waits', async () => {
  const { open } = world()
  const { work, count } = counting({ retrySafe: true, execute: () => 'found' })
  const { model, agents } = asker([{ calls: [ask('Which?'), ...working.calls] }, { text: 'ok' }], { tools: [work] })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  expect(count.begun).toBe(1)
  expect(model.calls).toBe(1)
  await ann.approve({ run, step: 'question 1.1', data: 'this' })
  expect((await ended(ann, run)).status).toBe('done')
  expect(count.begun).toBe(1)
})
