import { type AgentOptions, code, createEngine, type OnExpire } from 'querent'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ask, asker, ended, helperOf, refusal, resultsIn, world } from '../engine/world.ts'

const dayMs = 86_400_000
const yearMs = 365 * dayMs

const play = (options: AgentOptions) =>
  asker([{ calls: [ask({ question: 'Size?', choices: ['S', 'M'] })] }, { text: 'Ordered.' }], options)

test('C34: without a limit an ask waits for ten years, and is answered then', async () => {
  const { open, close, clock } = world()
  const first = await open(play({}).agents)
  const { run } = await helperOf(first, 'asker').start('a shirt')
  const { asks } = await helperOf(first, 'asker').atRest(run)
  expect(asks[0]).not.toHaveProperty('until')
  clock.advance(5 * yearMs)
  await close(first)
  clock.advance(5 * yearMs)
  const second = await open(play({}).agents)
  const ann = helperOf(second, 'asker')
  expect((await ann.run(run)).asks).toEqual(asks)
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await ann.atRest(run)).status).toBe('done')
})

const refused = 'The person refused this.'
const nobody = 'Nobody answered in time. This is not a refusal.'

const expiries: [OnExpire, string | undefined][] = [
  ['refuse', refused],
  ['tell', nobody],
  [{ answer: 'M' }, 'Nobody answered in time. This is the default answer, not the person’s: M'],
  [{ answer: 'XL' }, nobody],
  [{ answer: null }, nobody],
  ['fail', undefined],
]

test.each(expiries)('C34: onExpire %j: what follows the deadline, and how it is marked', async (onExpire, told) => {
  const { open, clock, armed } = world()
  const { model, agents } = play({ limits: { ask: '7d' }, onExpire })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('a shirt')
  const { asks } = await ann.atRest(run)
  expect(Date.parse(asks[0]?.until as string) - Date.parse(asks[0]?.since as string)).toBe(7 * dayMs)
  await armed(7 * dayMs + 1)
  clock.advance(7 * dayMs)
  expect((await ann.run(run)).asks).toEqual(asks)
  clock.advance(1)
  const late = ann.approve({ run, step: 'question 1.1', data: 'S' })
  expect(await refusal(late)).toMatchObject({ code: code.T0005 })

  const over = await ended(ann, run)
  const log = await engine.runs.log(run)
  expect(log.find((event) => event.type === 'ask.settled')?.data).toMatchObject({
    outcome: 'expired',
    by: { type: 'clock' },
  })
  expect(over.messages.find((line) => line.role === 'ask')).toMatchObject({ end: { outcome: 'expired', by: 'clock' } })
  if (told === undefined) {
    expect(over).toMatchObject({ status: 'failed', error: { code: code.T2004 } })
    expect(model.calls).toBe(1)
  } else {
    expect(over).toMatchObject({ status: 'done', text: 'Ordered.' })
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: told }])
  }
  expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'S' }))).toMatchObject({ code: code.T0005 })
})

test('C34: a late answer is T0005 before anybody has noticed the deadline, and the ask is in no list', async () => {
  const { open, close, clock } = world()
  const first = await open(play({ limits: { ask: '1h' } }).agents)
  const { run } = await helperOf(first, 'asker').start('a shirt')
  await helperOf(first, 'asker').atRest(run)
  await close(first)
  clock.advance(3_600_001)
  const page = await open([], { idle: true })
  const ann = helperOf(page, 'asker')
  const { until } = (await refusal(ann.approve({ run, step: 'question 1.1', data: 'S' }))).data
  expect(Date.parse(String(until))).toBe(clock.now() - 1)
  expect(await refusal(ann.refuse({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0005 })
  expect(await page.as({ id: 'ann' }).asks()).toEqual([])
  expect((await ann.run(run)).asks).toEqual([])
})

test('C34: an answer accepted before the deadline stays one, though the run goes on after it', async () => {
  const { open, close, clock } = world()
  const first = await open(play({ limits: { ask: '1h' }, onExpire: 'fail' }).agents)
  const { run } = await helperOf(first, 'asker').start('a shirt')
  await helperOf(first, 'asker').atRest(run)
  await close(first)
  clock.advance(3_600_000)
  const page = await open([], { idle: true })
  await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'S' })
  clock.advance(dayMs)
  const { model, agents } = play({ limits: { ask: '1h' }, onExpire: 'fail' })
  const worker = await open(agents)
  expect((await ended(helperOf(worker, 'asker'), run)).status).toBe('done')
  expect(resultsIn(model.prompts[0])).toEqual([{ type: 'text', value: 'S' }])
})

const deploys: [OnExpire, OnExpire, string | undefined][] = [
  ['tell', 'fail', nobody],
  ['fail', 'tell', undefined],
  [{ answer: 'M' }, { answer: 'S' }, 'Nobody answered in time. This is the default answer, not the person’s: M'],
]

test.each(deploys)(
  'C34: asked under %j, deployed with %j: the rule it was asked under holds',
  async (old, now, told) => {
    const { open, close, clock } = world()
    const first = await open(play({ limits: { ask: '1d' }, onExpire: old }).agents)
    const { run } = await helperOf(first, 'asker').start('a shirt')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    clock.advance(dayMs + 1)
    const { model, agents } = play({ limits: { ask: '30d' }, onExpire: now })
    const second = await open(agents)
    const over = await ended(helperOf(second, 'asker'), run)
    if (told === undefined) expect(over).toMatchObject({ status: 'failed', error: { code: code.T2004 } })
    else expect(resultsIn(model.prompts[0])).toEqual([{ type: 'text', value: told }])
  },
)

const deadlines = [24 * dayMs, 25 * dayMs, 30 * dayMs, 5 * yearMs]

test.each([false, true])('C36: deadlines of 24, 25, 30 days and five years; restarted: %s', async (restart) => {
  const { open, close, clock, armed } = world()
  const agents = () =>
    deadlines.map((waitMs, index) => {
      const { asker: record } = play({ limits: { ask: waitMs }, onExpire: 'fail' })
      return { ...record, name: `asker${index}` }
    })
  let engine = await open(agents())
  const runs: string[] = []
  for (const index of deadlines.keys()) {
    const ann = helperOf(engine, `asker${index}`)
    const { run } = await ann.start('go')
    await ann.atRest(run)
    runs.push(run)
  }
  if (restart) {
    await close(engine)
    engine = await open(agents())
  }
  clock.advance(1000)
  const statuses = async () =>
    Promise.all(runs.map(async (run, index) => (await helperOf(engine, `asker${index}`).run(run)).status))
  expect(await engine.as({ id: 'ann' }).asks()).toHaveLength(4)
  expect(await statuses()).toEqual(['waiting', 'waiting', 'waiting', 'waiting'])

  const start = clock.now() - 1000
  for (const [index, waitMs] of deadlines.entries()) {
    clock.advance(start + waitMs - clock.now())
    expect((await engine.as({ id: 'ann' }).asks()).length).toBe(4 - index)
    await armed(index === 0 ? waitMs + 1 : waitMs - (deadlines[index - 1] as number))
    clock.advance(1)
    expect((await ended(helperOf(engine, `asker${index}`), runs[index] as string)).status).toBe('failed')
    expect((await engine.as({ id: 'ann' }).asks()).length).toBe(3 - index)
  }
})

test('C36: on the system clock no timer is longer than a timer can be', async () => {
  const { database } = world()
  const delays: number[] = []
  let deadlineArmed = Promise.withResolvers<void>()
  const real = globalThis.setTimeout
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delayMs = 0) => {
    delays.push(delayMs)
    if (delayMs > 20 * dayMs) deadlineArmed.resolve()
    return real(callback, delayMs)
  }) as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
  for (const waitMs of deadlines) {
    const engine = createEngine({ agents: play({ limits: { ask: waitMs } }).agents, store: database.open() })
    await engine.start()
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
    await deadlineArmed.promise
    deadlineArmed = Promise.withResolvers()
    await ann.stop({ run })
    await engine.close()
  }
  const longest = 2 ** 31 - 1
  expect(delays.filter((delayMs) => delayMs > longest)).toEqual([])
  expect(delays.filter((delayMs) => delayMs === longest).length).toBeGreaterThanOrEqual(3)
})

test('C36: 300 parked asks with deadlines hold no timers: there are only those that the engine has for itself', async () => {
  const { open, clock } = world()
  const engine = await open(play({ limits: { ask: '30d' } }).agents)
  const ann = helperOf(engine, 'asker')
  const park = async () => ann.atRest((await ann.start('go')).run)
  await Promise.all(Array.from({ length: 300 }, park))
  // One to look for dead workers, one to renew claims, one for the nearest deadline.
  expect(clock.timers).toBeLessThanOrEqual(3)
  expect(await engine.as({ id: 'ann' }).asks({ limit: 200 })).toHaveLength(200)
  await engine.stop()
  expect(clock.timers).toBe(0)
})
