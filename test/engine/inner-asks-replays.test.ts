import { type AgentOptions, agent, code, delegate, type Json, type ToolContext, type ToolOptions, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const
const working = { tool: 'work', input: {} as Json }
const interrupted = 'Interrupted before its result was recorded. It may or may not have happened.'

type Work = (ctx: ToolContext, input: unknown) => unknown

function workTool(work: Work, traits: Partial<ToolOptions<typeof anything>> = {}) {
  const options = { name: 'work', description: 'works', input: anything, replays: true, ...traits }
  return tool({ ...options, execute: (input, ctx) => work(ctx, input) })
}

function worker(work: Work, traits: Partial<ToolOptions<typeof anything>> = {}, options: AgentOptions = {}) {
  return asker([{ calls: [working] }, { text: 'ok' }], { tools: [workTool(work, traits)], ...options })
}

const valuesIn = (prompt: Parameters<typeof resultsIn>[0]) => resultsIn(prompt).map(({ value }) => value)

describe('which ask of its step', () => {
  test('n counts the approval of the call too; without n T0004 names them all; an edited input holds over replays', async () => {
    const w = world()
    const seen: unknown[] = []
    const play = () =>
      worker(
        async (ctx, input) => {
          seen.push(input)
          return [await ctx.ask({ key: 'a', question: 'a?' }), await ctx.ask({ key: 'b', question: 'b?' })]
        },
        { approval: { editable: true } },
      )
    let engine = await w.open(play().agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    expect((await helperOf(engine, 'asker').atRest(run)).asks).toMatchObject([
      { kind: 'approval', step: 'tool 1.1', n: 1 },
    ])
    await helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', data: { input: { copies: 2 } } })
    let last = play()
    for (const n of [2, 3]) {
      expect((await helperOf(engine, 'asker').atRest(run)).asks).toMatchObject([
        { kind: 'question', step: 'tool 1.1', n },
      ])
      await w.kill(engine)
      last = play()
      engine = await w.open(last.agents)
      const unclear = await refusal(helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', data: 'yes' }))
      expect(unclear).toMatchObject({ code: code.T0004 })
      expect(unclear.data.asks).toMatchObject(Array.from({ length: n }, (_, index) => ({ n: index + 1 })))
      await helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', n, data: `answer ${n}` })
    }
    expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
    expect(seen).toEqual([{ copies: 2 }, { copies: 2 }, { copies: 2 }])
    const [told] = valuesIn(last.model.prompts[0])
    expect(told).toContain('It ran with: {"copies":2}')
    expect(told).toContain('[{"status":"answered","data":"answer 2"},{"status":"answered","data":"answer 3"}]')
  })

  test('an ask that the code does not make any more stays answered; a new one is the next n', async () => {
    const { open, close } = world()
    const first = await open(worker((ctx) => ctx.ask({ key: 'old', question: 'The old way?' })).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    // The answer to the old question is nobody's any more; its key keeps it.
    const { model, agents } = worker((ctx) => ctx.ask({ key: 'new', question: 'The new way?', choices: ['yes'] }))
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    expect(await engine.doctor()).toEqual([])
    await ann.approve({ run, step: 'tool 1.1', data: 'as ever' })
    expect((await ann.atRest(run)).asks).toMatchObject([{ n: 2, input: { question: 'The new way?' } }])
    await ann.approve({ run, step: 'tool 1.1', n: 2, data: 'yes' })
    await ann.atRest(run)
    expect(valuesIn(model.prompts[0])).toEqual([{ status: 'answered', data: 'yes' }])
  })

  test('a deploy that asks something else under the key is an error: the model hears it, nothing is done', async () => {
    const { open, close } = world()
    const done: unknown[] = []
    const play = (question: string) =>
      worker(async (ctx) => {
        done.push(await ctx.ask({ key: 'k', question, choices: ['yes', 'no'] }))
      })
    const first = await open(play('Keep it?').agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const { model, agents } = play('Drop it?')
    const ann = helperOf(await open(agents), 'asker')
    await ann.approve({ run, step: 'tool 1.1', data: 'yes' })
    await ann.atRest(run)
    expect(valuesIn(model.prompts[0])).toEqual([expect.stringContaining('Use another key for another question')])
    expect(done).toEqual([])
  })

  test('a deploy after which the tool may not be run again: doctor says so, the model hears that nobody knows', async () => {
    const { open, close } = world()
    let runs = 0
    const work: Work = (ctx) => {
      runs++
      return ctx.ask({ key: 'k', question: 'May I?' })
    }
    const first = await open(worker(work).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const { model, agents } = worker(work, { replays: false })
    const engine = await open(agents)
    expect(await engine.doctor()).toMatchObject([{ problem: expect.stringContaining('neither retrySafe nor replays') }])
    await helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', data: 'yes' })
    await helperOf(engine, 'asker').atRest(run)
    expect(valuesIn(model.prompts[0])).toEqual([interrupted])
    expect(runs).toBe(1)
  })
})

describe('several at once', () => {
  test('in a loop of batches, a restart before each answer: it runs again once for each batch', async () => {
    const w = world()
    let runs = 0
    const work: Work = async (ctx) => {
      runs++
      const told: unknown[] = []
      for (const batch of [1, 2]) {
        const asked = ['x', 'y'].map((key) => ctx.ask({ key: `${key}${batch}`, question: `${key}${batch}?` }))
        told.push(...(await Promise.all(asked)).map((each) => each.status === 'answered' && each.data))
      }
      return told
    }
    let played = worker(work)
    let engine = await w.open(played.agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    // In each batch the second ask is answered first.
    for (const n of [2, 1, 4, 3]) {
      await helperOf(engine, 'asker').atRest(run)
      await w.kill(engine)
      played = worker(work)
      engine = await w.open(played.agents)
      await helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', n, data: `answer ${n}` })
    }
    expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
    expect(valuesIn(played.model.prompts[0])).toEqual([['answer 1', 'answer 2', 'answer 3', 'answer 4']])
    expect(runs).toBe(3)
  })

  test('answered, refused and expired together: each key has its own end, and the tool runs again once', async () => {
    const { open, clock, armed } = world()
    let runs = 0
    const { model, agents } = worker(
      async (ctx) => {
        runs++
        return Promise.all(['a', 'b', 'c'].map((key) => ctx.ask({ key, question: `${key}?` })))
      },
      {},
      { limits: { ask: '1h' } },
    )
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', n: 2, data: 'B' })
    await ann.refuse({ run, step: 'tool 1.1', n: 3, reason: 'never' })
    expect((await ann.atRest(run)).asks).toMatchObject([{ n: 1 }])
    await armed(3_600_001)
    clock.advance(3_600_001)
    for await (const _ of ann.watch(run));
    expect(valuesIn(model.prompts[1])).toEqual([
      [{ status: 'expired' }, { status: 'answered', data: 'B' }, { status: 'refused', reason: 'never' }],
    ])
    expect(runs).toBe(2)
  })

  test('a message after one of two was answered: the tool is not run again, its result says so', async () => {
    const { open } = world()
    let runs = 0
    const { model, agents } = worker(async (ctx) => {
      runs++
      return Promise.all(['a', 'b'].map((key) => ctx.ask({ key, question: `${key}?` })))
    })
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', n: 1, data: 'A' })
    await ann.atRest(run)
    await ann.say({ run, text: 'stop asking' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(valuesIn(model.prompts[1])).toEqual(['The person wrote a message instead of answering.'])
    expect(runs).toBe(1)
  })
})

describe('beside other calls of its turn', () => {
  test('it is asked while a slow sibling runs, and answered it runs again beside it', async () => {
    const { open } = world()
    const [again, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    const work = workTool(
      async (ctx) => {
        if (++runs === 2) again.resolve()
        return ctx.ask({ key: 'k', question: 'May I?' })
      },
      { retrySafe: true, replays: false },
    )
    const slow = tool({
      name: 'slow',
      description: 'slow',
      input: anything,
      async execute() {
        await gate.promise
        return 'slowly'
      },
    })
    const { model, agents } = asker([{ calls: [{ tool: 'slow', input: {} }, working] }, { text: 'ok' }], {
      tools: [work, slow],
    })
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    for await (const event of ann.watch(run)) if (event.type === 'ask.opened') break
    await ann.approve({ run, step: 'tool 1.2', data: 'yes' })
    await again.promise
    expect(model.calls).toBe(1)
    gate.resolve()
    expect((await ann.atRest(run)).status).toBe('done')
    expect(valuesIn(model.prompts[1])).toEqual(['slowly', { status: 'answered', data: 'yes' }])
  })

  test('beside a question of the model: retry-safe it asks too; else it is held back and asks nothing', async () => {
    for (const retrySafe of [true, false]) {
      const { open } = world()
      const work = workTool((ctx) => ctx.ask({ key: 'k', question: 'And?' }), { retrySafe })
      const { model, agents } = asker([{ calls: [ask('Which?'), working] }, { text: 'ok' }], { tools: [work] })
      const ann = helperOf(await open(agents), 'asker')
      const { run } = await ann.start('go')
      const { asks } = await ann.atRest(run)
      expect(asks.map(({ step }) => step)).toEqual(retrySafe ? ['question 1.1', 'tool 1.2'] : ['question 1.1'])
      for (const each of asks.reverse()) {
        await ann.approve(each, { data: each.step })
        await ann.atRest(run)
      }
      expect((await ann.run(run)).status).toBe('done')
      expect(valuesIn(model.prompts[1])).toEqual([
        'question 1.1',
        retrySafe
          ? { status: 'answered', data: 'tool 1.2' }
          : 'Not run: a question of the same turn was open. Call it again if it is still right.',
      ])
      expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
    }
  })
})

test('in a child run it is an ask of the root, answered there, and the child goes on', async () => {
  const w = world()
  const play = () => {
    const work = workTool((ctx) => ctx.ask({ key: 'k', question: 'May I?', choices: ['yes', 'no'] }))
    const clerkModel = scriptedModel([{ calls: [working] }, { text: 'Clerk done.' }])
    const leadModel = scriptedModel([{ calls: [{ tool: 'clerk', input: { task: 'work' } }] }, { text: 'Led.' }])
    const clerk = agent('clerk', { model: clerkModel, tools: [work] })
    return { clerkModel, agents: [clerk, agent('lead', { model: leadModel, tools: [delegate(clerk)] })] }
  }
  const first = await w.open(play().agents)
  const { run } = await helperOf(first, 'lead').start('go')
  const { asks } = await helperOf(first, 'lead').atRest(run)
  expect(asks).toMatchObject([{ run, step: 'tool 1.1/tool 1.1', path: ['lead', 'clerk'], kind: 'question' }])
  await w.kill(first)
  const { clerkModel, agents } = play()
  const ann = helperOf(await w.open(agents), 'lead')
  const misfit = ann.approve({ run, step: 'tool 1.1/tool 1.1', data: 'maybe' })
  expect(await refusal(misfit)).toMatchObject({ code: code.T0002 })
  await ann.approve({ run, step: 'tool 1.1/tool 1.1', data: 'yes' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.' })
  expect(valuesIn(clerkModel.prompts[0])).toEqual([{ status: 'answered', data: 'yes' }])
})

test('without a key, or with one that is no text, it is an error of the tool', async () => {
  for (const key of [undefined, '', 7]) {
    const { open } = world()
    const { model, agents } = worker((ctx) => ctx.ask({ key: key as string, question: 'May I?' }))
    const engine = await open(agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    expect(valuesIn(model.prompts[1])).toEqual([expect.stringContaining('ctx.ask needs a key')])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  }
})
