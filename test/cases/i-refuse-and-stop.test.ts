import { agent, code, delegate, type Engine, type Json, tool } from 'querent'
import { type ScriptedModel, scriptedModel, type TurnSource, wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { asker, helperOf, refusal, resultsIn, typesOf, type World, world } from '../engine/world.ts'

const env = { type: 'object', properties: { env: { type: 'string' } } } as const
const prod: Json = { env: 'prod', force: true }

function deployer(turns: TurnSource[], ran: unknown[], limits = {}) {
  const deploy = tool({
    name: 'deploy',
    description: 'Deploys.',
    input: env,
    approval: true,
    execute: (input) => `deployed ${ran.push(input)}`,
  })
  return asker(turns, { tools: [deploy], questions: false, limits })
}

const deploying = (input: Json) => ({ calls: [{ tool: 'deploy', input }] })
const told = (model: ScriptedModel, index: number) => resultsIn(model.prompts[index])[0]
const notAgain = {
  type: 'error-text',
  value:
    'Not run and not asked again: the person refused this very call. Do something else, or ask them what they want.',
}

/** Refuses whatever is asked until the run rests, with a kill before each answer. Gives what was asked. */
async function refuseAll({ open, kill }: World, play: () => ReturnType<typeof deployer>) {
  let played = play()
  let engine: Engine = await open(played.agents)
  const prompts = [...played.model.prompts]
  const { run } = await helperOf(engine, 'asker').start('deploy')
  const asked: Json[] = []
  for (;;) {
    const view = await helperOf(engine, 'asker').atRest(run)
    const [ask] = view.asks
    prompts.push(...played.model.prompts)
    if (!ask) return { view, asked, prompts, engine, run }
    asked.push(ask.input)
    await kill(engine)
    played = play()
    engine = await open(played.agents)
    await helperOf(engine, 'asker').refuse(ask, { reason: `no, ${asked.length}` })
  }
}

test('C37: a model that repeats one call for ever is refused once, hears why, and the run ends', async () => {
  const ran: unknown[] = []
  // The same call in another order of keys is the same call.
  const turns = [deploying(prod), deploying({ force: true, env: 'prod' }), deploying(prod), deploying(prod)]
  const { view, asked, prompts } = await refuseAll(world(), () => deployer(turns, ran, { steps: 4 }))
  expect(view).toMatchObject({ status: 'failed', error: { code: code.T2001 } })
  expect(asked).toEqual([prod])
  expect(ran).toEqual([])
  expect(resultsIn(prompts[1])).toEqual([{ type: 'text', value: 'The person refused this. Reason: no, 1' }])
  for (const prompt of prompts.slice(2)) expect(resultsIn(prompt)).toEqual([notAgain])
  expect(new Set(prompts.map(({ tools }) => JSON.stringify(tools)))).toHaveProperty('size', 1)
})

test('C37: a model that tries one thing after another is refused three times, restarted each time, then not asked', async () => {
  const ran: unknown[] = []
  const places = ['prod', 'production', 'live', 'main', 'master']
  const turns = [...places.map((place) => deploying({ env: place })), { text: 'I give up.' }]
  const { view, asked, prompts } = await refuseAll(world(), () => deployer(turns, ran))
  expect(view).toMatchObject({ status: 'done', text: 'I give up.' })
  expect(asked).toEqual(places.slice(0, 3).map((place) => ({ env: place })))
  expect(ran).toEqual([])
  for (const prompt of prompts.slice(-2)) {
    expect(resultsIn(prompt)).toEqual([
      {
        type: 'error-text',
        value: 'Not run and not asked: the person refused "deploy" 3 times. Do not call it again before they write.',
      },
    ])
    expect(wellFormed(prompt.messages)).toEqual([])
  }
  expect(new Set(prompts.map(({ tools }) => JSON.stringify(tools)))).toHaveProperty('size', 1)
})

test('C37: the refusals of a call last until the person’s next message; then it is asked anew', async () => {
  const { open } = world()
  const ran: unknown[] = []
  const { model, agents } = deployer(
    [deploying(prod), deploying(prod), { text: 'Not done.' }, deploying(prod), { text: 'Done.' }],
    ran,
  )
  const ann = helperOf(await open(agents), 'asker')
  const { run } = await ann.start('deploy')
  await ann.atRest(run)
  await ann.refuse({ run, step: 'tool 1.1' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Not done.' })
  expect(told(model, 2)).toEqual(notAgain)
  await ann.say({ run, text: 'do it now' })
  expect((await ann.atRest(run)).asks).toMatchObject([{ repeat: 2, step: 'tool 1.1', n: 1 }])
  await ann.approve({ run, step: 'tool 1.1', repeat: 2 })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Done.' })
  expect(ran).toEqual([prod])
})

test('C37: an ask that expired or was withdrawn is no refusal: the same call is asked again', async () => {
  const { open, clock, armed } = world()
  const ran: unknown[] = []
  const { model, agents } = deployer([deploying(prod), deploying(prod), deploying(prod), { text: 'Done.' }], ran, {
    ask: '1h',
  })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('deploy')
  await ann.atRest(run)
  await armed(3_600_001)
  clock.advance(3_600_001)
  for await (const event of ann.watch(run)) if (event.type === 'ask.opened' && event.ask.step === 'tool 2.1') break
  await ann.atRest(run)
  expect(told(model, 1)).toEqual({ type: 'text', value: 'The person refused this.' })
  await ann.say({ run, text: 'wait' })
  expect((await ann.atRest(run)).asks).toMatchObject([{ repeat: 2, step: 'tool 1.1' }])
  expect(told(model, 2)).toEqual({ type: 'text', value: 'The person wrote a message instead of answering.' })
  await ann.approve({ run, step: 'tool 1.1', repeat: 2 })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Done.' })
  expect(ran).toEqual([prod])
})

/** A lead that asks beside a clerk who asks for leave. */
function office(ran: unknown[]) {
  const clerkModel = scriptedModel([deploying(prod), { text: 'Clerk done.' }])
  const leadModel = scriptedModel([
    {
      calls: [
        { tool: 'clerk', input: { task: 'deploy' } },
        { tool: 'deploy', input: { env: 'lead' } },
      ],
    },
    { text: 'Led.' },
  ])
  const [{ tools }] = deployer([], ran).agents
  const clerk = agent('clerk', { model: clerkModel, tools })
  return {
    clerkModel,
    leadModel,
    agents: [clerk, agent('lead', { model: leadModel, tools: [delegate(clerk), ...tools] })],
  }
}

test('C38: stop of a parked parent and child, with no worker: all asks are withdrawn and gone, live; a late answer is T0003', async () => {
  const { open, close } = world()
  const ran: unknown[] = []
  const first = await open(office(ran).agents)
  const { run } = await helperOf(first, 'lead').start('deploy')
  const steps = (await helperOf(first, 'lead').atRest(run)).asks.map(({ step }) => step)
  expect(steps.sort()).toEqual(['tool 1.1/tool 1.1', 'tool 1.2'])
  await close(first)

  const [page, other] = [await open([], { idle: true }), await open([], { idle: true })]
  const lists = other.as({ id: 'ann' }).events()[Symbol.asyncIterator]()
  const snapshot = (await lists.next()).value
  expect(snapshot).toMatchObject({ type: 'snapshot', asks: [{}, {}] })
  expect(await helperOf(page, 'lead').stop({ run })).toEqual({ run, status: 'stopped' })
  for (let event = (await lists.next()).value; !('asks' in event) || event.asks.length > 0; )
    event = (await lists.next()).value
  await lists.return?.(undefined)
  expect(await other.as({ id: 'ann' }).asks()).toEqual([])
  expect(await helperOf(other, 'lead').working()).toEqual([])
  for (const step of steps) {
    expect(await refusal(helperOf(other, 'lead').approve({ run, step }))).toMatchObject({
      code: code.T0003,
      data: { outcome: 'withdrawn', by: { type: 'run' } },
    })
  }
  const log = await page.runs.log(run)
  const child = log.flatMap((event) => (event.type === 'tool.started' ? [event.data.child] : [])).find(Boolean)
  expect(typesOf(log).at(-1)).toBe('run.stopped')
  expect(typesOf(await page.runs.log(child ?? '')).at(-1)).toBe('run.stopped')

  const { leadModel, clerkModel, agents } = office(ran)
  const ann = helperOf(await open(agents), 'lead')
  await ann.say({ run, text: 'and now?' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.', repeat: 2 })
  expect(wellFormed(leadModel.prompts[0]?.messages ?? [])).toEqual([])
  expect(resultsIn(leadModel.prompts[0]).map(({ value }) => value)).toEqual([
    'The run of "clerk" did not succeed: Stopped.',
    'Stopped.',
  ])
  expect(clerkModel.calls).toBe(0)
  expect(ran).toEqual([])
})

test('C38: stop and the answer to a child’s ask at the same moment, 100 times: exactly one wins, and the log is closed', async () => {
  const { open } = world()
  const ran: unknown[] = []
  const [engine, second] = [await open(office(ran).agents), await open(office(ran).agents)]
  const outcomes = new Map<string, number>()
  for (let time = 0; time < 100; time++) {
    const ann = helperOf(engine, 'lead')
    const { run } = await ann.start('deploy')
    await ann.atRest(run)
    const before = ran.length
    const step = time % 2 === 0 ? 'tool 1.1/tool 1.1' : 'tool 1.2'
    let answer = ''
    const approve = async () => {
      answer = await ann.approve({ run, step }).then(
        () => 'approved',
        (error) => error.code,
      )
    }
    const stop = () => helperOf(time % 4 < 2 ? engine : second, 'lead').stop({ run })
    const [one, other] = time % 8 < 4 ? [approve, stop] : [stop, approve]
    const begun = one()
    // An answer reads more than a stop does before it writes: begun in the same turn, it would lose every time.
    for (let turn = 0; turn < time % 3; turn++) await new Promise(setImmediate)
    await Promise.all([begun, other()])
    expect(await ann.atRest(run)).toMatchObject({ status: 'stopped', asks: [] })
    expect(['approved', code.T0003]).toContain(answer)
    outcomes.set(answer, (outcomes.get(answer) ?? 0) + 1)
    const log = await engine.runs.log(run)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    const child = log.flatMap((event) => (event.type === 'tool.started' ? [event.data.child] : [])).find(Boolean)
    const logs = [log, await engine.runs.log(child ?? '')]
    const ends = logs.flatMap((each) => each.filter((event) => event.type === 'ask.settled'))
    expect(ends).toHaveLength(2)
    expect(ends.filter(({ data }) => data.outcome === 'approved')).toHaveLength(answer === 'approved' ? 1 : 0)
    // An answer that lost runs nothing; one that won may have been in time to run the call, once.
    expect(ran.length - before).toBeLessThanOrEqual(answer === 'approved' ? 1 : 0)
    for (const each of logs) {
      const called = each.flatMap((event) => (event.type === 'model.replied' ? event.data.calls : []))
      const returned = each.flatMap((event) => (event.type === 'tool.returned' ? [event.data.effect] : []))
      expect(returned.sort()).toEqual(called.map(({ effect }) => effect).sort())
    }
  }
  expect([...outcomes.keys()].sort()).toEqual([code.T0003, 'approved'].sort())
})

test('C38: stopped before the first turn, by another process: nothing is called, and a message opens a round', async () => {
  const { open } = world()
  const { model, agents } = asker([{ text: 'Hello.' }])
  const idle = await open(agents, { idle: true })
  const { run } = await helperOf(idle, 'asker').start('go')
  const page = await open([], { idle: true })
  expect(await helperOf(page, 'asker').stop({ run })).toEqual({ run, status: 'stopped' })
  await idle.start()
  expect(await helperOf(idle, 'asker').atRest(run)).toMatchObject({ status: 'stopped' })
  expect(model.calls).toBe(0)
  await helperOf(idle, 'asker').say({ run, text: 'now' })
  expect(await helperOf(idle, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Hello.' })
  expect(model.prompts[0]?.messages).toEqual([
    { role: 'user', content: 'go' },
    { role: 'user', content: 'now' },
  ])
})
