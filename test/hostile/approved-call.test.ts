import { agent, defaultTexts, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, resultsIn, world } from '../engine/world.ts'

/* Leave to run a call is leave for what was shown, and for nothing else: whoever changes the database in between has none. */

const from = '"amount":5'
const to = '"amount":5000'

function cashier(editable = false) {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'integer' } } },
    approval: { editable },
    execute: (input) => {
      paid.push(input)
      return 'paid'
    },
  })
  const model = scriptedModel([{ calls: [{ tool: 'pay', input: { amount: 5 } }] }, { text: 'Done.' }])
  return { paid, model, agents: [agent('cashier', { model, tools: [pay] })] }
}

async function parked(options?: { editable: boolean }) {
  const place = world()
  const { paid, model, agents } = cashier(options?.editable)
  const engine = await place.open(agents)
  const ann = helperOf(engine, 'cashier')
  const { run } = await ann.start('pay bob')
  await ann.atRest(run)
  return { ...place, paid, model, agents, engine, ann, at: { run, step: 'tool 1.1' } }
}

const tampered = (table: string, column: string) =>
  `UPDATE ${table} SET ${column} = replace(${column}, '${from}', '${to}') WHERE ${column} LIKE '%${from}%'`

const notRun = [{ type: 'error-text', value: defaultTexts.notAsApproved }]

describe('an approved call runs only as it was shown', () => {
  test('what was shown was changed before: the call does not run', async () => {
    const { database, ann, at, paid, model } = await parked()
    await database.execute(tampered('asks', 'opened'))
    const [ask] = (await ann.run(at.run)).asks
    expect(ask?.input).toEqual({ amount: 5000 })
    await ann.approve(at)
    expect((await ann.atRest(at.run)).status).toBe('done')
    expect(paid).toEqual([])
    expect(resultsIn(model.prompts[1])).toEqual(notRun)
  })

  test.each([false, true])('the call was changed after (input editable: %s): it does not run', async (editable) => {
    const { database, open, close, engine, at, paid, agents, model } = await parked({ editable })
    await close(engine)
    const idle = await open([], { idle: true })
    await helperOf(idle, 'cashier').approve(at, editable ? { data: { input: { amount: 6 } } } : {})
    await database.execute(tampered('events', 'data'))
    const ann = helperOf(await open(agents), 'cashier')
    expect((await ann.atRest(at.run)).status).toBe('done')
    expect(paid).toEqual([])
    expect(resultsIn(model.prompts[1])).toEqual(notRun)
  })

  test('nothing was changed: it runs, after a restart as well, and edited as the person said', async () => {
    const { open, close, engine, at, paid, agents } = await parked({ editable: true })
    await close(engine)
    const idle = await open([], { idle: true })
    await helperOf(idle, 'cashier').approve(at, { data: { input: { amount: 6 } } })
    const ann = helperOf(await open(agents), 'cashier')
    expect((await ann.atRest(at.run)).status).toBe('done')
    expect(paid).toEqual([{ amount: 6 }])
  })

  test('what was shown is in the log', async () => {
    const { engine, ann, at } = await parked()
    await ann.approve(at)
    await ann.atRest(at.run)
    const settled = (await engine.runs.log(at.run)).find(({ type }) => type === 'ask.settled')
    expect(settled?.data).toMatchObject({ outcome: 'approved', shown: expect.stringMatching(/^[\w-]{43}$/) })
  })
})
