import { type Ask, code, type Json, tool } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from './world.ts'

/** A run that asked at `question 1.1` in each of three rounds, the last of them still open. */
async function threeRounds() {
  const { open } = world()
  const turn = { calls: [ask({ question: 'Size?', choices: ['S', 'M'] })] }
  const { agents } = asker([turn, { text: 'ok' }, turn, { text: 'ok' }, turn, { text: 'ok' }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  for (const data of ['S', 'M']) {
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.1', data, repeat: data === 'S' ? 1 : 2 })
    await ann.atRest(run)
    await ann.say({ run, text: 'again' })
  }
  const { asks } = await ann.atRest(run)
  return { engine, ann, run, open: asks[0] as Ask }
}

describe('which ask is meant', () => {
  test('T0004 where more than one has been at the step, with each of them and its state', async () => {
    const { engine, ann, run, open } = await threeRounds()
    const log = await engine.runs.log(run)
    const several = await refusal(ann.approve({ run, step: 'question 1.1', data: 'S' }))
    expect(several).toMatchObject({
      code: code.T0004,
      data: {
        asks: [
          { repeat: 1, n: 1, state: 'approved' },
          { repeat: 2, n: 1, state: 'approved' },
          { repeat: 3, n: 1, state: 'open', ask: open },
        ],
      },
    })
    expect(await refusal(ann.refuse({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0004 })
    expect(await engine.runs.log(run)).toEqual(log)
  })

  test('repeat says which; the ask itself does too', async () => {
    const { ann, run, open } = await threeRounds()
    const at = { run, step: 'question 1.1' }
    expect(await refusal(ann.approve({ ...at, repeat: 1, data: 'S' }))).toMatchObject({ code: code.T0003 })
    expect(await refusal(ann.approve({ ...at, repeat: 4, data: 'S' }))).toMatchObject({ code: code.T0006 })
    expect(await refusal(ann.approve({ ...at, repeat: 3, n: 2, data: 'S' }))).toMatchObject({ code: code.T0006 })
    expect((await ann.approve(open, { data: 'S' })).ask).toEqual(open)
  })

  test('T0006 lists what is open now', async () => {
    const { ann, run, open } = await threeRounds()
    for (const step of ['question 1.2', 'question 9.1', 'tool 1.1', 'model 1', '', 'x'])
      expect(await refusal(ann.approve({ run, step, data: 'S' }))).toMatchObject({
        code: code.T0006,
        data: { open: [open] },
      })
  })

  test('a step of a delegated path is not the step without it', async () => {
    const { ann, run } = await threeRounds()
    const wrong = await refusal(ann.approve({ run, step: 'tool 1.1/question 1.1', data: 'S' }))
    expect(wrong).toMatchObject({ code: code.T0006 })
  })
})

describe('answerId', () => {
  test('the same answer again is a duplicate, of an approval and of a refusal; other content is T0003', async () => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask('Size?'), ask('Colour?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    const [size, colour] = [
      { run, step: 'question 1.1' },
      { run, step: 'question 1.2' },
    ]
    expect((await ann.approve(size, { data: 'M', answerId: 'a' })).duplicate).toBe(false)
    expect((await ann.approve({ ...size, data: 'M', answerId: 'a' })).duplicate).toBe(true)
    expect((await ann.refuse(colour, { reason: 'none', answerId: 'b' })).duplicate).toBe(false)
    await ann.atRest(run)
    expect((await ann.refuse(colour, { reason: 'none', answerId: 'b' })).duplicate).toBe(true)
    const others: [() => Promise<unknown>, string][] = [
      [() => ann.approve(size, { data: 'L', answerId: 'a' }), 'approved'],
      [() => ann.approve(size, { data: 'M', answerId: 'other' }), 'approved'],
      [() => ann.approve(size, { data: 'M' }), 'approved'],
      [() => ann.refuse(size, { answerId: 'a' }), 'approved'],
      [() => ann.refuse(colour, { reason: 'nothing', answerId: 'b' }), 'refused'],
      [() => ann.refuse(colour, { answerId: 'b' }), 'refused'],
      [() => ann.approve(colour, { data: 'red', answerId: 'b' }), 'refused'],
    ]
    for (const [again, outcome] of others)
      expect(await refusal(again())).toMatchObject({
        code: code.T0003,
        data: { outcome, by: { type: 'person', id: 'ann' }, at: expect.any(String) },
      })
    expect(model.calls).toBe(2)
  })

  test('is looked up before the deadline: an answer that was accepted stays a duplicate after it', async () => {
    const { open, clock } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }], { limits: { ask: '1h' } })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    const at = { run, step: 'question 1.1' }
    await ann.approve(at, { data: 'M', answerId: 'a' })
    clock.advance(7_200_000)
    expect((await ann.approve(at, { data: 'M', answerId: 'a' })).duplicate).toBe(true)
    expect(await refusal(ann.approve(at, { data: 'L', answerId: 'b' }))).toMatchObject({ code: code.T0003 })
  })
})

test('bad arguments are a rejection with a code, never thrown at the caller, and change nothing', async () => {
  const { open } = world()
  const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  const log = await engine.runs.log(run)
  const loop: Record<string, unknown> = {}
  loop.self = loop
  const at = { run, step: 'question 1.1' }
  const attempts: [() => Promise<unknown>, string][] = [
    [() => ann.approve(undefined as never), code.T0001],
    [() => ann.refuse(null as never), code.T0001],
    [() => ann.approve('question 1.1' as never), code.T0001],
    [() => engine.runs.approve(undefined as never), code.T0001],
    [() => ann.say(undefined as never), code.T0001],
    [() => ann.stop(undefined as never), code.T0001],
    [() => ann.run(7 as never), code.T0001],
    [() => ann.atRest('x'), code.T0001],
    [() => ann.approve(at, { data: loop as Json }), code.T0002],
    [() => ann.approve(at, { data: 7n as never }), code.T0002],
    [() => ann.approve(at, { data: (() => 1) as never }), code.T0002],
    [() => ann.approve(at, { data: 'M', answerId: '' }), code.T0008],
    [() => ann.approve(at, { data: 'M', answerId: 'x'.repeat(201) }), code.T0008],
    [() => ann.refuse(at, { reason: 7 as never }), code.T0008],
    [() => ann.refuse(at, { reason: 'x'.repeat(10_001) }), code.T0008],
    [() => ann.start(''), code.T0008],
    [() => ann.start(undefined as never), code.T0008],
    [() => ann.start([]), code.T0008],
    [() => ann.start([{ type: 'video' }] as never), code.T0008],
    [() => ann.start('go', { key: '' }), code.T0008],
    [() => ann.say({ run, text: ' ' }), code.T0008],
    [() => engine.runs.start('nobody', { input: 'x' }), code.T1005],
  ]
  for (const [attempt, wanted] of attempts) {
    let promise: Promise<unknown> | undefined
    expect(() => {
      promise = attempt()
    }).not.toThrow()
    expect(await refusal(promise as Promise<unknown>)).toMatchObject({ code: wanted })
  }
  expect(await engine.runs.log(run)).toEqual(log)
  expect((await engine.runs.list()).items).toHaveLength(1)
})

describe('who may start, see and answer (T0007, T0001, T3101)', () => {
  test('access', async () => {
    const { open } = world()
    const rules = {
      everyone: 'everyone',
      signedIn: undefined,
      system: 'system',
      annOnly: (person: { id: string }) => person.id === 'ann',
      later: async (person: { id: string }) => person.id === 'ann',
      sloppy: () => 'yes' as never,
    } as const
    const agents = Object.entries(rules).map(([name, access]) => ({
      ...asker([{ text: 'ok' }], access === undefined ? {} : { access }).asker,
      name,
    }))
    const engine = await open(agents, { idle: true })
    const may = async (name: string, id: string) =>
      helperOf(engine, name, id)
        .start('go')
        .then(
          () => true,
          (error) => error.code,
        )
    expect(await Promise.all(Object.keys(rules).map((name) => may(name, 'ann')))).toEqual([
      true,
      true,
      code.T0007,
      true,
      true,
      code.T0007,
    ])
    expect(await may('annOnly', 'bob')).toBe(code.T0007)
    expect(await may('later', 'bob')).toBe(code.T0007)
    await engine.runs.start('system', { input: 'go' })
    const as = { id: 'bob' }
    expect(await refusal(engine.runs.start('annOnly', { input: 'go', as }))).toMatchObject({ code: code.T0007 })
    for (const nobody of [undefined, null, {}, { id: '' }, { id: 7 }] as never[])
      expect(() => engine.as(nobody)).toThrow(expect.objectContaining({ code: code.T0007, status: 401 }))
  })

  test('for anybody else a run is not there: in no list, stream, answer (C31, G10)', async () => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const [ann, bob] = [helperOf(engine, 'asker'), helperOf(engine, 'asker', 'bob')]
    const { run } = await ann.start('go')
    const { asks } = await ann.atRest(run)
    const log = await engine.runs.log(run)
    const at = { run, step: 'question 1.1' }
    const stream = async (helper: typeof bob, id: string) => {
      for await (const _ of helper.watch(id));
    }
    const tries: ((id: string) => Promise<unknown>)[] = [
      (id) => bob.run(id),
      (id) => bob.atRest(id),
      (id) => stream(bob, id),
      (id) => bob.approve({ ...at, run: id, data: 'M' }),
      (id) => bob.approve({ ...(asks[0] as Ask), run: id }, { data: 'M' }),
      (id) => bob.refuse({ ...at, run: id }),
      (id) => bob.say({ run: id, text: 'hi' }),
      (id) => bob.stop({ run: id }),
    ]
    for (const attempt of tries) {
      const [theirs, none] = [await refusal(attempt(run)), await refusal(attempt('run_none'))]
      expect(theirs).toMatchObject({ code: code.T0001 })
      expect({ ...theirs, message: theirs.message.replace(run, 'run_none') }).toEqual(none)
    }
    expect(await engine.as({ id: 'bob' }).asks()).toEqual([])
    expect(await bob.working()).toEqual([])
    expect((await engine.asks.list({ person: 'bob' })).items).toEqual([])
    const backend = [() => engine.runs.approve({ ...at, data: 'M' }), () => engine.runs.refuse(at)]
    for (const attempt of [...backend, () => engine.runs.say({ run, text: 'hi' })])
      expect(await refusal(attempt())).toMatchObject({ code: code.T3101 })
    expect(await engine.runs.log(run)).toEqual(log)
    expect(model.calls).toBe(1)
    await ann.approve({ ...at, data: 'M' })
    expect((await ann.atRest(run)).status).toBe('done')
  })

  test('what the system started is answered by the backend, and is no person’s', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const { run } = await engine.runs.start('asker', { input: 'go' })
    await engine.runs.atRest(run)
    expect((await engine.asks.list({ starter: 'system' })).items).toHaveLength(1)
    expect(await refusal(helperOf(engine, 'asker').run(run))).toMatchObject({ code: code.T0001 })
    await engine.runs.refuse({ run, step: 'question 1.1', reason: 'no' })
    const done = await engine.runs.atRest(run)
    expect(done.messages.find((line) => line.role === 'ask')).toMatchObject({ end: { by: 'system', reason: 'no' } })
  })

  test('started as a person by the backend it is that person’s', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const { run } = await engine.runs.start('asker', { input: 'go', as: { id: 'ann' } })
    await engine.runs.atRest(run)
    expect(await refusal(engine.runs.approve({ run, step: 'question 1.1', data: 'M' }))).toMatchObject({
      code: code.T3101,
    })
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    expect(await engine.runs.atRest(run)).toMatchObject({ status: 'done', trigger: 'chat' })
  })

  test.each(['schedule', 'webhook', 'manual'] as const)(
    'on the trigger %s the model has no question tool',
    async (trigger) => {
      const { open } = world()
      const look = tool({ name: 'look', description: 'looks', input: { type: 'object' }, execute: () => 1 })
      const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }], { tools: [look] })
      const engine = await open(agents)
      const { run } = await engine.runs.start('asker', { input: 'go', trigger })
      expect(await engine.runs.atRest(run)).toMatchObject({ status: 'done', trigger })
      expect(model.prompts[0]?.tools.map(({ name }) => name)).toEqual(['look'])
    },
  )
})
