import { agent, delegate, type Engine, tool } from 'querent'
import { type ScriptedModel, scriptedModel, wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, resultsIn, typesOf, world } from '../engine/world.ts'

/** What the tools did, over all processes. */
interface Outside {
  looked: number
  sent: unknown[]
}

const usage = { inputTokens: 1, outputTokens: 10 }

/** A lead whose clerk first looks something up, then mails, with leave; `clerks` of them side by side. */
function office(outside: Outside, clerks = 1) {
  const look = tool({
    name: 'look_up',
    description: 'Reads.',
    input: { type: 'object' },
    retrySafe: true,
    execute: () => `found ${++outside.looked}`,
  })
  const mail = tool({
    name: 'send_mail',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string', minLength: 2 } }, required: ['to'] },
    approval: { editable: true },
    execute: (input) => `sent ${outside.sent.push(input)}`,
  })
  const clerkModel = scriptedModel([
    { calls: [{ tool: 'look_up', input: {} }], usage },
    { calls: [{ tool: 'send_mail', input: { to: 'bob' } }], usage },
    ({ messages }) => ({ text: `Clerk heard: ${JSON.stringify(messages.at(-1))}`, usage }),
  ])
  const tasks = Array.from({ length: clerks }, (_, index) => ({ tool: 'clerk', input: { task: `mail ${index}` } }))
  const leadModel = scriptedModel([
    { calls: tasks, usage },
    { text: 'Led.', usage },
  ])
  const clerk = agent('clerk', { model: clerkModel, tools: [look, mail] })
  const lead = agent('lead', { model: leadModel, tools: [delegate(clerk)] })
  return { agents: [clerk, lead], clerkModel, leadModel }
}

const childrenIn = async (engine: Engine, run: string) =>
  (await engine.runs.log(run)).flatMap((event) =>
    event.type === 'tool.started' && event.data.child !== undefined ? [event.data.child] : [],
  )

type Decide = (ann: ReturnType<typeof helperOf>, at: { run: string; step: string }) => Promise<unknown>

const decisions: [string, Decide, { sent: unknown[]; told: string }][] = [
  ['approved', (ann, at) => ann.approve(at), { sent: [{ to: 'bob' }], told: 'sent 1' }],
  [
    'refused with a reason',
    (ann, at) => ann.refuse(at, { reason: 'not bob' }),
    { sent: [], told: 'The person refused this. Reason: not bob' },
  ],
  [
    'approved with edited input',
    (ann, at) => ann.approve(at, { data: { input: { to: 'eve' } } }),
    { sent: [{ to: 'eve' }], told: 'The person changed the input before they approved it. It ran with: {"to":"eve"}' },
  ],
]

test.each(decisions)(
  'C19: a child parked after a safe tool, restarted, %s: it goes on and repeats nothing',
  async (_, decide, { sent, told }) => {
    for (const end of ['close', 'kill'] as const) {
      const w = world()
      const outside: Outside = { looked: 0, sent: [] }
      const first = office(outside)
      const one = await w.open(first.agents)
      const { run } = await helperOf(one, 'lead').start('mail bob')
      const { asks } = await helperOf(one, 'lead').atRest(run)
      expect(asks).toMatchObject([{ kind: 'approval', run, step: 'tool 1.1/tool 2.1', path: ['lead', 'clerk'], n: 1 }])
      const [child = ''] = await childrenIn(one, run)
      await w[end](one)

      const second = office(outside)
      const two = await w.open(second.agents)
      const ann = helperOf(two, 'lead')
      expect((await ann.run(run)).asks).toEqual(asks)
      await decide(ann, { run, step: 'tool 1.1/tool 2.1' })
      expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.', usage: { outputTokens: 50 } })
      expect(outside).toEqual({ looked: 1, sent })
      expect(new Set(await childrenIn(two, run))).toEqual(new Set([child]))
      const log = await two.runs.log(child)
      expect(typesOf(log).filter((type) => type === 'ask.opened')).toHaveLength(1)
      expect(typesOf(log).filter((type) => type === 'model.replied')).toHaveLength(3)
      expect([second.clerkModel.calls, second.leadModel.calls]).toEqual([1, 1])
      expect(String(resultsIn(second.clerkModel.prompts[0])[0]?.value)).toContain(told)
      expect(String(resultsIn(second.leadModel.prompts[0])[0]?.value)).toContain('Clerk heard:')
      for (const { prompts } of [second.clerkModel, second.leadModel] as ScriptedModel[])
        expect(wellFormed(prompts[0]?.messages ?? [])).toEqual([])
      await w.close(two)
    }
  },
)

test('C19: two children of one agent open at once, restarted before each decision: each hears its own', async () => {
  const w = world()
  const outside: Outside = { looked: 0, sent: [] }
  let engine = await w.open(office(outside, 2).agents)
  const { run } = await helperOf(engine, 'lead').start('mail them')
  const parked = await helperOf(engine, 'lead').atRest(run)
  expect(parked.asks.map(({ step }) => step).sort()).toEqual(['tool 1.1/tool 2.1', 'tool 1.2/tool 2.1'])
  const children = await childrenIn(engine, run)
  expect(new Set(children).size).toBe(2)

  await w.kill(engine)
  engine = await w.open(office(outside, 2).agents)
  await helperOf(engine, 'lead').refuse({ run, step: 'tool 1.2/tool 2.1', reason: 'the second not' })
  const half = await helperOf(engine, 'lead').atRest(run)
  expect(half).toMatchObject({ status: 'waiting', asks: [{ step: 'tool 1.1/tool 2.1' }] })

  await w.kill(engine)
  const last = office(outside, 2)
  engine = await w.open(last.agents)
  await helperOf(engine, 'lead').approve({ run, step: 'tool 1.1/tool 2.1', data: { input: { to: 'the first' } } })
  // Two children of three model calls, the lead's two.
  expect(await helperOf(engine, 'lead').atRest(run)).toMatchObject({ status: 'done', usage: { outputTokens: 80 } })
  expect(outside).toEqual({ looked: 2, sent: [{ to: 'the first' }] })
  expect(new Set(await childrenIn(engine, run))).toEqual(new Set(children))
  const [one, two] = resultsIn(last.leadModel.prompts[0]).map(({ value }) => String(value))
  expect(one).toContain('sent 1')
  expect(two).toContain('the second not')
})

test('C18: killed before and after the answer, nobody but the one who waits for it is called again', async () => {
  const w = world()
  const outside: Outside = { looked: 0, sent: [] }
  const first = office(outside)
  const one = await w.open(first.agents)
  const { run } = await helperOf(one, 'lead').start('mail bob')
  await helperOf(one, 'lead').atRest(run)
  // The parent's call has no result, and no token is spent meanwhile.
  expect(typesOf(await one.runs.log(run))).toEqual(['run.started', 'model.replied', 'tool.started', 'tool.started'])
  w.clock.advance(30 * 86_400_000)
  expect([first.leadModel.calls, first.clerkModel.calls]).toEqual([1, 2])
  await w.kill(one)
  const page = await w.open([], { idle: true })
  await helperOf(page, 'lead').approve({ run, step: 'tool 1.1/tool 2.1' })
  expect(await page.as({ id: 'ann' }).asks()).toEqual([])
  await w.kill(page)
  const second = office(outside)
  const two = await w.open(second.agents)
  expect(await helperOf(two, 'lead').atRest(run)).toMatchObject({ status: 'done', text: 'Led.' })
  expect([second.leadModel.calls, second.clerkModel.calls]).toEqual([1, 1])
  expect(outside).toEqual({ looked: 1, sent: [{ to: 'bob' }] })
})
