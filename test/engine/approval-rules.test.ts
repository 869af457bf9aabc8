import { type AgentOptions, agent, code, type ToolOptions, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, asker, helperOf, resultsIn, typesOf, world } from './world.ts'

const amount = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] } as const

function payer(approval: ToolOptions<typeof amount>['approval'], paid: unknown[], options: AgentOptions = {}) {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: amount,
    approval,
    execute: (input) => `paid ${paid.push(input)}`,
  })
  const calls = [5, 50].map((each) => ({ tool: 'pay', input: { amount: each } }))
  return asker([{ calls }, { text: 'ok' }], { tools: [pay], ...options })
}

describe('whether a call needs approval', () => {
  const isLarge = (input: unknown) => (input as { amount: number }).amount > 10

  test.each([
    ['a function', isLarge],
    ['a function that takes its time', async (input: unknown) => isLarge(input)],
    ['an object with `when`', { when: isLarge, editable: true }],
  ])('is decided by its input, with %s', async (_, approval) => {
    const { open } = world()
    const paid: unknown[] = []
    const ann = helperOf(await open(payer(approval as never, paid).agents), 'asker')
    const { run } = await ann.start('pay')
    expect((await ann.atRest(run)).asks).toMatchObject([{ step: 'tool 1.2', input: { amount: 50 } }])
    expect(paid).toEqual([{ amount: 5 }])
    await ann.approve({ run, step: 'tool 1.2' })
    expect((await ann.atRest(run)).status).toBe('done')
    expect(paid).toEqual([{ amount: 5 }, { amount: 50 }])
  })

  test('is told the run and the person; only a clear no lets it run unasked', async () => {
    const { open } = world()
    const told: unknown[] = []
    const rule = (_: unknown, context: unknown) => {
      told.push(context)
      return undefined as never
    }
    const ann = helperOf(await open(payer(rule, []).agents), 'asker')
    const { run } = await ann.start('pay')
    expect((await ann.atRest(run)).asks).toHaveLength(2)
    expect(told).toEqual([
      { run, person: { id: 'ann' } },
      { run, person: { id: 'ann' } },
    ])
  })

  test('is not known where the rule throws: the call does not run, nobody is asked, the model hears it', async () => {
    const { open } = world()
    const paid: unknown[] = []
    const { model, agents } = payer(() => {
      throw new Error('no ledger')
    }, paid)
    const engine = await open(agents)
    const { run } = await helperOf(engine, 'asker').start('pay')
    expect(await helperOf(engine, 'asker').atRest(run)).toMatchObject({ status: 'done', asks: [] })
    expect(resultsIn(model.prompts[1])).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/^Not run: .*no ledger/) },
      { type: 'error-text' },
    ])
    expect(paid).toEqual([])
  })

  test('is decided once: after a crash and a deploy that says otherwise it is as it was logged', async () => {
    const { open, kill } = world()
    const begun = Promise.withResolvers<void>()
    const paid: unknown[] = []
    const slow = tool({
      name: 'slow',
      description: 'slow',
      input: { type: 'object' },
      execute: () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    // The slow call is ordered before the payment, which has been let go and has not begun.
    const play = (approval: boolean) => {
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        input: amount,
        approval: () => approval,
        execute: (input) => `paid ${paid.push(input)}`,
      })
      const calls = [
        { tool: 'slow', input: {} },
        { tool: 'pay', input: { amount: 7 } },
      ]
      return asker([{ calls: calls as never }, { text: 'ok' }], { tools: [slow, pay] })
    }
    const first = await open(play(false).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await begun.promise
    await kill(first)
    const second = await open(play(true).agents)
    expect(await helperOf(second, 'asker').atRest(run)).toMatchObject({ status: 'done', asks: [] })
    expect(paid).toEqual([{ amount: 7 }])
    const log = await second.runs.log(run)
    expect(log.filter((event) => event.type === 'approval.decided')).toHaveLength(1)
  })
})

test('an AI SDK tool in the record form keeps its approval flag', async () => {
  for (const needsApproval of [true, async () => true]) {
    const { open } = world()
    const ran: unknown[] = []
    const act = {
      description: '',
      inputSchema: z.object({ n: z.number() }),
      needsApproval,
      execute: (i: unknown) => ran.push(i),
    }
    const free = { description: '', inputSchema: z.object({}), execute: (i: unknown) => ran.push(i) }
    const model = scriptedModel([
      {
        calls: [
          { tool: 'act', input: { n: 1 } },
          { tool: 'free', input: {} },
        ],
      },
      { text: 'ok' },
    ])
    const ann = helperOf(await open([agent('asker', { model, tools: { act, free } })]), 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).asks).toMatchObject([{ kind: 'approval', tool: 'act', input: { n: 1 } }])
    expect(ran).toEqual([{}])
    await ann.approve({ run, step: 'tool 1.1' })
    await ann.atRest(run)
    expect(ran).toEqual([{}, { n: 1 }])
  }
})

test('an edited input that the tool’s own schema refuses beyond JSON Schema is not run, and the model hears it', async () => {
  const { open } = world()
  const ran: unknown[] = []
  const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') })
  const act = tool({
    name: 'act',
    description: 'Acts.',
    input: even,
    approval: { editable: true },
    execute: (input) => ran.push(input),
  })
  const { model, agents } = asker([{ calls: [{ tool: 'act', input: { n: 2 } }] }, { text: 'ok' }], { tools: [act] })
  const ann = helperOf(await open(agents), 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.approve({ run, step: 'tool 1.1', data: { input: { n: 3 } } })
  expect((await ann.atRest(run)).status).toBe('done')
  expect(resultsIn(model.prompts[1])).toMatchObject([{ value: expect.stringContaining('must be even') }])
  expect(ran).toEqual([])
})

test.each(['schedule', 'webhook', 'manual'] as const)(
  'on the trigger %s an approval, and what a tool asks, are asks of the starter',
  async (trigger) => {
    const { open } = world()
    const paid: unknown[] = []
    const survey = tool({
      name: 'survey',
      description: 'asks',
      input: { type: 'object' },
      replays: true,
      execute: (_, ctx) => ctx.ask({ key: 'k', question: 'And?' }),
    })
    const play = payer(true, paid)
    const [record] = play.agents
    const engine = await open([{ ...record, tools: [...record.tools, survey] }])
    const { run } = await engine.runs.start('asker', { input: 'go', trigger, as: { id: 'ann' } })
    const ann = engine.as({ id: 'ann' })
    await engine.runs.atRest(run)
    const asks = await ann.asks()
    expect(asks.map(({ kind, step }) => [kind, step])).toEqual([
      ['approval', 'tool 1.1'],
      ['approval', 'tool 1.2'],
    ])
    expect(await engine.as({ id: 'bob' }).asks()).toEqual([])
    for (const each of asks) await ann.agent('asker').approve(each)
    await ann.agent('asker').atRest(run)
    expect(paid).toHaveLength(2)

    const system = await engine.runs.start('asker', { input: 'go', trigger })
    await engine.runs.atRest(system.run)
    expect((await engine.asks.list({ starter: 'system' })).items).toHaveLength(2)
  },
)

test('nothing by which an ask could be answered is ever in what a model reads', async () => {
  const { open } = world()
  const survey = tool({
    name: 'survey',
    description: 'asks',
    input: { type: 'object' },
    replays: true,
    execute: (_, ctx) => ctx.ask({ key: 'k', question: 'And?' }),
  })
  const pay = tool({ name: 'pay', description: 'Pays.', input: amount, approval: true, execute: () => 'paid' })
  const { model, agents } = asker(
    [
      { calls: [ask('Size?'), { tool: 'pay', input: { amount: 5 } }] },
      { calls: [{ tool: 'survey', input: {} }] },
      { calls: [ask('Colour?')] },
      { text: 'ok' },
    ],
    { tools: [survey, pay], questions: { deliver: 'message' } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const ids: string[] = []
  for (let view = await ann.atRest(run); view.asks.length > 0; view = await ann.atRest(run)) {
    for (const each of view.asks) {
      ids.push(each.id)
      await (each.kind === 'approval' ? ann.refuse(each) : ann.approve(each, { data: 'yes' }))
    }
  }
  expect(ids).toHaveLength(4)
  const read = JSON.stringify(model.prompts)
  for (const id of [...ids, run]) expect(read).not.toContain(id)
  expect(read).not.toMatch(/ask_|https?:/)
})

test('the approval of a call whose tool changed its mind meanwhile is still the one that was given', async () => {
  const { open, close } = world()
  const paid: unknown[] = []
  const first = await open(payer(true, paid).agents)
  const { run } = await helperOf(first, 'asker').start('pay')
  await helperOf(first, 'asker').atRest(run)
  await close(first)
  // Deployed: nothing needs approval any more. What was asked still waits for its answer.
  const engine = await open(payer(false, paid).agents)
  expect((await helperOf(engine, 'asker').run(run)).asks).toHaveLength(2)
  expect(paid).toEqual([])
  await helperOf(engine, 'asker').refuse({ run, step: 'tool 1.1' })
  await helperOf(engine, 'asker').approve({ run, step: 'tool 1.2' })
  expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
  expect(paid).toEqual([{ amount: 50 }])
  expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.opened')).toHaveLength(2)
  await expect(helperOf(engine, 'asker').approve({ run, step: 'tool 1.1' })).rejects.toMatchObject({ code: code.T0003 })
})
