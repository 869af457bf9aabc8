import { type AgentRecord, code, tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

describe('stop, at any moment and with no worker', () => {
  test('before the first turn', async () => {
    const { open } = world()
    const { model, agents } = asker([{ text: 'Never.' }])
    const engine = await open(agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.stop({ run })).toEqual({ run, status: 'stopped' })
    await engine.start()
    expect(await ann.atRest(run)).toMatchObject({ status: 'stopped', endedAt: expect.any(String) })
    expect(typesOf(await engine.runs.log(run))).toEqual(['run.started', 'run.stopped'])
    expect(model.calls).toBe(0)
  })

  test('a message that nobody has read yet is not lost: it is in the conversation, and heard in the next round', async () => {
    const { open } = world()
    const { agents } = asker([{ text: 'Never.' }])
    const page = await open(agents, { idle: true })
    const ann = helperOf(page, 'asker')
    const { run } = await ann.start('go')
    await ann.say({ run, text: 'and quickly' })
    await ann.stop({ run })
    expect((await ann.run(run)).messages.map((each) => each.role === 'user' && each.text)).toEqual([
      'go',
      'and quickly',
    ])
    const next = asker([{ text: 'Gone.' }])
    const worker = await open(next.agents)
    await ann.say({ run, text: 'go on' })
    expect(await helperOf(worker, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Gone.' })
    expect(JSON.stringify(next.model.prompts[0]?.messages)).toMatch(/go.*and quickly.*go on/)
  })

  test('while the model is called: the call is aborted, and what it says is not written', async () => {
    const { open } = world()
    const begun = Promise.withResolvers<AbortSignal>()
    const aborted = Promise.withResolvers<void>()
    const { agents } = asker([
      async ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve())
        begun.resolve(signal)
        await aborted.promise
        return { text: 'Never.' }
      },
    ])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    await ann.stop({ run })
    await aborted.promise
    await engine.stop()
    expect(typesOf(await engine.runs.log(run))).toEqual(['run.started', 'run.stopped'])
  })

  test('while tools run, from another process: started ones are said to be interrupted, others to be stopped', async () => {
    const { open } = world()
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    let started = 0
    const slow = tool({
      name: 'slow',
      description: 'works',
      input: { type: 'object' },
      async execute(_, { signal }) {
        started++
        signal.addEventListener('abort', () => aborted.resolve())
        begun.resolve()
        await aborted.promise
        return 'too late'
      },
    })
    const call = { tool: 'slow', input: {} }
    const { model, agents } = asker([{ calls: [call, call] }, { text: 'Again.' }], { tools: [slow] })
    const engine = await open(agents)
    const page = await open([], { idle: true })
    const { run } = await helperOf(engine, 'asker').start('go')
    await begun.promise
    await helperOf(page, 'asker').stop({ run })
    await aborted.promise
    const log = await engine.runs.log(run)
    expect(typesOf(log).at(-1)).toBe('run.stopped')
    expect(log.at(-1)?.data).toEqual({ by: { type: 'person', id: 'ann' } })

    const ann = helperOf(engine, 'asker')
    await ann.say({ run, text: 'again' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Again.' })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
      'Interrupted before its result was recorded. It may or may not have happened.',
      'Stopped.',
    ])
    expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
    expect(started).toBe(1)
  })

  test('while it waits: asks are withdrawn and gone from every list at once; a late answer is T0003', async () => {
    const { open, close } = world()
    const { model, agents } = asker([{ calls: [ask('Size?'), ask('Colour?')] }])
    const engine = await open(agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    await close(engine)
    const page = await open([], { idle: true })
    const ann = helperOf(page, 'asker')
    const watching = (async () => {
      const seen: string[] = []
      for await (const event of ann.watch(run)) seen.push(event.type)
      return seen
    })()
    await ann.stop({ run })
    expect((await watching).slice(-3)).toEqual(['ask.settled', 'ask.settled', 'status'])
    expect(await page.as({ id: 'ann' }).asks()).toEqual([])
    expect(await ann.working()).toEqual([])
    const late = await refusal(ann.approve({ run, step: 'question 1.1', data: 'M' }))
    expect(late).toMatchObject({ code: code.T0003, data: { outcome: 'withdrawn' } })
    expect(model.calls).toBe(1)
  })

  test('when it is over it stays as it is', async () => {
    const { open } = world()
    const { agents } = asker([{ text: 'Done.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    const log = await engine.runs.log(run)
    expect(await ann.stop({ run })).toEqual({ run, status: 'done' })
    expect(await engine.runs.stop({ run })).toEqual({ run, status: 'done' })
    expect(await engine.runs.log(run)).toEqual(log)
    expect(await refusal(ann.stop({ run: 'run_none' }))).toMatchObject({ code: code.T0001 })
  })

  test('the operator may stop a person’s run', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await engine.runs.stop({ run })
    expect((await engine.runs.log(run)).at(-1)).toMatchObject({ type: 'run.stopped', data: { by: { type: 'system' } } })
  })
})

test('stop and approve at the same moment, 100 times (C38): the ask is settled once, as the one who answered was told', async () => {
  const { open } = world()
  const play = (): [AgentRecord] => asker([{ calls: [ask('Size?')] }, { text: 'Ordered.' }]).agents
  const engine = await open(play())
  const second = await open(play())
  const outcomes = new Set<string>()
  const ann = helperOf(engine, 'asker')
  for (let time = 0; time < 100; time++) {
    const { run } = await ann.start('go')
    await ann.atRest(run)
    let told = ''
    const approve = async () => {
      told = await ann.approve({ run, step: 'question 1.1', data: 'M' }).then(
        () => 'approved',
        (error) => error.code,
      )
    }
    // Some turns of the event loop later or earlier: neither may always be first.
    const stop = async () => {
      for (let turn = 0; turn < time % 5; turn++) await new Promise(setImmediate)
      await helperOf(time % 2 === 0 ? engine : second, 'asker').stop({ run })
    }
    await Promise.all(time % 4 < 2 ? [approve(), stop()] : [stop(), approve()])
    const { status } = await ann.atRest(run)
    const log = await engine.runs.log(run)
    const ends = log.filter((event) => event.type === 'ask.settled')
    expect(ends).toHaveLength(1)
    expect(ends[0]?.data).toMatchObject({ outcome: told === 'approved' ? 'approved' : 'withdrawn' })
    expect(['approved', code.T0003]).toContain(told)
    expect(['stopped', 'done']).toContain(status)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    outcomes.add(told)
  }
  expect(outcomes).toEqual(new Set(['approved', code.T0003]))
})
