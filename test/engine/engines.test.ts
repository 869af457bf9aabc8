import { type Engine, tool } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, resultsIn, typesOf, world } from './world.ts'

const working = { calls: [{ tool: 'work', input: {} }] }

/** A tool that waits for the test in each of its runs. */
function gated(traits: { retrySafe?: boolean } = {}) {
  const gate = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<AbortSignal>()
  const count = { begun: 0 }
  const work = tool({
    name: 'work',
    description: 'works',
    input: { type: 'object' },
    ...traits,
    execute(_, { signal }) {
      count.begun++
      begun.resolve(signal)
      return gate.promise
    },
  })
  return { work, gate, begun: begun.promise, count }
}

describe('engine.stop', () => {
  test('lets a tool come to its end, keeps its result, gives the claim back, and begins nothing new', async () => {
    const { open } = world()
    const { work, gate, begun } = gated()
    const turns = [{ calls: [...working.calls, ...working.calls] }, { text: 'ok' }]
    const { model, agents } = asker(turns, { tools: [work] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun
    const stopping = engine.stop()
    gate.resolve('made')
    await stopping
    expect((await ann.run(run)).status).toBe('ready')
    expect(typesOf(await engine.runs.log(run))).toEqual([
      'run.started',
      'model.replied',
      'tool.started',
      'tool.returned',
    ])
    expect(model.calls).toBe(1)
    const second = await open(agents)
    expect((await helperOf(second, 'asker').atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual(['made', 'made'])
  })

  test('lets a model call come to its end: what it said is kept, and asked at once', async () => {
    const { open } = world()
    const [begun, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { model, agents } = asker([
      async () => {
        begun.resolve()
        await hold.promise
        return { calls: [ask('Size?')] }
      },
      { text: 'ok' },
    ])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    const stopping = engine.stop()
    hold.resolve()
    await stopping
    expect(await ann.run(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
    expect(model.calls).toBe(1)
  })

  test('interrupts what takes longer than its grace, and nothing is lost', async () => {
    const { open, clock, armed } = world()
    const { work, begun, count } = gated({ retrySafe: true })
    const { agents } = asker([working, { text: 'ok' }], { tools: [work] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const signal = await begun
    const stopping = engine.stop({ graceMs: 4321 })
    await armed(4321)
    expect(signal.aborted).toBe(false)
    clock.advance(4321)
    await stopping
    expect(signal.aborted).toBe(true)
    expect((await ann.run(run)).status).toBe('ready')
    const again = gated({ retrySafe: true })
    again.gate.resolve('made')
    const { model, agents: second } = asker([working, { text: 'ok' }], { tools: [again.work] })
    const engine2 = await open(second)
    expect((await helperOf(engine2, 'asker').atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual(['made'])
    expect([count.begun, again.count.begun]).toEqual([1, 1])
  })

  test('interrupts a model call after its grace; the call is made again elsewhere', async () => {
    const { open, clock, armed } = world()
    const begun = Promise.withResolvers<void>()
    const never = new Promise<void>(() => undefined)
    const first = asker([{ text: 'One', hold: never }])
    const engine = await open(first.agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const watching = (async () => {
      for await (const event of ann.watch(run)) if (event.type === 'text.delta') begun.resolve()
    })()
    await engine.start()
    await begun.promise
    const stopping = engine.stop({ graceMs: 1234 })
    await armed(1234)
    clock.advance(1234)
    await stopping
    expect((await ann.run(run)).status).toBe('ready')
    const second = await open(asker([{ text: 'Two' }]).agents)
    expect(await helperOf(second, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Two' })
    await watching
  })

  test('a stopped engine still starts, answers and lists; started again it works', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await engine.stop()
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    const second = await ann.start('again')
    expect((await ann.working()).map(({ status }) => status)).toEqual(['ready', 'ready'])
    await engine.start()
    await engine.start()
    expect((await ann.atRest(run)).status).toBe('done')
    expect((await ann.atRest(second.run)).status).toBe('waiting')
    await engine.stop()
    await engine.stop()
  })

  test('close: what comes after is T1008', async () => {
    const { open, close } = world()
    const engine = await open(asker([]).agents)
    await close(engine)
    await expect(helperOf(engine, 'asker').start('go')).rejects.toMatchObject({ code: 'T1008' })
    await expect(engine.runs.list()).rejects.toMatchObject({ code: 'T1008' })
  })
})

test('concurrency: so many runs are worked on at once, and no more; the others follow', async () => {
  const { open } = world()
  const gates: PromiseWithResolvers<void>[] = []
  let [running, most] = [0, 0]
  let three = Promise.withResolvers<void>()
  const turn = async () => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    most = Math.max(most, ++running)
    if (running === 3) three.resolve()
    await gate.promise
    running--
    return { text: 'ok' }
  }
  const engine = await open(asker([turn]).agents, { concurrency: 3 })
  const ann = helperOf(engine, 'asker')
  const runs = await Promise.all(Array.from({ length: 9 }, () => ann.start('go')))
  for (let batch = 0; batch < 3; batch++) {
    await three.promise
    three = Promise.withResolvers()
    expect((await engine.runs.list({ active: true })).items.filter(({ status }) => status === 'working')).toHaveLength(
      3,
    )
    for (const gate of gates.splice(0)) gate.resolve()
  }
  for (const { run } of runs) expect((await ann.atRest(run)).status).toBe('done')
  expect(most).toBe(3)
})

describe('two engines on one file', () => {
  test('share 50 runs, each asked and answered once, whoever works and whoever answers', async () => {
    const { open } = world()
    const effects = new Map<string, number>()
    const order = tool({
      name: 'order',
      description: 'orders',
      input: { type: 'object' },
      execute: (_, { run }) => effects.set(run, (effects.get(run) ?? 0) + 1).get(run),
    })
    const play = () =>
      asker([{ calls: [ask('Size?')] }, { calls: [{ tool: 'order', input: {} }] }, { text: 'ok' }], { tools: [order] })
    const [first, second] = [play(), play()]
    const engines: Engine[] = [await open(first.agents), await open(second.agents)]
    const at = (index: number) => helperOf(engines[index % 2] as Engine, 'asker')
    const runs = await Promise.all(Array.from({ length: 50 }, (_, index) => at(index).start(`run ${index}`)))
    await Promise.all(
      runs.map(async ({ run }, index) => {
        await at(index).atRest(run)
        await at(index + 1).approve({ run, step: 'question 1.1', data: `size ${index}` })
        expect((await ended(at(index), run)).status).toBe('done')
      }),
    )
    expect(first.model.calls + second.model.calls).toBe(150)
    expect([...effects.values()]).toEqual(Array.from({ length: 50 }, () => 1))
    for (const { run } of runs) {
      const log = await (engines[0] as Engine).runs.log(run)
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
      expect(typesOf(log).filter((type) => type === 'ask.settled')).toHaveLength(1)
    }
  })

  test('one dies: the other takes over what it held', async () => {
    const { open, kill } = world()
    const dying = gated({ retrySafe: true })
    const first = await open(asker([working, { text: 'ok' }], { tools: [dying.work] }).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await dying.begun
    const healthy = gated({ retrySafe: true })
    healthy.gate.resolve('made')
    const { model, agents } = asker([working, { text: 'ok' }], { tools: [healthy.work] })
    const second = await open(agents)
    expect((await helperOf(second, 'asker').run(run)).status).toBe('working')
    await kill(first)
    expect((await helperOf(second, 'asker').atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual(['made'])
  })

  test('an engine works only on agents it has', async () => {
    const { open } = world()
    const [one, two] = ['one', 'two'].map((name) => {
      const played = asker([{ text: `by ${name}` }])
      return { model: played.model, agent: { ...played.asker, name } }
    })
    if (!one || !two) throw new Error('Two agents.')
    const starter = await open([one.agent, two.agent], { idle: true })
    const runs = [await helperOf(starter, 'one').start('go'), await helperOf(starter, 'two').start('go')]
    await open([two.agent])
    expect(await helperOf(starter, 'two').atRest(runs[1]?.run as string)).toMatchObject({ text: 'by two' })
    expect(await helperOf(starter, 'one').run(runs[0]?.run as string)).toMatchObject({ status: 'ready' })
    await open([one.agent])
    expect(await helperOf(starter, 'one').atRest(runs[0]?.run as string)).toMatchObject({ text: 'by one' })
  })
})

test('a lease is renewed while work goes on: nobody else takes the run, however long it takes', async () => {
  const { open, clock } = world()
  const { work, gate, begun, count } = gated()
  let renewed = Promise.withResolvers<void>()
  const play = () => asker([working, { text: 'ok' }], { tools: [work] })
  const first = await open(play().agents, {
    atPoint({ transition, when }) {
      if (transition === 'renewClaim' && when === 'after') renewed.resolve()
    },
  })
  const second = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await begun
  for (let times = 0; times < 10; times++) {
    clock.advance(3000)
    await renewed.promise
    renewed = Promise.withResolvers()
  }
  gate.resolve('made')
  expect((await helperOf(second, 'asker').atRest(run)).status).toBe('done')
  expect(count.begun).toBe(1)
  expect(typesOf(await first.runs.log(run)).filter((type) => type === 'tool.started')).toHaveLength(1)
})
