import { type AgentOptions, code, type ToolContext, type ToolOptions, tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { asker, ended, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const
const calling = { calls: [{ tool: 'work', input: {} }] }

type Work = (ctx: ToolContext) => unknown

/** An agent whose one tool does `work`, and may be run again from the top. */
function worker(work: Work, options: AgentOptions = {}, traits: Partial<ToolOptions<typeof anything>> = {}) {
  const record = tool({
    name: 'work',
    description: 'works',
    input: anything,
    replays: true,
    ...traits,
    execute: (_, ctx) => work(ctx),
  })
  return asker([calling, { text: 'ok' }], { tools: [record], ...options })
}

describe('a message that the person wrote before a tool asked', () => {
  test('ends the tool: nobody is asked, nothing is thrown at it, its result says so', async () => {
    const { open } = world()
    const [begun, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const trace: string[] = []
    let signal: AbortSignal | undefined
    const { model, agents } = worker(async (ctx) => {
      signal = ctx.signal
      begun.resolve()
      await written.promise
      try {
        await ctx.ask({ key: 'k', question: 'May I?' })
        trace.push('behind')
      } catch {
        trace.push('caught')
      } finally {
        trace.push('finally')
      }
      return 'made'
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    await ann.say({ run, text: 'something else' })
    // The worker has taken the message in: what it hears of an ask now it knows by itself.
    for await (const event of ann.watch(run)) if (event.type === 'message' && event.text === 'something else') break
    written.resolve()
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'text', value: 'The person had written a message before this was asked.' },
    ])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
    expect(trace).toEqual([])
    expect(signal?.aborted).toBe(true)
  })

  test('that comes while a guard still judges what it asks: the same', async () => {
    const { open } = world()
    const [judging, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const guard = async (_: string, { kind }: { kind: string }) => {
      if (kind !== 'question') return true as const
      judging.resolve()
      await gate.promise
      return true as const
    }
    const { model, agents } = worker((ctx) => ctx.ask({ key: 'k', question: 'May I?' }), { guards: { out: [guard] } })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await judging.promise
    await ann.say({ run, text: 'something else' })
    for await (const event of ann.watch(run)) if (event.type === 'message' && event.text === 'something else') break
    gate.resolve()
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2, asks: [] })
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'text', value: 'The person had written a message before this was asked.' },
    ])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  })

  test('that comes in the very moment the ask opens: the same, and the ask is withdrawn unseen', async () => {
    const { open } = world()
    const trace: string[] = []
    const { model, agents } = worker(async (ctx) => {
      trace.push('begin')
      await ctx.ask({ key: 'k', question: 'May I?' })
      trace.push('behind')
    })
    let run = ''
    const page = await open(agents, { idle: true })
    const engine = await open(agents, {
      async atPoint({ transition, when }) {
        if (transition === 'parkRun' && when === 'before' && run !== '')
          await helperOf(page, 'asker').say({ run, text: 'something else', key: 'once' })
      },
    })
    const ann = helperOf(engine, 'asker')
    run = (await ann.start('go')).run
    expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'text', value: 'The person had written a message before this was asked.' },
    ])
    expect(trace).toEqual(['begin'])
    expect((await engine.runs.log(run)).find((event) => event.type === 'ask.settled')?.data).toMatchObject({
      outcome: 'withdrawn',
      because: 'messageBefore',
    })
  })
})

describe('an out guard that refuses what a tool asks', () => {
  const guards = { out: [(text: string) => !text.includes('secret') || { refuse: 'it names a secret' }] } as never

  test('ends the tool: its result says so, nothing is thrown at it, its other asks are not opened', async () => {
    const { open } = world()
    const trace: string[] = []
    const { model, agents } = worker(
      async (ctx) => {
        trace.push('begin')
        try {
          await Promise.all([ctx.ask({ key: 'a', question: 'Fine?' }), ctx.ask({ key: 'b', question: 'The secret?' })])
          trace.push('behind')
        } catch {
          trace.push('caught')
        } finally {
          trace.push('finally')
        }
        return 'made'
      },
      { guards },
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'ok' })
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: 'This was not shown to the person: it names a secret.' },
    ])
    const log = await engine.runs.log(run)
    expect(typesOf(log)).not.toContain('ask.opened')
    expect(log.filter((event) => event.type === 'guard.refused')).toMatchObject([
      { data: { direction: 'out', kind: 'question', reason: 'it names a secret' } },
    ])
    expect(JSON.stringify(done)).not.toContain('secret')
    expect(trace).toEqual(['begin'])
  })

  test('after others were answered: what they answered stays in the log', async () => {
    const { open } = world()
    const { model, agents } = worker(
      async (ctx) => {
        const answer = await ctx.ask({ key: 'a', question: 'Which?' })
        await ctx.ask({ key: 'b', question: `Take ${JSON.stringify(answer)}?` })
      },
      { guards },
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', data: 'the secret one' })
    expect((await ann.atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])).toMatchObject([{ type: 'error-text' }])
    expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.settled')).toHaveLength(1)
  })
})

describe('an ask that the tool did not wait for', () => {
  test('is not asked where the tool has returned', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) => {
      void ctx.ask({ key: 'k', question: 'May I?' })
      return 'made without'
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: 'made without' }])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  })

  test('nor where its time was over: the tool is dead, and so is ctx.once', async () => {
    const { open, clock } = world()
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const effects: string[] = []
    const { model, agents } = worker(
      async (ctx) => {
        ctx.signal.addEventListener('abort', () => over.resolve())
        begun.resolve()
        await over.promise
        void ctx.once('late', () => effects.push('late'))
        await ctx.ask({ key: 'k', question: 'May I?' })
        effects.push('behind')
      },
      {},
      { timeout: '1m' },
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    clock.advance(60_000)
    expect((await ann.atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: 'The tool did not return in time. It may or may not have happened.' },
    ])
    await new Promise((resolve) => setImmediate(resolve))
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
    expect(effects).toEqual([])
  })
})

describe('one key twice in the same tick', () => {
  test('with the same question is one ask, and both get its answer', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) =>
      Promise.all(['k', 'k'].map((key) => ctx.ask({ key, question: 'May I?', choices: ['yes', 'no'] }))),
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).asks).toHaveLength(1)
    await ann.approve({ run, step: 'tool 1.1', data: 'yes' })
    expect((await ann.atRest(run)).status).toBe('done')
    const answer = { status: 'answered', data: 'yes' }
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'json', value: [answer, answer] }])
  })

  test('with another question is an error, and nobody is asked', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) =>
      Promise.all(['Keep it?', 'Drop it?'].map((question) => ctx.ask({ key: 'k', question }))),
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', asks: [] })
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: expect.stringContaining('asks something else than it did before under this key') },
    ])
  })
})

test('the last ask that the run may make is asked, the next fails the run (T2003); the tool hears nothing of it', async () => {
  const { open } = world()
  const trace: string[] = []
  const { model, agents } = worker(
    async (ctx) => {
      try {
        for (const n of [1, 2, 3]) await ctx.ask({ key: `${n}`, question: `${n}?` })
      } catch {
        trace.push('caught')
      } finally {
        trace.push('finally')
      }
    },
    { limits: { perRun: { asks: 2 } } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  for (const n of [1, 2]) {
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', n, data: 'yes' })
  }
  expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error: { code: code.T2003 }, asks: [] })
  expect(trace).toEqual([])
  expect(model.calls).toBe(1)
  expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.opened')).toHaveLength(2)
  await ann.say({ run, text: 'go on' })
  await ann.atRest(run)
  expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
})

test('two tools that ask in the same moment count one by one: the ask that is too many is not asked (T2003)', async () => {
  const { open } = world()
  const both = Promise.withResolvers<void>()
  let judged = 0
  const guard = async (_: string, { kind }: { kind: string }) => {
    if (kind !== 'question') return true as const
    if (++judged === 2) both.resolve()
    await both.promise
    return true as const
  }
  const work = tool({
    name: 'work',
    description: 'works',
    input: anything,
    retrySafe: true,
    execute: (_, ctx) => ctx.ask({ key: 'k', question: 'May I?' }),
  })
  const { agents } = asker([{ calls: [...calling.calls, ...calling.calls] }, { text: 'ok' }], {
    tools: [work],
    guards: { out: [guard] },
    limits: { perRun: { asks: 1 } },
  })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  expect(await ended(ann, run)).toMatchObject({ status: 'failed', error: { code: code.T2003 }, asks: [] })
  expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.opened')).toHaveLength(1)
})

test('in the last turn of a round a tool asks nobody: no call is left to hear of it (T2001)', async () => {
  const { open } = world()
  const { agents } = worker((ctx) => ctx.ask({ key: 'k', question: 'May I?' }), { limits: { steps: 1 } })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error: { code: code.T2001 }, asks: [] })
  expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
})

test('stopped while it asks: the tool is not run again, its result says so; a new round follows', async () => {
  const { open, close } = world()
  let runs = 0
  const play = () =>
    worker((ctx) => {
      runs++
      return ctx.ask({ key: 'k', question: 'May I?' })
    })
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await helperOf(first, 'asker').atRest(run)
  await close(first)
  const page = await open([], { idle: true })
  await helperOf(page, 'asker').stop({ run })
  const { model, agents } = play()
  const ann = helperOf(await open(agents), 'asker')
  await ann.say({ run, text: 'again' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
  expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual([
    'Interrupted before its result was recorded. It may or may not have happened.',
  ])
  expect(runs).toBe(1)
  expect(await refusal(ann.approve({ run, step: 'tool 1.1', data: 'yes' }))).toMatchObject({ code: code.T0003 })
})
