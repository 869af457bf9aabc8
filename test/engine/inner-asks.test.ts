import { code, type ToolContext, type ToolOptions, tool } from 'querent'
import { describe, expect, test } from 'vitest'
import { asker, ended, helperOf, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const
const calling = { calls: [{ tool: 'work', input: {} }] }

type Work = (ctx: ToolContext) => unknown

/** An agent whose one tool does `work`, and may be run again from the top. */
function worker(work: Work, traits: Partial<ToolOptions<typeof anything>> = { replays: true }) {
  const record = tool({
    name: 'work',
    description: 'works',
    input: anything,
    ...traits,
    execute: (_, ctx) => work(ctx),
  })
  return asker([calling, { text: 'ok' }], { tools: [record] })
}

describe('ctx.ask', () => {
  test('parks the run and runs the tool again from the top, in another process, with the answer', async () => {
    const { open, close } = world()
    const trace: string[] = []
    const work: Work = async (ctx) => {
      trace.push('begin')
      const answer = await ctx.ask({ key: 'size', question: 'Size?', choices: ['S', 'M'] })
      trace.push(`end ${JSON.stringify(answer)}`)
      return answer.status === 'answered' ? `made ${String(answer.data)}` : 'nothing'
    }
    const first = await open(worker(work).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    const parked = await helperOf(first, 'asker').atRest(run)
    expect(parked).toMatchObject({
      status: 'waiting',
      asks: [{ kind: 'question', step: 'tool 1.1', n: 1, options: [{ label: 'S' }, { label: 'M' }] }],
    })
    await close(first)
    const { model, agents } = worker(work)
    const second = await open(agents)
    await expect(helperOf(second, 'asker').approve({ run, step: 'tool 1.1', data: 'XL' })).rejects.toMatchObject({
      code: code.T0002,
    })
    await helperOf(second, 'asker').approve({ run, step: 'tool 1.1', data: 'M' })
    expect((await ended(helperOf(second, 'asker'), run)).status).toBe('done')
    expect(trace).toEqual(['begin', 'begin', 'end {"status":"answered","data":"M"}'])
    expect(resultsIn(model.prompts[0])).toEqual([{ type: 'text', value: 'made M' }])
  })

  test('asked in the same tick, they are open together and answered in any order, each to its own key', async () => {
    const { open } = world()
    let runs = 0
    const { model, agents } = worker(async (ctx) => {
      // The second run asks in another order: a key names its ask whatever the order.
      const keys = ++runs === 1 ? ['a', 'b', 'c'] : ['c', 'a', 'b']
      const answers = await Promise.all(keys.map((key) => ctx.ask({ key, question: `${key}?` })))
      return Object.fromEntries(keys.map((key, index) => [key, answers[index]]))
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const { asks } = await ann.atRest(run)
    expect(asks.map(({ step, n, input }) => [step, n, input])).toEqual([
      ['tool 1.1', 1, { question: 'a?' }],
      ['tool 1.1', 2, { question: 'b?' }],
      ['tool 1.1', 3, { question: 'c?' }],
    ])
    await ann.refuse({ run, step: 'tool 1.1', n: 2, reason: 'no' })
    await ann.approve({ run, step: 'tool 1.1', n: 3, data: 'C' })
    await ann.approve({ run, step: 'tool 1.1', n: 1, data: 'A' })
    expect((await ended(ann, run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])[0]?.value).toEqual({
      a: { status: 'answered', data: 'A' },
      b: { status: 'refused', reason: 'no' },
      c: { status: 'answered', data: 'C' },
    })
  })

  test('abandons the work: the signal aborts, and nothing behind the await runs, finally included', async () => {
    const { open } = world()
    const trace: string[] = []
    let signal: AbortSignal | undefined
    const { agents } = worker(async (ctx) => {
      signal ??= ctx.signal
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
    await ann.atRest(run)
    expect(signal?.aborted).toBe(true)
    expect(trace).toEqual([])
    await ann.approve({ run, step: 'tool 1.1', data: 'yes' })
    await ended(ann, run)
    expect(trace).toEqual(['behind', 'finally'])
  })

  test('tells the tool of a refusal and of a deadline', async () => {
    const { open, clock, armed } = world()
    const { model, agents } = worker(async (ctx) => [
      await ctx.ask({ key: 'a', question: 'a?' }),
      await ctx.ask({ key: 'b', question: 'b?' }),
    ])
    const record = { ...agents[0], limits: { ...agents[0].limits, askMs: 3_600_000 } }
    const engine = await open([record])
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.refuse({ run, step: 'tool 1.1', n: 1 })
    for await (const event of ann.watch(run)) if (event.type === 'ask.opened' && event.ask.n === 2) break
    await ann.atRest(run)
    await armed(3_600_001)
    clock.advance(3_600_001)
    await ended(ann, run)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'json', value: [{ status: 'refused' }, { status: 'expired' }] },
    ])
  })

  test('is T1010 in a tool that may not be run again, and nobody is asked', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) => ctx.ask({ key: 'k', question: 'May I?' }), {})
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).status).toBe('done')
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: expect.stringMatching(/"work" calls ctx\.ask.*retrySafe: true or replays: true/) },
    ])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  })

  test('with a key that stood for another question is an error, never that question’s answer', async () => {
    const { open } = world()
    let runs = 0
    const { model, agents } = worker(async (ctx) => {
      const question = ++runs === 1 ? 'Keep the table?' : 'Drop the table?'
      return ctx.ask({ key: 'k', question })
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', data: 'yes' })
    await ended(ann, run)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: expect.stringContaining('asks something else than it did before under this key') },
    ])
  })

  test('one that a person could not answer is an error of the tool', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) => ctx.ask({ key: 'k', question: ' ' }))
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: expect.stringContaining('"question" is empty') },
    ])
  })

  test('is withdrawn by a message: the tool is not run again, its result says so', async () => {
    const { open } = world()
    let runs = 0
    const { model, agents } = worker((ctx) => {
      runs++
      return ctx.ask({ key: 'k', question: 'May I?' })
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.say({ run, text: 'something else' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
      'The person wrote a message instead of answering.',
    ])
    expect(runs).toBe(1)
  })

  test('is withdrawn by a stop', async () => {
    const { open } = world()
    const { agents } = worker((ctx) => ctx.ask({ key: 'k', question: 'May I?' }))
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    expect(await ann.stop({ run })).toEqual({ run, status: 'stopped' })
    expect(await ann.run(run)).toMatchObject({ status: 'stopped', asks: [] })
    await expect(ann.approve({ run, step: 'tool 1.1', data: 'yes' })).rejects.toMatchObject({ code: code.T0003 })
  })
})

describe('ctx.once', () => {
  test.each(['close', 'kill'] as const)(
    'keeps effects over three asks and a restart (%s) before each answer (C12)',
    async (end) => {
      const w = world()
      const effects: number[] = []
      let runs = 0
      const work: Work = async (ctx) => {
        runs++
        const told: unknown[] = []
        for (const round of [1, 2, 3]) {
          told.push(await ctx.once(`effect ${round}`, () => effects.push(round)))
          const answer = await ctx.ask({ key: `ask ${round}`, question: `Question ${round}?` })
          told.push(answer.status === 'answered' && answer.data)
        }
        return told
      }
      let played = worker(work)
      let engine = await w.open(played.agents)
      const { run } = await helperOf(engine, 'asker').start('go')
      for (const n of [1, 2, 3]) {
        expect(await helperOf(engine, 'asker').atRest(run)).toMatchObject({ status: 'waiting', asks: [{ n }] })
        await w[end](engine)
        played = worker(work)
        engine = await w.open(played.agents)
        await helperOf(engine, 'asker').approve({ run, step: 'tool 1.1', n, data: `answer ${n}` })
        await helperOf(engine, 'asker').atRest(run)
      }
      expect(effects).toEqual([1, 2, 3])
      // Once for the call, and once for each answer: answers = resumes.
      expect(runs).toBe(4)
      expect(resultsIn(played.model.prompts[0])).toEqual([
        { type: 'json', value: [1, 'answer 1', 2, 'answer 2', 3, 'answer 3'] },
      ])
    },
  )

  test('keeps over a crash what had returned, and only that', async () => {
    const { open, kill, died } = world()
    const effects: string[] = []
    const work: Work = async (ctx) => {
      const first = await ctx.once('a', () => effects.push('a'))
      await ctx.once('b', () => {
        effects.push('b')
        if (effects.length > 2) return 'second try'
        void kill(before)
        return new Promise<string>(() => undefined)
      })
      return first
    }
    const before = await open(worker(work).agents)
    const { run } = await helperOf(before, 'asker').start('go')
    await died(before)
    const { model, agents } = worker(work)
    const after = await open(agents)
    await helperOf(after, 'asker').atRest(run)
    expect(effects).toEqual(['a', 'b', 'b'])
    expect(resultsIn(model.prompts[0])).toEqual([{ type: 'json', value: 1 }])
  })

  test('a failure is not kept: the tool may try again', async () => {
    const { open } = world()
    let tries = 0
    const { model, agents } = worker(async (ctx) => {
      const attempt = () =>
        ctx.once('k', () => {
          if (++tries === 1) throw new Error('no luck')
          return 'luck'
        })
      return attempt().catch(attempt)
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    await ann.atRest((await ann.start('go')).run)
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: 'luck' }])
  })

  test('what cannot be kept is an error', async () => {
    const { open } = world()
    const { model, agents } = worker((ctx) => ctx.once('k', () => undefined as never))
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    await ann.atRest((await ann.start('go')).run)
    expect(resultsIn(model.prompts[1])).toEqual([
      { type: 'error-text', value: expect.stringContaining('ctx.once("k") got undefined') },
    ])
  })

  test('the same key at the same time does its work once', async () => {
    const { open } = world()
    let effects = 0
    const { model, agents } = worker(async (ctx) => {
      const gate = Promise.withResolvers<void>()
      const both = [1, 2].map(() =>
        ctx.once('k', async () => {
          await gate.promise
          return ++effects
        }),
      )
      gate.resolve()
      return Promise.all(both)
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    await ann.atRest((await ann.start('go')).run)
    expect(effects).toBe(1)
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'json', value: [1, 1] }])
  })

  test('does nothing any more once the work was abandoned', async () => {
    const { open } = world()
    const effects: string[] = []
    const { agents } = worker(async (ctx) => {
      const late = Promise.withResolvers<void>()
      ctx.signal.addEventListener('abort', () => late.resolve())
      void late.promise.then(() => ctx.once('late', () => effects.push('late')))
      await ctx.ask({ key: 'k', question: 'May I?' })
      return 'made'
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    expect(effects).toEqual([])
  })
})
