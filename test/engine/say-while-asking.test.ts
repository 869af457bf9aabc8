import { type AgentRecord, agent, delegate, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, ended, helperOf, resultsIn, world } from './world.ts'

const before = 'The person had written a message before this was asked.'

/** An out guard that waits, for asks, until the test says so. */
function slowGuard() {
  const [judging, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const guard = async (_: string, { kind }: { kind: string }) => {
    if (kind === 'text') return true as const
    judging.resolve()
    await gate.promise
    return true as const
  }
  return { judging: judging.promise, gate, guards: { out: [guard] } }
}

test.each(['result', 'message'] as const)(
  'a message that the worker hears of while a guard judges the question (deliver %s): it is not asked, and nothing waits',
  async (deliver) => {
    const { open } = world()
    const { judging, gate, guards } = slowGuard()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'A large one then.' }], {
      guards,
      questions: { deliver },
    })
    const heard = Promise.withResolvers<void>()
    const engine = await open(agents, {
      atPoint: ({ transition, when, result }) => {
        if (transition !== 'renewClaim' || when !== 'after') return
        if ((result as { mail?: unknown[] }).mail?.length) heard.resolve()
      },
    })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    await judging
    await ann.say({ run, text: 'a large one' })
    await heard.promise
    gate.resolve()
    expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 2, asks: [] })
    const told = JSON.stringify(model.prompts[1]?.messages)
    expect(told).toContain(before)
    expect(model.prompts[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'a large one' })
    const ends = (await engine.runs.log(run)).filter((event) => event.type === 'ask.settled')
    for (const { data } of ends) expect(data).toMatchObject({ outcome: 'withdrawn', because: 'messageBefore' })
  },
)

test('the same for an approval', async () => {
  const { open } = world()
  const { judging, gate, guards } = slowGuard()
  let paid = 0
  const pay = tool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    approval: true,
    execute: () => ++paid,
  })
  const { model, agents } = asker([{ calls: [{ tool: 'pay', input: {} }] }, { text: 'ok' }], { tools: [pay], guards })
  const heard = Promise.withResolvers<void>()
  const engine = await open(agents, {
    atPoint: ({ transition, when, result }) => {
      if (transition === 'renewClaim' && when === 'after' && (result as { mail?: unknown[] }).mail?.length)
        heard.resolve()
    },
  })
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('pay')
  await judging
  await ann.say({ run, text: 'wait' })
  await heard.promise
  gate.resolve()
  expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 2, asks: [] })
  expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: before }])
  expect(paid).toBe(0)
})

test.each([1, 2])(
  'a message to the root while a run %i below it works: what that would ask is not asked, all come to their end',
  async (depth) => {
    const { open } = world()
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const survey = tool({
      name: 'survey',
      description: 'asks',
      input: { type: 'object' },
      replays: true,
      execute: (_, ctx) => ctx.ask({ key: 'k', question: 'And?' }),
    })
    const act = tool({ name: 'act', description: 'acts', input: { type: 'object' }, approval: true, execute: () => 1 })
    const model = scriptedModel([
      async () => {
        begun.resolve()
        await gate.promise
        return { calls: ['act', 'survey'].map((name) => ({ tool: name, input: {} })) }
      },
      { text: 'Level done.' },
    ])
    const agents: AgentRecord[] = [agent('level0', { model, tools: [act, survey] })]
    for (let level = 1; level <= depth; level++) {
      const [below] = agents as [AgentRecord]
      const calls = [{ tool: below.name, input: { task: 'down' } }]
      const leading = scriptedModel([{ calls }, { text: 'Led.' }])
      agents.unshift(agent(`level${level}`, { model: leading, tools: [delegate(below)] }))
    }
    const engine = await open(agents)
    const ann = helperOf(engine, `level${depth}`)
    const { run } = await ann.start('go')
    await begun.promise
    await ann.say({ run, text: 'hurry' })
    for await (const event of ann.watch(run)) if (event.type === 'message' && event.text === 'hurry') break
    gate.resolve()
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.', repeat: 2, asks: [] })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([before, before])
  },
)
