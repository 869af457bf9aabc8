import { code, type Engine, tool } from 'querent'
import { type TurnSource, wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, resultsIn, typesOf, world } from '../engine/world.ts'

const anything = { type: 'object' } as const

/** Tools that note each time they run, over all processes of a test. */
function counting(ran: string[]) {
  const named = (name: string, traits: object) =>
    tool({ name, description: name, input: anything, ...traits, execute: () => `${name} ${ran.push(name)}` })
  return [
    named('delete_record', { approval: true }),
    named('run_script', { approval: true }),
    named('list_records', { retrySafe: true }),
  ]
}

const valuesIn = (prompt: Parameters<typeof resultsIn>[0]) => resultsIn(prompt).map(({ value }) => value)

test('C01: an approval beside a safe tool, killed while parked, approved in a new process: each ran once, in call order', async () => {
  const { open, kill } = world()
  const ran: string[] = []
  const turns: TurnSource[] = [
    {
      calls: [
        { tool: 'delete_record', input: { id: 7 } },
        { tool: 'list_records', input: {} },
      ],
    },
    { text: 'Deleted.' },
  ]
  const play = () => asker(turns, { tools: counting(ran) })
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('clean up')
  expect((await helperOf(first, 'asker').atRest(run)).asks).toMatchObject([
    { kind: 'approval', step: 'tool 1.1', tool: 'delete_record', input: { id: 7 } },
  ])
  expect(ran).toEqual(['list_records'])
  await kill(first)

  const { model, agents } = play()
  const ann = helperOf(await open(agents), 'asker')
  await ann.approve({ run, step: 'tool 1.1' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Deleted.' })
  expect(ran).toEqual(['list_records', 'delete_record'])
  const [prompt] = model.prompts
  expect(prompt?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(valuesIn(prompt)).toEqual(['delete_record 2', 'list_records 1'])
  expect(wellFormed(prompt?.messages ?? [])).toEqual([])
})

test('C02: an approved call and its result stand exactly once in every later prompt, a message between', async () => {
  const { open, kill } = world()
  const ran: string[] = []
  const script = { calls: [{ tool: 'run_script', input: {} }] }
  const listing = { calls: [{ tool: 'list_records', input: {} }] }
  const play = () => asker([script, listing, { text: 'Ran.' }, listing, { text: 'Again.' }], { tools: counting(ran) })
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('run it')
  await helperOf(first, 'asker').atRest(run)
  await kill(first)
  const { model, agents } = play()
  const ann = helperOf(await open(agents), 'asker')
  await ann.approve({ run, step: 'tool 1.1' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Ran.' })
  await ann.say({ run, text: 'and now?' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Again.', repeat: 2 })
  expect(model.prompts).toHaveLength(4)
  for (const { messages } of model.prompts) {
    expect(wellFormed(messages)).toEqual([])
    const text = JSON.stringify(messages)
    expect(text.split('"toolName":"run_script"')).toHaveLength(3)
    expect(text.split('"run_script 1"')).toHaveLength(2)
  }
  expect(ran.filter((name) => name === 'run_script')).toHaveLength(1)
})

test.each([false, true])(
  'C08: two questions and a slow approved tool; restarted between: %s: one request, after the last, with three results',
  async (restarts) => {
    const w = world()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let runs = 0
    const slow = tool({
      name: 'slow',
      description: 'slow',
      input: anything,
      approval: true,
      async execute() {
        runs++
        started.resolve()
        await gate.promise
        return 'done slowly'
      },
    })
    const turns = [{ calls: [ask('Which?'), { tool: 'slow', input: {} }, ask('When?')] }, { text: 'Ok.' }]
    let played = asker(turns, { tools: [slow] })
    let engine: Engine = await w.open(played.agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    let requests = played.model.calls
    const again = async () => {
      if (!restarts) return
      await w.kill(engine)
      played = asker(turns, { tools: [slow] })
      engine = await w.open(played.agents)
      requests = 0
    }
    await again()
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.1', data: 'this' })
    const two = await helperOf(engine, 'asker').atRest(run)
    expect(two.asks.map(({ step }) => step)).toEqual(['tool 1.2', 'question 1.3'])
    expect([played.model.calls, runs]).toEqual([requests, 0])
    await again()
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.3', data: 'now' })
    expect((await helperOf(engine, 'asker').atRest(run)).asks).toHaveLength(1)
    expect([played.model.calls, runs]).toEqual([requests, 0])
    await again()
    await helperOf(engine, 'asker').approve({ run, step: 'tool 1.2' })
    await started.promise
    expect(played.model.calls).toBe(requests)
    gate.resolve()
    expect(await helperOf(engine, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Ok.' })
    expect([played.model.calls, runs]).toEqual([requests + 1, 1])
    expect(valuesIn(played.model.prompts.at(-1))).toEqual(['this', 'done slowly', 'now'])
    expect(wellFormed(played.model.prompts.at(-1)?.messages ?? [])).toEqual([])
    const types = typesOf(await engine.runs.log(run))
    expect(types.filter((type) => type === 'tool.started')).toHaveLength(1)
    expect(types.filter((type) => type === 'model.replied')).toHaveLength(2)
  },
)

test('C10: an approval of a charge, 20 at once, 10 from a second process, refusals among them: it ran once, or not at all', async () => {
  const { open } = world()
  const outcomes = new Set<string>()
  for (let time = 0; time < 12; time++) {
    const charged: unknown[] = []
    const charge = tool({
      name: 'charge',
      description: 'charges',
      input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
      approval: true,
      execute: (input) => `charged ${charged.push(input)}`,
    })
    const { model, agents } = asker([{ calls: [{ tool: 'charge', input: { amount: 5 } }] }, { text: 'Over.' }], {
      tools: [charge],
    })
    const [first, second] = [await open(agents), await open(agents)]
    const { run } = await helperOf(first, 'asker').start('charge')
    await helperOf(first, 'asker').atRest(run)
    const at = { run, step: 'tool 1.1' }
    const attempt = async (engine: Engine, number: number) => {
      const ann = helperOf(engine, 'asker')
      const isRefusal = (number + time) % 3 === 0
      const settling = isRefusal
        ? ann.refuse(at, { reason: `no ${number}`, answerId: `no ${number}` })
        : ann.approve(at, { answerId: number % 2 === 0 ? 'one click' : `click ${number}` })
      return settling.then(
        ({ duplicate }) => ({ isRefusal, duplicate, error: undefined }),
        (error: { code: string; data: Record<string, unknown> }) => ({ isRefusal, duplicate: false, error }),
      )
    }
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, number) => attempt(number < 20 ? first : second, number)),
    )
    const [winner, ...more] = tries.filter(({ error, duplicate }) => !error && !duplicate)
    expect(more).toEqual([])
    expect(await helperOf(second, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Over.' })
    const settled = (await first.runs.log(run)).filter((event) => event.type === 'ask.settled')
    expect(settled).toMatchObject([{ data: { outcome: winner?.isRefusal ? 'refused' : 'approved' } }])
    outcomes.add(settled[0]?.data.outcome as string)
    for (const { error } of tries.filter((each) => each.error)) {
      expect(error).toMatchObject({
        code: code.T0003,
        data: { outcome: settled[0]?.data.outcome, by: { type: 'person', id: 'ann' }, at: expect.any(String) },
      })
    }
    expect(charged).toEqual(winner?.isRefusal ? [] : [{ amount: 5 }])
    expect(model.calls).toBe(2)
    await first.close()
    await second.close()
  }
  expect(outcomes).toContain('approved')
})
