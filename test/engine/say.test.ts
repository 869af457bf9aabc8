import { code, tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const rolesOf = (prompt: { messages: { role: string }[] } | undefined) => prompt?.messages.map(({ role }) => role)

/** A model call that waits for the test, and tells it when it is under way. */
function held() {
  const [begun, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return { begun, hold }
}

describe('say while the run works', () => {
  test('the reply under way is kept as it is, and the message opens the next round behind it', async () => {
    const { open } = world()
    const { begun, hold } = held()
    const { model, agents } = asker([
      async () => {
        begun.resolve()
        await hold.promise
        return { text: 'First.' }
      },
      { text: 'Second.' },
    ])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    expect(await ann.say({ run, text: 'wait, two' })).toEqual({ run, status: 'working' })
    hold.resolve()
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', repeat: 2, text: 'Second.' })
    expect(done.messages.map((line) => 'text' in line && line.text)).toEqual(['go', 'First.', 'wait, two', 'Second.'])
    expect(rolesOf(model.prompts[1])).toEqual(['user', 'assistant', 'user'])
  })

  test('it waits for the results of the turn', async () => {
    const { open } = world()
    const { begun, hold } = held()
    const slow = tool({
      name: 'slow',
      description: 'works',
      input: { type: 'object' },
      async execute() {
        begun.resolve()
        await hold.promise
        return 'made'
      },
    })
    const call = { tool: 'slow', input: {} }
    const { model, agents } = asker([{ calls: [call, call] }, { text: 'Both made.' }], { tools: [slow] })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('make one')
    await begun.promise
    await ann.say({ run, text: 'and another thing' })
    hold.resolve()
    await ann.atRest(run)
    expect(rolesOf(model.prompts[1])).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual(['made', 'made'])
    expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
  })

  test('a question that comes after the message is not asked, and the model is told why', async () => {
    const { open } = world()
    const { begun, hold } = held()
    const { model, agents } = asker([
      async () => {
        begun.resolve()
        await hold.promise
        return { calls: [ask('Size?')] }
      },
      { text: 'A large one then.' },
    ])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    await begun.promise
    await ann.say({ run, text: 'a large one' })
    hold.resolve()
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2, asks: [] })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
      'The person had written a message before this was asked.',
    ])
    expect(rolesOf(model.prompts[1])).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  test('a message that arrives in the very moment the ask opens withdraws it: nobody is shown it', async () => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'A large one then.' }])
    let run = ''
    const page = await open(agents, { idle: true })
    const engine = await open(agents, {
      async atPoint({ transition, when }) {
        // Between the worker's last look into the mailbox and the write that opens the ask.
        if (transition === 'parkRun' && when === 'before' && run !== '')
          await helperOf(page, 'asker').say({ run, text: 'a large one', key: 'once' })
      },
    })
    const ann = helperOf(engine, 'asker')
    run = (await ann.start('a shirt')).run
    const done = await ended(ann, run)
    expect(done).toMatchObject({ status: 'done', repeat: 2 })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
      'The person had written a message before this was asked.',
    ])
    const end = (await engine.runs.log(run)).find((event) => event.type === 'ask.settled')
    expect(end?.data).toMatchObject({ outcome: 'withdrawn', because: 'messageBefore', by: { type: 'run' } })
  })
})

test('say while the run waits withdraws every open ask; a late answer is told so', async () => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [ask('Size?'), ask('Colour?')] }, { text: 'Fine.' }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('a shirt')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.2', data: 'red' })
  await ann.atRest(run)
  await ann.say({ run, text: 'forget it, a cap' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2, asks: [] })
  expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
    'The person wrote a message instead of answering.',
    'red',
  ])
  expect(model.prompts[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'forget it, a cap' })
  expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'M' }))).toMatchObject({
    code: code.T0003,
    data: { outcome: 'withdrawn', by: { type: 'run' } },
  })
})

describe('say on a run that is over opens a new round', () => {
  const turns = [{ text: 'First.' }, { text: 'Second.' }]

  test('done', async () => {
    const { open } = world()
    const { model, agents } = asker(turns, { limits: { steps: 1 } })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'First.' })
    await ann.say({ run, text: 'again' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Second.', repeat: 2 })
    expect(rolesOf(model.prompts[1])).toEqual(['user', 'assistant', 'user'])
  })

  test('failed: what failed it is no part of the run any more', async () => {
    const { open } = world()
    const { agents } = asker([{ error: { message: 'wrong key', retryable: false } }, ...turns])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error: { code: code.T2005 } })
    await ann.say({ run, text: 'try again' })
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'First.' })
    expect(done).not.toHaveProperty('error')
  })

  test('stopped, in the middle of a turn', async () => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'Second.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.stop({ run })
    await ann.say({ run, text: 'again' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Second.', repeat: 2 })
    expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual(['Stopped.'])
  })

  test('T0011 where its tokens are used up, and where its agent is gone; nothing is written', async () => {
    const { open, close } = world()
    const used = { text: 'First.', usage: { inputTokens: 1, outputTokens: 100 } }
    const { agents } = asker([used, { text: 'Never.' }], { limits: { perRun: { tokensOut: 100 } } })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    const log = await engine.runs.log(run)
    expect(await refusal(ann.say({ run, text: 'again' }))).toMatchObject({ code: code.T0011 })
    await close(engine)
    const other = await open([{ ...(agents[0] as (typeof agents)[0]), name: 'other' }])
    expect(await refusal(helperOf(other, 'other').say({ run, text: 'again' }))).toMatchObject({ code: code.T0011 })
    expect(await other.runs.log(run)).toEqual(log)
  })
})

test('messages that come together are one round', async () => {
  const { open } = world()
  const { begun, hold } = held()
  const { model, agents } = asker([
    async () => {
      begun.resolve()
      await hold.promise
      return { text: 'First.' }
    },
    { text: 'Second.' },
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await begun.promise
  await ann.say({ run, text: 'one' })
  await ann.say({ run, text: 'two' })
  hold.resolve()
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
  expect(model.prompts[1]?.messages.slice(2)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ])
  expect(model.calls).toBe(2)
})

describe('key', () => {
  test('makes a repeated message harmless; with another input it is T0014', async () => {
    const { open } = world()
    const { model, agents } = asker([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const [a, b] = [await ann.start('a'), await ann.start('b')]
    await Promise.all([ann.atRest(a.run), ann.atRest(b.run)])
    await ann.say({ run: a.run, text: 'again', key: 'k' })
    await ann.say({ run: a.run, text: 'again', key: 'k' })
    await ann.atRest(a.run)
    expect(await ann.say({ run: a.run, text: 'again', key: 'k' })).toEqual({ run: a.run, status: 'done' })
    const log = await engine.runs.log(a.run)
    expect(await refusal(ann.say({ run: a.run, text: 'other', key: 'k' }))).toMatchObject({ code: code.T0014 })
    expect(await engine.runs.log(a.run)).toEqual(log)
    expect(typesOf(log).filter((type) => type === 'message.added')).toHaveLength(1)
    // A key belongs to its run.
    await ann.say({ run: b.run, text: 'other', key: 'k' })
    expect((await ann.atRest(b.run)).repeat).toBe(2)
    expect(model.calls).toBe(4)
  })

  test('makes a repeated start harmless, for one starter and agent; T0014 with another input', async () => {
    const { open } = world()
    const { model, agents } = asker([{ text: 'ok' }])
    const [first, second] = [await open(agents), await open(agents)]
    const ann = helperOf(first, 'asker')
    const starts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        helperOf(index % 2 === 0 ? first : second, 'asker').start('go', { key: 'order 7' }),
      ),
    )
    const run = starts[0]?.run as string
    expect(new Set(starts.map((each) => each.run))).toEqual(new Set([run]))
    await ann.atRest(run)
    expect(await ann.start('go', { key: 'order 7' })).toEqual({ run })
    expect(await refusal(ann.start('stop', { key: 'order 7' }))).toMatchObject({ code: code.T0014 })
    const bobs = await helperOf(first, 'asker', 'bob').start('stop', { key: 'order 7' })
    expect(bobs.run).not.toBe(run)
    await helperOf(first, 'asker', 'bob').atRest(bobs.run)
    expect(model.calls).toBe(2)
    expect((await first.runs.list()).items).toHaveLength(2)
  })
})
