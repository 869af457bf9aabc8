import { type Engine, type RunEvent, tool } from 'querent'
import { expect, test } from 'vitest'
import { ask, asker, ended, helperOf, typesOf, world } from './world.ts'

const interrupted = 'Interrupted before its result was recorded. It may or may not have happened.'

/** What one life of the scenario did to the world outside, over all its processes. */
interface Outside {
  charges: number
  lookups: number
  requests: number
}

/** Asks, then looks something up beside a charge of money, then says so. */
function shop(outside: Outside) {
  const charge = tool({
    name: 'charge',
    description: 'charges',
    input: { type: 'object' },
    execute: () => `charged ${++outside.charges}`,
  })
  const look = tool({
    name: 'look',
    description: 'looks',
    input: { type: 'object' },
    retrySafe: true,
    execute: () => {
      outside.lookups++
      return 'found'
    },
  })
  const counted =
    <T>(turn: T) =>
    () => {
      outside.requests++
      return turn
    }
  return asker(
    [
      counted({ calls: [ask({ question: 'Pay?', choices: ['yes', 'no'] })] }),
      counted({
        calls: [
          { tool: 'charge', input: {} },
          { tool: 'look', input: {} },
        ],
      }),
      counted({ text: 'Paid.' }),
    ],
    { tools: [charge, look] },
  )
}

/** What a person does until their run is over: start it, answer it, each in a way that may be repeated. */
async function live(engine: Engine) {
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('buy it', { key: 'order 1' })
  const { asks } = await ann.atRest(run)
  if (asks[0]) await ann.approve(asks[0], { data: 'yes', answerId: 'click 1' })
  const view = await ended(ann, run)
  return { view, log: await engine.runs.log(run) }
}

/** The scenario with a death at its N-th point, and another process that goes on. None: how many points there are. */
async function dieAt(number?: number) {
  const { open, died } = world()
  const outside: Outside = { charges: 0, lookups: 0, requests: 0 }
  let points = 0
  const first = await open(shop(outside).agents, {
    atPoint: (point) => {
      points = point.number
    },
    dieAt: (point) => point.number === number,
  })
  const living = live(first)
  // How often an idle worker looks for work varies: the last points may not be reached in every life.
  const whole = await Promise.race([living, died(first)])
  const { view, log } = whole ?? (await live(await open(shop(outside).agents)))
  return { points, outside, view, log }
}

const settledIn = (log: RunEvent[]) => log.filter((event) => event.type === 'ask.settled')

test('G1, G2, G4, G6: a process dies before or after any transition of its store, and another goes on', async () => {
  const whole = await dieAt()
  expect(whole.view).toMatchObject({ status: 'done', text: 'Paid.' })
  expect(whole.outside).toMatchObject({ charges: 1, lookups: 1, requests: 3 })
  expect(whole.points).toBeGreaterThan(10)
  for (let number = 1; number <= whole.points; number++) {
    const { view, log, outside } = await dieAt(number)
    const where = `died at point ${number} of ${whole.points}`
    expect(view, where).toMatchObject({ status: 'done', text: 'Paid.' })
    expect(
      log.map(({ seq }) => seq),
      where,
    ).toEqual(log.map((_, index) => index + 1))
    expect(
      settledIn(log).map(({ data }) => data),
      where,
    ).toMatchObject([{ outcome: 'approved', data: 'yes' }])
    expect(typesOf(log).filter((type) => type === 'model.replied').length, where).toBe(3)
    // What may repeat (G4): the one request that was under way.
    expect(outside.requests, where).toBeLessThanOrEqual(4)
    const results = log.flatMap((event) => (event.type === 'tool.returned' ? [event.data.result.value] : []))
    // Never twice (G6); where nobody knows whether it happened, that is what the model hears.
    expect(outside.charges, where).toBeLessThanOrEqual(1)
    expect(results.slice(1).sort(), where).toEqual(
      [outside.charges === 1 && results.includes('charged 1') ? 'charged 1' : interrupted, 'found'].sort(),
    )
  }
})
