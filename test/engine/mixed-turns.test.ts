import { type AgentOptions, code, type Engine, type Json, tool } from 'querent'
import { type ScriptedTurn, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const
const heldBack = 'Not run: a question of the same turn was open. Call it again if it is still right.'

const call = (name: string, input: Json = {}) => ({ tool: name, input })
const valuesIn = (prompt: Parameters<typeof resultsIn>[0]) => resultsIn(prompt).map(({ value }) => value)

/** One tool of each kind; each notes when it begins. */
function toolsOf(began: string[]) {
  const named = (name: string, traits: object) =>
    tool({ name, description: name, input: anything, ...traits, execute: () => `${name} ${began.push(name)}` })
  return [
    named('read', { retrySafe: true }),
    named('act', {}),
    named('pay', { approval: true }),
    named('ship', { approval: true }),
    named('maybe', { approval: () => false }),
  ]
}

const turns = (calls: ScriptedTurn['calls']) => [{ calls }, { text: 'ok' }]

function play(calls: ScriptedTurn['calls'], began: string[] = [], options: AgentOptions = {}) {
  return asker(turns(calls), { tools: toolsOf(began), ...options })
}

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

describe('approvals, questions, retry-safe and ordinary tools in one turn', () => {
  const calls = [call('act'), ask('Which?'), call('pay'), call('read'), ask('When?'), call('ship')]
  const steps = ['question 1.2', 'tool 1.3', 'question 1.5', 'tool 1.6']

  test.each(permutations(steps).map((order) => [order.join(', '), order] as const))(
    'answered in the order %s, with a kill before each',
    async (_, order) => {
      const w = world()
      const began: string[] = []
      let played = play(calls, began)
      let engine: Engine = await w.open(played.agents)
      const { run } = await helperOf(engine, 'asker').start('go')
      expect((await helperOf(engine, 'asker').atRest(run)).asks.map(({ step }) => step)).toEqual(steps)
      expect(began).toEqual(['read'])
      for (const [index, step] of order.entries()) {
        await w.kill(engine)
        played = play(calls, began)
        engine = await w.open(played.agents)
        const ann = helperOf(engine, 'asker')
        if (step === 'tool 1.6') await ann.refuse({ run, step, reason: 'no ship' })
        else await ann.approve(step.startsWith('tool') ? { run, step } : { run, step, data: step })
        const { asks } = await ann.atRest(run)
        expect(asks.map((each) => each.step)).toEqual(steps.filter((each) => !order.slice(0, index + 1).includes(each)))
        // An approved tool runs as soon as it is approved, whatever else is open.
        expect(began.includes('pay')).toBe(order.slice(0, index + 1).includes('tool 1.3'))
      }
      expect(await helperOf(engine, 'asker').run(run)).toMatchObject({ status: 'done', text: 'ok' })
      expect(began.sort()).toEqual(['pay', 'read'])
      expect(played.model.calls).toBe(1)
      expect(valuesIn(played.model.prompts[0])).toEqual([
        heldBack,
        'question 1.2',
        'pay 2',
        'read 1',
        'question 1.5',
        'The person refused this. Reason: no ship',
      ])
      expect(wellFormed(played.model.prompts[0]?.messages ?? [])).toEqual([])
    },
  )
})

describe('what is held back beside a question', () => {
  test('a call whose rule needs no approval this time is ungated: it is held back as well', async () => {
    const { open } = world()
    const began: string[] = []
    const { model, agents } = play([call('maybe'), ask('Which?')], began)
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.2', data: 'this' })
    await ann.atRest(run)
    expect(valuesIn(model.prompts[1])).toEqual([heldBack, 'this'])
    expect(began).toEqual([])
  })

  test('nothing, where no question is really asked: it could not be, or a guard refused it', async () => {
    const guards = { out: [(text: string) => !text.includes('PIN') || { refuse: 'a PIN' }] } as AgentOptions['guards']
    for (const question of [' ', 'Your PIN?']) {
      const { open } = world()
      const began: string[] = []
      const { model, agents } = play([call('act'), ask(question)], began, { guards })
      const ann = helperOf(await open(agents), 'asker')
      const { run } = await ann.start('go')
      expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
      expect(began).toEqual(['act'])
      expect(valuesIn(model.prompts[1])[0]).toBe('act 1')
    }
  })

  test('nothing beside approvals alone: an ungated call does not wait for a gated one', async () => {
    const { open } = world()
    const began: string[] = []
    const { model, agents } = play([call('pay'), call('act'), call('act')], began)
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).status).toBe('waiting')
    expect(began).toEqual(['act', 'act'])
    await ann.approve({ run, step: 'tool 1.1' })
    await ann.atRest(run)
    expect(valuesIn(model.prompts[1])).toEqual(['pay 3', 'act 1', 'act 2'])
  })
})

test('an approved tool starts while a slow sibling runs, in the process of another who answered', async () => {
  const { open } = world()
  const [paid, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = tool({
    name: 'slow',
    description: 'slow',
    input: anything,
    async execute() {
      await gate.promise
      return 'slowly'
    },
  })
  const pay = tool({ name: 'pay', description: 'pays', input: anything, approval: true, execute: () => paid.resolve() })
  const { model, agents } = asker(turns([call('slow'), call('pay')]), { tools: [slow, pay] })
  const engine = await open(agents)
  const page = await open([], { idle: true })
  const ann = helperOf(page, 'asker')
  const { run } = await helperOf(engine, 'asker').start('go')
  for await (const event of ann.watch(run)) if (event.type === 'ask.opened') break
  await ann.approve({ run, step: 'tool 1.2' })
  await paid.promise
  expect(model.calls).toBe(1)
  gate.resolve()
  expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
  expect(valuesIn(model.prompts[1])).toEqual(['slowly', null])
})

test('a worker that died while an approved tool ran, with a question open: nobody knows, and the question waits on', async () => {
  const { open, kill } = world()
  const begun = Promise.withResolvers<void>()
  let runs = 0
  const pay = tool({
    name: 'pay',
    description: 'pays',
    input: anything,
    approval: true,
    execute() {
      runs++
      begun.resolve()
      return new Promise(() => undefined)
    },
  })
  const both = () => asker(turns([call('pay'), ask('Which?')]), { tools: [pay] })
  const first = await open(both().agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await helperOf(first, 'asker').atRest(run)
  await helperOf(first, 'asker').approve({ run, step: 'tool 1.1' })
  await begun.promise
  await kill(first)
  const { model, agents } = both()
  const ann = helperOf(await open(agents), 'asker')
  expect((await ann.atRest(run)).asks.map(({ step }) => step)).toEqual(['question 1.2'])
  await ann.approve({ run, step: 'question 1.2', data: 'this' })
  await ann.atRest(run)
  expect(valuesIn(model.prompts[0])).toEqual([
    'Interrupted before its result was recorded. It may or may not have happened.',
    'this',
  ])
  expect(runs).toBe(1)
})

test('an input that does not fit is told before anybody is asked; the other calls of the turn are not touched', async () => {
  const { open } = world()
  const strict = tool({
    name: 'strict',
    description: 'strict',
    input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    approval: true,
    execute: () => 'never',
  })
  const began: string[] = []
  const calls = [call('strict', { id: 'seven' }), call('pay'), call('nothing_of_the_kind')]
  const { model, agents } = asker(turns(calls), { tools: [strict, ...toolsOf(began)] })
  const ann = helperOf(await open(agents), 'asker')
  const { run } = await ann.start('go')
  expect((await ann.atRest(run)).asks.map(({ step }) => step)).toEqual(['tool 1.2'])
  await ann.approve({ run, step: 'tool 1.2' })
  await ann.atRest(run)
  expect(resultsIn(model.prompts[1])).toMatchObject([
    { type: 'error-text', value: expect.stringContaining('id') },
    { type: 'text', value: 'pay 1' },
    { type: 'error-text', value: expect.stringContaining('There is no tool') },
  ])
})

test('a message while some are answered: what was answered stands, what was open hears so, and nothing else runs', async () => {
  const { open, close } = world()
  const began: string[] = []
  const calls = [call('pay'), ask('Which?'), call('ship')]
  const first = await open(play(calls, began).agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await helperOf(first, 'asker').atRest(run)
  await close(first)
  // Nobody works on it: all three lie in the mailbox together.
  const idle = await open(play(calls, began).agents, { idle: true })
  await helperOf(idle, 'asker').approve({ run, step: 'tool 1.1' })
  await helperOf(idle, 'asker').refuse({ run, step: 'tool 1.3', reason: 'too far' })
  await helperOf(idle, 'asker').say({ run, text: 'and wrap it' })
  const { model, agents } = play(calls, began)
  const ann = helperOf(await open(agents), 'asker')
  expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 2 })
  expect(valuesIn(model.prompts[0])).toEqual([
    'pay 1',
    'The person wrote a message instead of answering.',
    'The person refused this. Reason: too far',
  ])
  expect(model.prompts[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'and wrap it' })
  expect(began).toEqual(['pay'])
})

describe('ids of a provider that are used twice', () => {
  const twice = [
    { ...ask('First?'), id: '0' },
    { ...ask('Second?'), id: '0' },
    { ...call('pay'), id: '' },
  ]
  const again = [
    { ...ask('Third?'), id: '0' },
    { ...call('pay'), id: '' },
  ]

  test('are distinct asks with their own answers; what is sent back is unique, and the same in every process', async () => {
    const w = world()
    const began: string[] = []
    const script = () => asker([{ calls: twice }, { calls: again }, { text: 'ok' }], { tools: toolsOf(began) })
    let played = script()
    let engine: Engine = await w.open(played.agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    const prompts: string[] = []
    for (const step of ['question 1.2', 'tool 1.3', 'question 1.1', 'tool 2.2', 'question 2.1']) {
      await helperOf(engine, 'asker').atRest(run)
      prompts.push(...played.model.prompts.map(({ messages }) => JSON.stringify(messages)))
      await w.kill(engine)
      played = script()
      engine = await w.open(played.agents)
      const ann = helperOf(engine, 'asker')
      await ann.approve(step.startsWith('tool') ? { run, step } : { run, step, data: `answer to ${step}` })
    }
    expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
    const last = played.model.prompts.at(-1)
    expect(wellFormed(last?.messages ?? [])).toEqual([])
    expect(valuesIn(last)).toEqual(['answer to question 2.1', 'pay 2'])
    prompts.push(JSON.stringify(last?.messages))
    expect(prompts).toHaveLength(3)
    for (const [index, next] of prompts.slice(1).entries())
      expect(next.startsWith(String(prompts[index]).slice(0, -1))).toBe(true)
    expect(prompts[1]).toContain('"value":"answer to question 1.1"')
    expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.opened')).toHaveLength(5)
  })
})

test('an ask of one turn is not answered by the address of another', async () => {
  const { open } = world()
  const { agents } = asker([{ calls: [ask('One?')] }, { calls: [ask('Two?')] }, { text: 'ok' }])
  const ann = helperOf(await open(agents), 'asker')
  const { run } = await ann.start('go')
  const stale = (await ann.atRest(run)).asks[0] as { id: string; run: string }
  await ann.approve({ run, step: 'question 1.1', data: 'one' })
  await ann.atRest(run)
  expect(await refusal(ann.approve(stale, { data: 'again' }))).toMatchObject({ code: code.T0003 })
  expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'x' }))).toMatchObject({ code: code.T0003 })
  expect((await ann.run(run)).asks.map(({ step }) => step)).toEqual(['question 2.1'])
})
