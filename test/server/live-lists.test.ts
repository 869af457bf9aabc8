import type { PersonEvent } from 'querent'
import { type AgentRecord, agent, delegate, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { openStream, type Stream, serve } from './served.ts'

const play = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }])

/** Events of a person's stream until one fits. */
async function until(stream: Stream, fits: (event: PersonEvent) => boolean): Promise<PersonEvent[]> {
  const seen: PersonEvent[] = []
  for (;;) {
    const sent = await stream.next()
    if (!sent) throw new Error(`The stream ended before it came: ${JSON.stringify(seen)}`)
    seen.push(sent.data as PersonEvent)
    if (fits(sent.data as PersonEvent)) return seen
  }
}

const isEmpty = (event: PersonEvent) => event.type === 'asks' && event.asks.length === 0

describe('what waits for a person', () => {
  test('a snapshot first, then asks and runs as they change', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    const stream = await openStream(`${(await serve(engine)).url}/api/events`, { as: 'ann' })
    expect((await stream.next())?.data).toMatchObject({ type: 'snapshot', asks: [], runs: [{ run, status: 'ready' }] })
    await engine.start()
    const asked = await until(stream, (event) => event.type === 'asks')
    expect(asked.at(-1)).toMatchObject({ asks: [{ run, step: 'question 1.1' }] })
    await until(stream, (event) => event.type === 'run' && event.run.status === 'waiting')
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await until(stream, isEmpty)
    const done = await until(stream, (event) => event.type === 'run' && event.run.status === 'done')
    expect(done.at(-1)).toEqual({ type: 'run', run: (await engine.as({ id: 'ann' }).runs.list()).items[0] })
    const other = await ann.start('another')
    await until(stream, (event) => event.type === 'run' && event.run.run === other.run)
  })

  test('nothing of anybody else', async () => {
    const { open } = world()
    const engine = await open(play().agents)
    const stream = await openStream(`${(await serve(engine)).url}/api/events`, { as: 'bob' })
    await stream.next()
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    await helperOf(engine, 'asker').atRest(run)
    const own = await helperOf(engine, 'asker', 'bob').start('mine')
    const seen = await until(stream, (event) => event.type === 'run' && event.run.run === own.run)
    expect(JSON.stringify(seen)).not.toContain(run)
  })

  test('what another process did, with no worker here; one that stops answers nobody any more', async () => {
    const { open } = world()
    const page = await open([], { idle: true })
    const worker = await open(play().agents)
    const stream = await openStream(`${(await serve(page)).url}/api/events`, { as: 'ann' })
    expect((await stream.next())?.data).toMatchObject({ type: 'snapshot', asks: [], runs: [] })
    const { run } = await helperOf(worker, 'asker').start('a shirt')
    await until(stream, (event) => event.type === 'asks' && event.asks[0]?.run === run)
    await helperOf(worker, 'asker').stop({ run })
    await until(stream, isEmpty)
  })

  test('an ask leaves the list at its deadline, though nobody works and nothing is written', async () => {
    const { open, clock, close } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }], { limits: { ask: '30m' } })
    const worker = await open(agents)
    const { run } = await helperOf(worker, 'asker').start('a shirt')
    await helperOf(worker, 'asker').atRest(run)
    await close(worker)
    const page = await open(agents, { idle: true })
    // The page writes once before: a connection that is new to a file takes all of it for news, and would look by itself.
    await helperOf(page, 'asker').start('another')
    const stream = await openStream(`${(await serve(page)).url}/api/events`, { as: 'ann' })
    expect((await stream.next())?.data).toMatchObject({ type: 'snapshot', asks: [{ run }] })
    const gone = until(stream, isEmpty)
    clock.advance(30 * 60_000 + 1)
    const [first] = await gone
    expect(first).toEqual({ type: 'asks', asks: [] })
  })

  test('a new snapshot where a run was erased', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    await helperOf(engine, 'asker').stop({ run })
    const stream = await openStream(`${(await serve(engine)).url}/api/events`, { as: 'ann' })
    await stream.next()
    await engine.runs.erase(run)
    const [first] = await until(stream, (event) => event.type === 'snapshot')
    expect(first).toMatchObject({ type: 'snapshot', asks: [], runs: [] })
  })
})

/** A parent whose child must be allowed to deploy. */
function family(): AgentRecord[] {
  const deploy = tool({
    name: 'deploy',
    description: 'Deploys.',
    input: { type: 'object' },
    approval: true,
    execute: () => 'deployed',
  })
  const child = agent('clerk', {
    model: scriptedModel([{ calls: [{ tool: 'deploy', input: {} }] }, {}]),
    tools: [deploy],
  })
  const turns = [{ calls: [{ tool: 'clerk', input: { task: 'deploy it' } }] }, { text: 'Done.' }]
  const boss = agent('boss', { model: scriptedModel(turns), tools: [delegate(child)] })
  return [boss, child] as AgentRecord[]
}

test('C38: the root is stopped without a worker: every ask is gone from the lists, live; a late answer is T0003', async () => {
  const { open, close } = world()
  const worker = await open(family())
  const { run } = await helperOf(worker, 'boss').start('go')
  await helperOf(worker, 'boss').atRest(run)
  await close(worker)
  const page = await open(family(), { idle: true })
  const served = await serve(page)
  const stream = await openStream(`${served.url}/api/events`, { as: 'ann' })
  const snapshot = (await stream.next())?.data as PersonEvent & { type: 'snapshot' }
  expect(snapshot.asks).toMatchObject([{ run, path: ['boss', 'clerk'], tool: 'deploy' }])
  const log = await openStream(`${served.url}/api/runs/${run}/events`, { as: 'ann' })
  expect(await served.ask(`/api/runs/${run}/stop`, { as: 'ann', body: {} })).toMatchObject({
    status: 202,
    body: { run, status: 'stopped' },
  })
  await until(stream, isEmpty)
  expect((await log.rest()).at(-1)).toEqual({ event: 'end', data: {} })
  const late = await served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: { ask: snapshot.asks[0]?.id } })
  expect(late).toMatchObject({ status: 409, body: { code: 'T0003' } })
})

test('C38: stop and approve at the same moment, over HTTP: exactly one wins', async () => {
  const { open } = world()
  const engine = await open(play().agents)
  const served = await serve(engine)
  const ann = helperOf(engine, 'asker')
  for (let race = 0; race < 20; race++) {
    const { run } = await ann.start(`shirt ${race}`)
    await ann.atRest(run)
    const answers = [
      served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: { step: 'question 1.1', data: 'M' } }),
      served.ask(`/api/runs/${run}/stop`, { as: 'ann', body: {} }),
    ]
    const [approved, stopped] = await Promise.all(race % 2 ? answers : answers.reverse()).then((both) =>
      race % 2 ? both : both.reverse(),
    )
    expect(stopped?.status).toBe(202)
    const ends = (await engine.runs.log(run)).flatMap((event) => (event.type === 'ask.settled' ? [event.data] : []))
    expect(ends).toHaveLength(1)
    expect(ends[0]?.outcome).toBe(approved?.status === 200 ? 'approved' : 'withdrawn')
    if (approved?.status !== 200) expect(approved).toMatchObject({ status: 409, body: { code: 'T0003' } })
  }
})
