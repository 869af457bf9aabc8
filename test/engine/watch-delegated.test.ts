import { type AgentRecord, agent, delegate, tool, type ViewEvent } from 'querent'
import { scriptedModel, type TurnSource } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { viewEvent } from '../../src/server/schemas.ts'
import { openStream, serve } from '../server/served.ts'
import { helperOf, world } from './world.ts'

const deploy = tool({
  name: 'deploy',
  description: 'Deploys.',
  input: { type: 'object' },
  approval: true,
  execute: () => 'deployed',
})
const callOf = (to: string) => ({ calls: [{ tool: to, input: { task: 'deploy it' } }] })
const deploying = { calls: [{ tool: 'deploy', input: {} }] }

/** A boss who has a clerk deploy, who may have a hand of their own for it. */
function family(
  clerkTurns: TurnSource[] = [deploying, {}],
  bossTurns: TurnSource[] = [callOf('clerk'), { text: 'Done.' }],
) {
  const hand = agent('hand', { model: scriptedModel([deploying, {}]), tools: [deploy] }) as AgentRecord
  const clerk = agent('clerk', { model: scriptedModel(clerkTurns), tools: [deploy, delegate(hand)] }) as AgentRecord
  const boss = agent('boss', { model: scriptedModel(bossTurns), tools: [delegate(clerk)], questions: true })
  return [boss as AgentRecord, clerk, hand]
}

/** What is seen of asks, and where: `line` has a `seq`, `below` does not. */
function told(events: readonly ViewEvent[]): string[] {
  return events.flatMap((event) => {
    const place = 'seq' in event ? 'line' : 'below'
    if (event.type === 'ask.opened') return [`${place} opened ${event.ask.step}`]
    if (event.type === 'ask.settled') return [`${place} ${event.end.outcome} ${event.ask.step} by ${event.end.by}`]
    if (event.type === 'tool') return [`${event.tool} ${event.state}`]
    return event.type === 'status' ? [event.status] : []
  })
}

async function whole(events: AsyncIterable<ViewEvent>): Promise<ViewEvent[]> {
  const all: ViewEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

describe('watching a run shows what the runs below it ask', () => {
  test('as it happens, in its place, with who answered; the conversation has it too', async () => {
    const { open } = world()
    const boss = helperOf(await open(family()), 'boss')
    const { run } = await boss.start('go')
    const watching = whole(boss.watch(run))
    const [ask] = (await boss.atRest(run)).asks
    await boss.approve({ run, step: String(ask?.step) })
    const seen = await watching
    expect(told(seen)).toEqual([
      'clerk started',
      'below opened tool 1.1/tool 1.1',
      'below approved tool 1.1/tool 1.1 by you',
      'clerk returned',
      'done',
    ])
    const begun = seen.find(({ type }) => type === 'tool') as ViewEvent & { type: 'tool' }
    const opened = seen.find(({ type }) => type === 'ask.opened')
    expect(opened).toEqual({ type: 'ask.opened', under: begun.seq, at: ask?.since, ask })
    const { messages, seq } = await boss.run(run)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'ask', 'assistant'])
    expect(messages[1]).toMatchObject({ seq: begun.seq, ask, end: { outcome: 'approved', by: 'you' } })
    expect(told(await whole(boss.watch(run)))).toEqual(told(seen))
    expect(seq).toBe(Math.max(...seen.map((event) => ('seq' in event ? event.seq : 0))))
  })

  test('of a grandchild; refused, with why', async () => {
    const { open } = world()
    const boss = helperOf(await open(family([callOf('hand'), {}])), 'boss')
    const { run } = await boss.start('go')
    const step = 'tool 1.1/tool 1.1/tool 1.1'
    const [ask] = (await boss.atRest(run)).asks
    expect(ask).toMatchObject({ step, path: ['boss', 'clerk', 'hand'] })
    await boss.refuse({ run, step }, { reason: 'not now' })
    const seen = await whole(boss.watch(run))
    expect(told(seen)).toEqual([
      'clerk started',
      `below opened ${step}`,
      `below refused ${step} by you`,
      'clerk returned',
      'done',
    ])
    expect(seen).toContainEqual(expect.objectContaining({ end: expect.objectContaining({ reason: 'not now' }) }))
  })

  test('stopped at the root: withdrawn, before the end; nothing of it is missed by who came late', async () => {
    const { open } = world()
    const boss = helperOf(await open(family()), 'boss')
    const { run } = await boss.start('go')
    const { seq } = await boss.atRest(run)
    const late = whole(boss.watch(run, { after: seq }))
    await boss.stop({ run })
    const expected = [
      'below opened tool 1.1/tool 1.1',
      'below withdrawn tool 1.1/tool 1.1 by run',
      'clerk returned',
      'stopped',
    ]
    expect(told(await late)).toEqual(expected)
  })

  test('in each round under its own call', async () => {
    const { open, clock } = world()
    const turns = [callOf('clerk'), { text: 'One.' }, callOf('clerk'), { text: 'Two.' }]
    const boss = helperOf(await open(family([deploying, {}], turns)), 'boss')
    const { run } = await boss.start('go')
    for (const round of [1, 2]) {
      const [ask] = (await boss.atRest(run)).asks
      clock.advance(1000)
      await boss.approve(ask as NonNullable<typeof ask>)
      await boss.atRest(run)
      clock.advance(1000)
      if (round === 1) await boss.say({ run, text: 'again' })
      clock.advance(1000)
    }
    const { messages } = await boss.run(run)
    expect(messages.map((line) => (line.role === 'ask' ? line.role : line.text))).toEqual([
      ...['go', 'ask', 'One.', 'again', 'ask', 'Two.'],
    ])
    const seen = await whole(boss.watch(run))
    const under = seen.flatMap((event) => (event.type === 'ask.opened' && 'under' in event ? [event.under] : []))
    const calls = seen.flatMap((event) => (event.type === 'tool' && event.state === 'started' ? [event.seq] : []))
    expect(under).toEqual(calls)
    const order = [
      'clerk started',
      'below opened tool 1.1/tool 1.1',
      'below approved tool 1.1/tool 1.1 by you',
      'clerk returned',
    ]
    expect(told(seen)).toEqual([...order, 'done', ...order, 'done'])
  })

  test('and to nobody else', async () => {
    const { open } = world()
    const engine = await open(family())
    const { run } = await helperOf(engine, 'boss').start('go')
    await helperOf(engine, 'boss').atRest(run)
    await expect(whole(helperOf(engine, 'boss', 'bob').watch(run))).rejects.toMatchObject({ code: 'T0001' })
  })
})

describe('over HTTP', () => {
  test('they come without an id, whole at each connection: Last-Event-ID stays a line of the log', async () => {
    const { open } = world()
    const engine = await open(family())
    const { run } = await helperOf(engine, 'boss').start('go')
    const { seq } = await helperOf(engine, 'boss').atRest(run)
    const { url } = await serve(engine)
    for (const lastEventId of ['', String(seq)]) {
      const stream = await openStream(`${url}/api/runs/${run}/events`, {
        as: 'ann',
        headers: lastEventId === '' ? {} : { 'last-event-id': lastEventId },
      })
      let sent = await stream.next()
      while (sent && (sent.data as ViewEvent).type !== 'ask.opened') sent = await stream.next()
      expect(sent).toMatchObject({ data: { under: expect.any(Number), ask: { step: 'tool 1.1/tool 1.1' } } })
      expect(sent?.id).toBeUndefined()
      expect(viewEvent.parse(sent?.data)).toEqual(sent?.data)
      await stream.close()
    }
  })

  test('the client gives each once, whatever happens to its connections', async () => {
    const { open } = world()
    const engine = await open(family())
    const boss = helperOf(engine, 'boss')
    const { run } = await boss.start('go')
    await boss.atRest(run)
    const first = await serve(engine)
    const seen: ViewEvent[] = []
    const isOpen = Promise.withResolvers<void>()
    const watching = (async () => {
      for await (const event of first.client('ann').runs.watch(run)) {
        seen.push(event)
        if (event.type === 'ask.opened') isOpen.resolve()
      }
    })()
    await isOpen.promise
    await first.kill()
    await serve(engine, { port: Number(new URL(first.url).port) })
    await boss.approve({ run, step: 'tool 1.1/tool 1.1' })
    await watching
    expect(told(seen)).toEqual([
      'clerk started',
      'below opened tool 1.1/tool 1.1',
      'below approved tool 1.1/tool 1.1 by you',
      'clerk returned',
      'done',
    ])
  })
})
