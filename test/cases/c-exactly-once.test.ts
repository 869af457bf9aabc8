import { code, type Engine } from 'querent'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, resultsIn, typesOf, world } from '../engine/world.ts'

test('C10: 20 answers at once, 10 from a second process, refusals among them: one settles, the others are told', async () => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [ask('How many?')] }, { text: 'Ordered.' }])
  const first = await open(agents)
  const second = await open([], { idle: true })
  const { run } = await helperOf(first, 'asker').start('order')
  await helperOf(first, 'asker').atRest(run)

  const attempt = async (engine: Engine, number: number) => {
    const ann = helperOf(engine, 'asker')
    const at = { run, step: 'question 1.1' }
    // Two of three try under one id, so that the winner may have a twin.
    const answerId = number % 3 === 0 ? `alone ${number}` : 'together'
    const settling =
      number % 4 === 0
        ? ann.refuse(at, { reason: `no ${number}`, answerId: `no ${number}` })
        : ann.approve(at, { data: answerId === 'together' ? 'many' : `${number}`, answerId })
    return settling.then(
      ({ duplicate }) => ({ number, duplicate, error: undefined }),
      (error: { code: string; data: Record<string, unknown> }) => ({ number, duplicate: false, error }),
    )
  }
  const tries = await Promise.all(
    Array.from({ length: 30 }, (_, number) => attempt(number < 20 ? first : second, number)),
  )
  const won = tries.filter(({ error, duplicate }) => !error && !duplicate)
  expect(won).toHaveLength(1)
  await helperOf(first, 'asker').atRest(run)

  const settled = (await first.runs.log(run)).filter((event) => event.type === 'ask.settled')
  expect(settled).toHaveLength(1)
  const end = settled[0]?.data as { outcome: string; data?: unknown; reason?: string }
  for (const { number, error, duplicate } of tries) {
    if (duplicate) expect([number % 3 === 0, number % 4 === 0, end.data]).toEqual([false, false, 'many'])
    if (!error) continue
    expect(error).toMatchObject({
      code: code.T0003,
      data: { outcome: end.outcome, by: { type: 'person', id: 'ann' }, at: expect.stringMatching(/Z$/) },
    })
    expect(error.data.answer).toEqual(end.data)
    expect(error.data.reason).toEqual(end.reason)
  }
  expect(model.calls).toBe(2)
})

test('C10: the winner of many identical answers has only duplicates', async () => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [ask('How many?')] }, { text: 'Ordered.' }])
  const first = await open(agents)
  const second = await open([], { idle: true })
  const { run } = await helperOf(first, 'asker').start('order')
  const { asks } = await helperOf(first, 'asker').atRest(run)
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, number) =>
      helperOf(number < 20 ? first : second, 'asker').approve({
        run,
        step: 'question 1.1',
        data: 'two',
        answerId: 'one click',
      }),
    ),
  )
  expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  expect(new Set(results.map((each) => each.ask.id))).toEqual(new Set([asks[0]?.id]))
  await helperOf(first, 'asker').atRest(run)
  const late = await helperOf(second, 'asker').approve({
    run,
    step: 'question 1.1',
    data: 'two',
    answerId: 'one click',
  })
  expect(late.duplicate).toBe(true)
  const other = helperOf(second, 'asker').approve({ run, step: 'question 1.1', data: 'three', answerId: 'one click' })
  expect(await refusal(other)).toMatchObject({ code: code.T0003, data: { answer: 'two' } })
  expect(model.calls).toBe(2)
})

test.each(['close', 'kill'] as const)(
  'C12: five questions, a restart (%s) before each answer: answers = resumes',
  async (end) => {
    const w = world()
    const turns = [1, 2, 3, 4, 5].map((number) => ({ calls: [ask(`Question ${number}?`)] }))
    const play = () => asker([...turns, { text: 'Enough.' }])
    let engine = await w.open(play().agents)
    const { run } = await helperOf(engine, 'asker').start('ask me')
    let requests = 1
    for (const turn of [1, 2, 3, 4, 5]) {
      expect(await helperOf(engine, 'asker').atRest(run)).toMatchObject({ status: 'waiting' })
      await w[end](engine)
      const { model, agents } = play()
      engine = await w.open(agents)
      await helperOf(engine, 'asker').approve({ run, step: `question ${turn}.1`, data: `answer ${turn}` })
      await helperOf(engine, 'asker').atRest(run)
      expect(model.calls).toBe(1)
      expect(resultsIn(model.prompts[0])).toEqual([{ type: 'text', value: `answer ${turn}` }])
      requests += model.calls
    }
    expect(requests).toBe(6)
    expect(await helperOf(engine, 'asker').run(run)).toMatchObject({ status: 'done', text: 'Enough.' })
    const types = typesOf(await engine.runs.log(run))
    for (const type of ['ask.opened', 'ask.settled', 'tool.returned'])
      expect(types.filter((each) => each === type)).toHaveLength(5)
    expect(types.filter((each) => each === 'model.replied')).toHaveLength(6)
  },
)

test('C13: answers to what is not there, settled, over or of another run change nothing', async () => {
  const { open } = world()
  const { model, agents } = asker([
    { calls: [ask('First?')] },
    { calls: [ask('Second?'), ask('Third?')] },
    { text: 'Never.' },
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const [a, b] = await Promise.all([ann.start('a'), ann.start('b')])
  await Promise.all([ann.atRest(a.run), ann.atRest(b.run)])
  await ann.approve({ run: a.run, step: 'question 1.1', data: 'yes' })
  await ann.atRest(a.run)
  await ann.stop({ run: b.run })

  const requests = model.calls
  const before = await Promise.all([engine.runs.log(a.run), engine.runs.log(b.run)])
  const stillOpen = (await ann.run(a.run)).asks
  const tries = [
    [() => ann.approve({ run: 'run_none', step: 'question 1.1', data: 'x' }), code.T0001],
    [() => ann.refuse({ run: 'run_none', step: 'question 1.1' }), code.T0001],
    [() => ann.approve({ run: a.run, step: 'question 1.1', data: 'x' }), code.T0003],
    [() => ann.refuse({ run: a.run, step: 'question 1.1' }), code.T0003],
    [() => ann.approve({ run: b.run, step: 'question 1.1', data: 'x' }), code.T0003],
    [() => ann.refuse({ run: b.run, step: 'question 1.1' }), code.T0003],
    [() => ann.approve({ run: b.run, step: 'question 2.1', data: 'x' }), code.T0006],
    [() => ann.approve({ ...(stillOpen[0] as (typeof stillOpen)[0]), run: b.run }, { data: 'x' }), code.T0006],
  ] as const
  for (const [attempt, wanted] of tries) expect(await refusal(attempt())).toMatchObject({ code: wanted })

  expect(await Promise.all([engine.runs.log(a.run), engine.runs.log(b.run)])).toEqual(before)
  expect((await ann.run(a.run)).asks).toEqual(stillOpen)
  expect(stillOpen).toHaveLength(2)
  expect(model.calls).toBe(requests)
})
