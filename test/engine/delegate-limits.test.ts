import { type AgentRecord, agent, code, delegate, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const
const usage = { inputTokens: 1, outputTokens: 10 }
const toClerk = { calls: [{ tool: 'clerk', input: { task: 'do it' } }], usage }

const act = (traits: object = { approval: true }) =>
  tool({ name: 'act', description: 'acts', input: anything, ...traits, execute: () => 'acted' })
const acting = { calls: [{ tool: 'act', input: {} }], usage }

function clerkAndLead(
  clerkTurns: Parameters<typeof scriptedModel>[0],
  options: { clerk?: object; lead?: object } = {},
) {
  const [clerkModel, leadModel] = [scriptedModel(clerkTurns), scriptedModel([toClerk, { text: 'Led.', usage }])]
  const clerk = agent('clerk', { model: clerkModel, tools: [act()], ...options.clerk })
  const lead = agent('lead', { model: leadModel, tools: [delegate(clerk)], ...options.lead })
  return { clerkModel, leadModel, agents: [clerk, lead] }
}

test('four runs may be below a root, and no more: the fifth call is told to do it itself', async () => {
  const { open } = world()
  const models = [0, 1, 2, 3, 4].map((depth) =>
    scriptedModel([{ calls: [{ tool: `level${depth + 1}`, input: { task: 'down' } }] }, { text: `${depth} done` }]),
  )
  const last = scriptedModel([{ text: 'never' }])
  const agents: AgentRecord[] = [agent('level5', { model: last })]
  for (const depth of [4, 3, 2, 1, 0])
    agents.unshift(agent(`level${depth}`, { model: models[depth], tools: [delegate(agents[0] as AgentRecord)] }))
  const ann = helperOf(await open(agents), 'level0')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: '0 done' })
  expect(last.calls).toBe(0)
  expect(resultsIn(models[4]?.prompts[1])).toMatchObject([
    { type: 'error-text', value: expect.stringContaining('4 runs are below each other already') },
  ])
})

test('a child that fails is an error of its call, with why; the parent goes on', async () => {
  const { open } = world()
  const { leadModel, agents } = clerkAndLead([{ error: { message: 'no such model', retryable: false } }])
  const ann = helperOf(await open(agents), 'lead')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.' })
  expect(resultsIn(leadModel.prompts[1])).toMatchObject([
    { type: 'error-text', value: expect.stringMatching(/"clerk" did not succeed: .*no such model/) },
  ])
})

test('a child spends no more output tokens than its parent has left', async () => {
  const { open } = world()
  const limits = { perRun: { tokensOut: 25 } }
  const { clerkModel, leadModel, agents } = clerkAndLead([acting, acting, { text: 'Never.' }], {
    clerk: { tools: [act({})] },
    lead: { limits },
  })
  const ann = helperOf(await open(agents), 'lead')
  const { run } = await ann.start('go')
  // 10 of the lead, 10 and 10 of the clerk, which had 15 left: no call is left for anybody.
  expect(await ann.atRest(run)).toMatchObject({
    status: 'failed',
    error: { code: code.T2002 },
    usage: { outputTokens: 30 },
  })
  expect(clerkModel.prompts.map(({ settings }) => settings.maxOutputTokens)).toEqual([15, 5])
  expect(leadModel.calls).toBe(1)
})

test('what a child spent counts on the root though the root failed meanwhile', async () => {
  const { open, clock, armed } = world()
  const { agents } = clerkAndLead([acting, { text: 'Never.' }])
  const [clerk] = agents as [AgentRecord, AgentRecord]
  const both = { calls: [...toClerk.calls, { tool: 'act', input: {} }], usage }
  const model = scriptedModel([both as never, { text: 'Led.', usage }])
  const lead = agent('lead', { model, tools: [delegate(clerk), act()], limits: { ask: '1h' }, onExpire: 'fail' })
  const ann = helperOf(await open([clerk, lead]), 'lead')
  const { run } = await ann.start('go')
  expect((await ann.atRest(run)).asks).toHaveLength(2)
  await armed(3_600_001)
  clock.advance(3_600_001)
  for await (const _ of ann.watch(run));
  expect(await ann.run(run)).toMatchObject({
    status: 'failed',
    error: { code: code.T2004 },
    usage: { outputTokens: 20 },
  })
})

test('a message while a child works reaches the root when the child is done, and no ask comes between', async () => {
  const { open } = world()
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { clerkModel, leadModel, agents } = clerkAndLead([
    async () => {
      begun.resolve()
      await gate.promise
      return { text: 'Clerk done.', usage }
    },
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'lead')
  const { run } = await ann.start('go')
  await begun.promise
  await ann.say({ run, text: 'hurry' })
  gate.resolve()
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
  expect(leadModel.prompts[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'hurry' })
  expect(resultsIn(leadModel.prompts[1])).toEqual([{ type: 'text', value: 'Clerk done.' }])
  expect(wellFormed(leadModel.prompts[1]?.messages ?? [])).toEqual([])
  expect(clerkModel.calls).toBe(1)
  expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
})

test('a child is nobody’s run but the operator’s: its person sees it through the root alone', async () => {
  const { open } = world()
  const { agents } = clerkAndLead([acting, { text: 'Clerk done.', usage }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'lead')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  const log = await engine.runs.log(run)
  const child = log.flatMap((event) => (event.type === 'tool.started' ? [event.data.child] : [])).find(Boolean) ?? ''
  // One after another: a refusal that comes while an earlier one is awaited would be nobody's.
  const ways = [
    () => ann.run(child),
    () => ann.stop({ run: child }),
    () => ann.approve({ run: child, step: 'tool 1.1' }),
  ]
  for (const way of ways) expect(await refusal(way())).toMatchObject({ code: code.T0001 })
  expect(await helperOf(engine, 'clerk').working()).toEqual([])
  expect((await engine.runs.get(child)).agent).toBe('clerk')
  expect((await engine.runs.log(child)).length).toBeGreaterThan(0)
})
