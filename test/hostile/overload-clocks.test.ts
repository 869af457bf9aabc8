import { type AgentRecord, createEngine, type Engine, tool } from 'querent'
import { fakeClock } from 'querent/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, asker, ended, helperOf, typesOf, world } from '../engine/world.ts'
import { onPostgres } from '../setup/test-store.ts'

/*
 * Clocks are set, forward and back, under a process that works, and differ between processes. Leases may end too early and
 * too late by it; no answer may be lost, nothing written twice, and no tool started again that may not be.
 */

const dayMs = 24 * 60 * 60_000

/** A clock that can be set, as an administrator sets one: timers count on, and `now` jumps. */
function settableClock() {
  const clock = fakeClock()
  let offsetMs = 0
  return {
    clock: { ...clock, now: () => clock.now() + offsetMs },
    set: (ms: number) => {
      offsetMs += ms
    },
    advance: (ms: number) => clock.advance(ms),
  }
}

/** An engine on a world's database with a clock of its own. */
async function openAt(
  database: ReturnType<typeof world>['database'],
  agents: readonly AgentRecord[],
  clock: ReturnType<typeof settableClock>,
) {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const engine = createEngine({ agents, store: database.open({ clock: clock.clock }), clock: clock.clock, logger })
  onTestFinished(() => engine.close())
  await engine.start()
  return engine
}

/** Every line once, one after another, and every ask settled once at most. */
async function expectWhole(engine: Engine, run: string) {
  const log = await engine.runs.log(run)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  const settled = log.flatMap((event) => (event.type === 'ask.settled' ? [event.data.ask] : []))
  expect(settled).toEqual([...new Set(settled)])
  return log
}

describe.each([dayMs, -dayMs])('the clock is set by %i ms', (jumpMs) => {
  test('while a run is parked: the answer counts, and the run goes on', async () => {
    const { database } = world()
    const time = settableClock()
    const engine = await openAt(database, asker([{ calls: [ask('Size?')] }, { text: 'Thanks.' }]).agents, time)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    time.set(jumpMs)
    time.advance(3_000)
    expect(await engine.as({ id: 'ann' }).asks()).toHaveLength(1)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    expect((await ann.atRest(run)).text).toBe('Thanks.')
    await expectWhole(engine, run)
  })

  test('while a tool works: it ran once, and its run comes to its end', async () => {
    const { database } = world()
    const time = settableClock()
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<string>()
    let runs = 0
    const charge = tool({
      name: 'charge',
      description: 'Charges.',
      input: { type: 'object' },
      execute: () => {
        runs++
        begun.resolve()
        return gate.promise
      },
    })
    const turns = [{ calls: [{ tool: 'charge', input: {} }] }, { text: 'Done.' }]
    const engine = await openAt(database, asker(turns, { tools: [charge] }).agents, time)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    time.set(jumpMs)
    // Renewals and looks around come due, as they do every few seconds.
    for (let seconds = 0; seconds < 5; seconds++) time.advance(3_000)
    gate.resolve('charged')
    expect((await ann.atRest(run)).text).toBe('Done.')
    expect(runs).toBe(1)
    await expectWhole(engine, run)
  })

  test('where an ask has an hour: set forward it has expired, set back it waits, and its end is one', async () => {
    const { database } = world()
    const time = settableClock()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'Thanks.' }], { limits: { ask: '1h' } })
    const engine = await openAt(database, agents, time)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    time.set(jumpMs)
    const isPast = jumpMs > 0
    expect(await engine.as({ id: 'ann' }).asks()).toHaveLength(isPast ? 0 : 1)
    const answer = ann.approve({ run, step: 'question 1.1', data: 'M' })
    if (isPast) await expect(answer).rejects.toMatchObject({ code: 'T0005' })
    else await answer
    // Timers know nothing of the jump: an engine looks every two seconds.
    time.advance(2_000)
    expect((await ended(ann, run)).status).toBe('done')
    const log = await expectWhole(engine, run)
    expect(typesOf(log).filter((type) => type === 'ask.settled')).toHaveLength(1)
  })
})

// On Postgres the clock of the database rules: what processes have for one is nothing to it.
describe.skipIf(onPostgres).each([dayMs, -dayMs])('two processes whose clocks differ by %i ms', (skewMs) => {
  test('both work, both are answered: every run ends, each ask is settled once, no line is written twice', async () => {
    const { database } = world()
    const [here, there] = [settableClock(), settableClock()]
    there.set(skewMs)
    const agentsOf = () => asker([{ calls: [ask('Size?')] }, { calls: [ask('Colour?')] }, { text: 'Thanks.' }]).agents
    const first = await openAt(database, agentsOf(), here)
    const second = await openAt(database, agentsOf(), there)
    const started = await Promise.all(
      Array.from({ length: 20 }, (_, index) => helperOf(index % 2 ? first : second, 'asker').start(`run ${index}`)),
    )
    const tick = () => {
      for (const clock of [here, there]) clock.advance(3_000)
    }
    for (const [index, { run }] of started.entries()) {
      const engines = index % 3 ? [first, second] : [second, first]
      for (const [turn, engine] of engines.entries()) {
        await helperOf(engine as Engine, 'asker').atRest(run)
        tick()
        const at = { run, step: `question ${turn + 1}.1`, data: 'M' }
        const both = await Promise.allSettled([first, second].map((each) => helperOf(each, 'asker').approve(at)))
        expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      }
    }
    for (const { run } of started) {
      expect((await helperOf(first, 'asker').atRest(run)).text).toBe('Thanks.')
      await expectWhole(second, run)
    }
  })

  test('a tool that works here is not started again there, though its lease looks long gone', async () => {
    const { database } = world()
    const [here, there] = [settableClock(), settableClock()]
    there.set(skewMs)
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<string>()
    let runs = 0
    const agentsOf = () => {
      const charge = tool({
        name: 'charge',
        description: 'Charges.',
        input: { type: 'object' },
        execute: () => {
          runs++
          begun.resolve()
          return gate.promise
        },
      })
      return asker([{ calls: [{ tool: 'charge', input: {} }] }, { text: 'Done.' }], { tools: [charge] }).agents
    }
    const first = await openAt(database, agentsOf(), here)
    const ann = helperOf(first, 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    const second = await openAt(database, agentsOf(), there)
    for (let seconds = 0; seconds < 5; seconds++) {
      there.advance(3_000)
      here.advance(3_000)
    }
    gate.resolve('charged')
    expect((await helperOf(second, 'asker').atRest(run)).text).toBe('Done.')
    expect(runs).toBe(1)
    await expectWhole(second, run)
  })
})
