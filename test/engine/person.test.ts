import { code, type PersonEvent } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from './world.ts'

const turns = [{ calls: [ask('Size?')] }, { text: 'Thanks.' }]

/** The events of a person as they come, one by one. */
function eventsOf(events: AsyncIterable<PersonEvent>) {
  const iterator = events[Symbol.asyncIterator]()
  return { next: async () => (await iterator.next()).value as PersonEvent, leave: () => iterator.return?.() }
}

describe('a person’s runs, whichever agent works on them', () => {
  test('are listed, read and answered where no agent is', async () => {
    const { open } = world()
    const worker = await open(asker(turns).agents)
    const { run } = await helperOf(worker, 'asker').start('go')
    await helperOf(worker, 'asker').atRest(run)
    const page = await open([], { idle: true })
    const { runs } = page.as({ id: 'ann' })
    expect((await runs.list()).items).toMatchObject([{ run, asks: [{ step: 'question 1.1' }] }])
    const { asks } = await runs.get(run)
    await runs.approve({ run, id: asks[0]?.id as string }, { data: 'M' })
    expect((await runs.atRest(run)).status).toBe('done')
    const bob = page.as({ id: 'bob' })
    expect(await bob.runs.list()).toEqual({ items: [] })
    expect(await refusal(bob.runs.get(run))).toMatchObject({ code: code.T0001 })
  })

  test('go page by page; of an agent with former names all at once', async () => {
    const { open } = world()
    const { asker: old } = asker([])
    const before = await open([old], { idle: true })
    const first = await helperOf(before, 'asker').start('one')
    const after = await open([{ ...old, name: 'seller', aliases: ['asker'] }], { idle: true })
    const second = await helperOf(after, 'seller').start('two')
    const { runs } = after.as({ id: 'ann' })
    const page = await runs.list({ limit: 1 })
    const rest = await runs.list({ limit: 1, after: page.cursor as string })
    expect([page, rest].map(({ items }) => items[0]?.run)).toEqual([second.run, first.run])
    for (const agent of ['seller', 'asker']) {
      const { items, cursor } = await runs.list({ agent })
      expect([items.map(({ run }) => run).sort(), cursor]).toEqual([[first.run, second.run].sort(), undefined])
    }
  })

  test('a view says up to which line it goes: watching from there misses and repeats nothing', async () => {
    const { open } = world()
    const engine = await open(asker(turns).agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const view = await ann.atRest(run)
    expect(view.seq).toBe((await engine.runs.log(run)).at(-1)?.seq)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    const types: string[] = []
    for await (const event of ann.watch(run, { after: view.seq })) if ('seq' in event) types.push(event.type)
    expect(types).toEqual(['ask.settled', 'message', 'status'])
    const beyond = ann.watch(run, { after: 999 })[Symbol.asyncIterator]()
    expect(await refusal(beyond.next())).toMatchObject({ code: code.T0008, data: { after: 999 } })
  })
})

describe('a person’s lists as they change', () => {
  test('reach every stream that is open', async () => {
    const { open, clock } = world()
    const engine = await open(asker(turns).agents, { idle: true })
    const streams = [1, 2, 3].map(() => eventsOf(engine.as({ id: 'ann' }).events()))
    for (const stream of streams) {
      // By the clock of the engine, not by the machine's.
      const at = new Date(clock.now()).toISOString()
      expect(await stream.next()).toEqual({ type: 'snapshot', at, asks: [], runs: [] })
    }
    const { run } = await helperOf(engine, 'asker').start('go')
    for (const stream of streams) expect(await stream.next()).toMatchObject({ type: 'run', run: { run } })
    for (const stream of streams) await stream.leave()
  })

  test('where more wait than one list holds, each run still shows its own', async () => {
    const { open } = world()
    const many = { calls: Array.from({ length: 4 }, (_, index) => ask(`Question ${index}?`)) }
    const engine = await open(asker([many]).agents)
    for (let index = 0; index < 51; index++) {
      const { run } = await helperOf(engine, 'asker').start(`run ${index}`)
      await helperOf(engine, 'asker').atRest(run)
    }
    const stream = eventsOf(engine.as({ id: 'ann' }).events())
    const snapshot = (await stream.next()) as PersonEvent & { type: 'snapshot' }
    expect(snapshot.asks).toHaveLength(200)
    expect(snapshot.runs.map(({ asks }) => asks.length)).toEqual(Array.from({ length: 50 }, () => 4))
    await stream.leave()
  })

  test('end quietly when aborted', async () => {
    const { open } = world()
    const engine = await open([], { idle: true })
    const leaving = new AbortController()
    const seen: PersonEvent[] = []
    for await (const event of engine.as({ id: 'ann' }).events({ signal: leaving.signal })) {
      seen.push(event)
      leaving.abort()
    }
    expect(seen).toHaveLength(1)
  })
})
