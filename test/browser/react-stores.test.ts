import { type AgentRecord, type Ask, agent, type PersonEvent, type StreamOptions } from 'querent'
import type { AgentHook, RunHook } from 'querent/react'
import { scriptedModel } from 'querent/testing'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { RunState } from '../../src/react/run-store.ts'
import { Stores } from '../../src/react/stores.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { hastyClock, serve } from '../server/served.ts'

/* The stores under the hooks, without a browser: over HTTP and in process. */

const play = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'Ordered.' }, { text: 'Again.' }])

/** Resolves with the state of a run when it fits. */
function until(stores: Stores, run: string, fits: (state: RunState) => boolean): Promise<RunState> {
  const { promise, resolve } = Promise.withResolvers<RunState>()
  const look = () => {
    const state = stores.stateOf(run)
    if (fits(state)) resolve(state)
  }
  const leave = stores.watch(run, look)
  look()
  return promise.finally(leave)
}

/** A run of Ann's that waits, behind so many newer ones that her lists do not have it any more. */
async function behindFifty(agents: AgentRecord[]) {
  const { open } = world()
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('the oldest')
  await ann.atRest(run)
  const idle = await open(agents, { idle: true })
  for (let n = 0; n < 50; n++) await helperOf(idle, 'asker').start(`newer ${n}`)
  return { engine, run, ann }
}

test.for(['in process', 'over HTTP'])('%s: a run that is too old for the lists is live all the same', async (way) => {
  const { engine, run, ann } = await behindFifty(play().agents)
  const client = way === 'in process' ? engine.as({ id: 'ann' }) : (await serve(engine)).client('ann')
  const stores = new Stores(client, hastyClock)
  // Held over the whole test, as a page holds it.
  const leave = stores.watch(run, () => undefined)
  const asked = await until(stores, run, ({ status, messages }) => status === 'waiting' && messages.length === 3)
  expect(asked).toMatchObject({ title: 'the oldest', asks: [{ step: 'question 1.1' }], connection: { state: 'live' } })
  expect(stores.lists.current.runs.map((each) => each.run)).not.toContain(run)
  await stores.actions.approve(asked.asks[0] as never, { data: 'M' })
  expect(await until(stores, run, ({ status }) => status === 'done')).toMatchObject({ output: 'Ordered.', asks: [] })
  await stores.actions.say({ run, text: 'and again' })
  const again = await until(
    stores,
    run,
    ({ repeat, status, messages }) => repeat === 2 && status === 'done' && messages.length === 6,
  )
  const { seq: _, ...view } = await ann.run(run)
  expect(again).toMatchObject(view)
  leave()
})

test('two answers at once in the same words are one; in other words they are two', async () => {
  const { open } = world()
  const engine = await open(play().agents)
  const { run } = await helperOf(engine, 'asker').start('go')
  const { asks } = await helperOf(engine, 'asker').atRest(run)
  const { actions } = new Stores(engine.as({ id: 'ann' }), hastyClock)
  const [asked] = asks as [Ask]
  const first = actions.approve(asked, { data: 'M' })
  expect(actions.approve({ id: asked.id, run }, { data: 'M' })).toBe(first)
  const other = actions.approve(asked, { data: 'L' })
  expect(other).not.toBe(first)
  await expect(other).rejects.toMatchObject({ code: 'T0003' })
  expect(await first).toMatchObject({ duplicate: false })
  // The first is through: this is a new one.
  await expect(actions.approve(asked, { data: 'M' })).rejects.toMatchObject({ code: 'T0003' })
})

test('an ask that was settled here is gone at once, and does not come back with a list from before', async () => {
  const { open } = world()
  const engine = await open(play().agents)
  const { run } = await helperOf(engine, 'asker').start('go')
  await helperOf(engine, 'asker').atRest(run)
  const handle = engine.as({ id: 'ann' })
  const held = Promise.withResolvers<void>()
  // A line on which the list comes twice as it was, and then no more for long.
  async function* slowly(options?: StreamOptions): AsyncGenerator<PersonEvent> {
    for await (const event of handle.events(options)) {
      yield event
      await held.promise
      yield event
      return
    }
  }
  const { lists, actions } = new Stores({ ...handle, events: slowly }, hastyClock)
  const shown = () => [lists.current.asks.length, lists.current.runs[0]?.asks.length]
  const next = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return promise.finally(lists.subscribe(resolve))
  }
  const leave = lists.subscribe(() => undefined)
  while (lists.current.loading) await next()
  expect(shown()).toEqual([1, 1])
  const gone = next()
  await actions.refuse(lists.current.asks[0] as Ask)
  await gone
  expect(shown()).toEqual([0, 0])
  const told = next()
  held.resolve()
  await told
  expect(shown()).toEqual([0, 0])
  leave()
})

test('an ask that was settled here and is open again, in a database that was put back, is shown', async () => {
  const { open } = world()
  const engine = await open(play().agents)
  const { run } = await helperOf(engine, 'asker').start('go')
  await helperOf(engine, 'asker').atRest(run)
  const handle = engine.as({ id: 'ann' })
  const events = handle.events()[Symbol.asyncIterator]()
  const { value: before } = await events.next()
  await events.return?.()
  const settled = Promise.withResolvers<void>()
  async function* putBack(): AsyncGenerator<PersonEvent> {
    yield before
    await settled.promise
    yield { type: 'asks', asks: [] }
    yield before
  }
  const { lists, actions } = new Stores({ ...handle, events: putBack }, hastyClock)
  const shows = (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => lists.current.asks.length === count && lists.current.runs[0]?.asks.length === count && resolve()
    return promise.finally(lists.subscribe(look))
  }
  await shows(1)
  const gone = shows(0)
  await actions.refuse({ id: before.asks[0].id, run })
  await gone
  const isBack = shows(1)
  settled.resolve()
  await isBack
})

test('a run that is not in the database that the server came back with is unavailable', async () => {
  const { engine, run } = await behindFifty(play().agents)
  const served = await serve(engine)
  const stores = new Stores(served.client('ann'), hastyClock)
  const leave = stores.watch(run, () => undefined)
  await until(stores, run, ({ status }) => status === 'waiting')
  await served.kill()
  await serve(await world().open(play().agents), { port: Number(new URL(served.url).port) })
  const gone = await until(stores, run, ({ status }) => status !== 'waiting')
  expect(gone).toMatchObject({ status: 'unavailable', error: { code: 'T0001' } })
  leave()
})

test('the types are those of the agent', () => {
  const shirts = agent('shirts', { model: scriptedModel([]), output: z.object({ size: z.string() }) })
  expectTypeOf<RunHook<typeof shirts>['output']>().toEqualTypeOf<{ size: string } | undefined>()
  expectTypeOf<AgentHook<typeof shirts>['working'][number]['output']>().toEqualTypeOf<{ size: string } | undefined>()
  expectTypeOf<RunHook['output']>().toEqualTypeOf<unknown>()
})

test('a run that has gone on before the end of its first stream is told is watched on', async () => {
  const { open, clock } = world()
  const engine = await open(asker([{ text: 'One.' }, { text: 'Two.' }]).agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  const handle = engine.as({ id: 'ann' })
  const held = Promise.withResolvers<void>()
  async function* endingLate(...args: Parameters<typeof handle.runs.watch>) {
    yield* handle.runs.watch(...args)
    await held.promise
  }
  const stores = new Stores({ ...handle, runs: { ...handle.runs, watch: endingLate } }, hastyClock)
  const leave = stores.watch(run, () => undefined)
  await until(stores, run, ({ text }) => text === 'One.')
  clock.advance(1000)
  await ann.say({ run, text: 'More' })
  const { endedAt } = await ann.atRest(run)
  await until(stores, run, (state) => 'endedAt' in state && state.endedAt === endedAt)
  held.resolve()
  expect(await until(stores, run, ({ text }) => text === 'Two.')).toMatchObject({ status: 'done' })
  leave()
})
