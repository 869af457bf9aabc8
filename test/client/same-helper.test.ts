import { type Ask, agent, code, type Helper, type Json, type PersonHandle } from 'querent'
import type { QuerentError } from 'querent/client'
import { scriptedModel } from 'querent/testing'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { ask, asker, helperOf, refusal, resultsIn, world } from '../engine/world.ts'
import { serve } from '../server/served.ts'

/** Ann in process and over HTTP, on one engine. */
async function both(agents: Parameters<ReturnType<typeof world>['open']>[0]) {
  const { open } = world()
  const engine = await open(agents)
  const served = await serve(engine)
  const near: PersonHandle = engine.as({ id: 'ann' })
  const far: PersonHandle = served.client('ann')
  return { engine, served, near, far }
}

describe('over HTTP a person sees and hears what they do in process', () => {
  test('views, lists and streams are the same, value by value', async () => {
    const { near, far } = await both(asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'Done.' }]).agents)
    const { run } = await far.agent('asker').start([{ type: 'text', text: 'a shirt' }])
    expect(await far.agent('asker').atRest(run)).toEqual(await near.agent('asker').run(run))
    const same = async <T>(look: (person: PersonHandle) => Promise<T>) => {
      const [here, there] = [await look(near), await look(far)]
      expect(there).toEqual(here)
      return here
    }
    expect(await same((person) => person.asks())).toHaveLength(1)
    await same((person) => person.askPage({ limit: 1 }))
    await same((person) => person.agent('asker').run(run))
    await same((person) => person.runs.get(run))
    expect(await same((person) => person.agent('asker').working())).toHaveLength(1)
    await same((person) => person.runs.list({ status: 'waiting', agent: 'asker', active: true, limit: 5 }))
    const settledFar = await far.agent('asker').approve({ run, step: 'question 1.1', data: 'M', answerId: 'a' })
    const settledNear = await near.agent('asker').approve({ run, step: 'question 1.1', data: 'M', answerId: 'a' })
    expect([settledFar.duplicate, settledNear.duplicate, settledFar.ask]).toEqual([false, true, settledNear.ask])
    await far.runs.atRest(run)
    const events = async (person: PersonHandle) => {
      const seen = []
      for await (const event of person.runs.watch(run, { after: 1 })) seen.push(event)
      return seen
    }
    expect((await same(events)).at(-1)).toMatchObject({ type: 'status', status: 'done' })
  })

  test('errors too: code, status, message and data', async () => {
    const shape = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
    const { engine, near, far } = await both(asker([{ calls: [ask({ question: 'Age?', shape })] }]).agents)
    const { run } = await near.agent('asker').start('go')
    await near.runs.atRest(run)
    const { run: system } = await engine.runs.start('asker', { input: 'go' })
    const tries: ((person: PersonHandle) => Promise<unknown>)[] = [
      (person) => person.runs.get('run_none'),
      (person) => person.runs.get(system),
      (person) => person.runs.approve({ run, step: 'question 1.1', data: { age: 'x' } }),
      (person) => person.runs.approve({ run, step: 'question 1.1' }),
      (person) => person.runs.approve({ run, step: 'question 9.9', data: 1 }),
      (person) => person.runs.approve({ run, id: 'ask_none' }, { data: 1 }),
      (person) => person.runs.refuse({ run: 'run_none', step: 'question 1.1' }),
      (person) => person.runs.list({ after: 'garbage' }),
    ]
    for (const attempt of tries) {
      const [here, there] = [await refusal(attempt(near)), await refusal(attempt(far))]
      expect(there).toEqual(here)
    }
    await near.runs.refuse({ run, step: 'question 1.1' })
    const late = (person: PersonHandle) => person.runs.approve({ run, step: 'question 1.1', data: { age: 1 } })
    expect(await refusal(late(far))).toEqual(await refusal(late(near)))
    expect(await refusal(late(far))).toMatchObject({ code: code.T0003, data: { outcome: 'refused' } })
  })
})

test('C13 over HTTP: answers to what is not there, settled, over or of another run change nothing', async () => {
  const { agents, model } = asker([{ calls: [ask('First?')] }, { calls: [ask('Second?'), ask('Third?')] }])
  const { engine, far } = await both(agents)
  const ann = far.agent('asker')
  const [a, b] = await Promise.all([ann.start('a'), ann.start('b')])
  await Promise.all([ann.atRest(a.run), ann.atRest(b.run)])
  await ann.approve({ run: a.run, step: 'question 1.1', data: 'yes' })
  await ann.atRest(a.run)
  await ann.stop({ run: b.run })

  const requests = model.calls
  const before = await Promise.all([engine.runs.log(a.run), engine.runs.log(b.run)])
  const stillOpen = (await ann.run(a.run)).asks
  const [second] = stillOpen as [Ask]
  const tries = [
    [() => ann.approve({ run: 'run_none', step: 'question 1.1', data: 'x' }), code.T0001],
    [() => ann.refuse({ run: 'run_none', step: 'question 1.1' }), code.T0001],
    [() => ann.approve({ run: a.run, step: 'question 1.1', data: 'x' }), code.T0003],
    [() => ann.refuse({ run: a.run, step: 'question 1.1' }), code.T0003],
    [() => ann.approve({ run: b.run, step: 'question 1.1', data: 'x' }), code.T0003],
    [() => ann.refuse({ run: b.run, step: 'question 1.1' }), code.T0003],
    [() => ann.approve({ run: b.run, step: 'question 2.1', data: 'x' }), code.T0006],
    [() => ann.approve({ ...second, run: b.run }, { data: 'x' }), code.T0006],
  ] as const
  for (const [attempt, wanted] of tries) expect(await refusal(attempt())).toMatchObject({ code: wanted })
  expect(await Promise.all([engine.runs.log(a.run), engine.runs.log(b.run)])).toEqual(before)
  expect((await ann.run(a.run)).asks).toEqual(stillOpen)
  expect(stillOpen).toHaveLength(2)
  expect(model.calls).toBe(requests)
})

const values: [Json, Json, Json[]][] = [
  [{ type: 'boolean' }, false, ['false', 0, null]],
  [{ type: 'integer' }, 0, ['0', false, null, '']],
  [{ type: 'string' }, '', [null, 0, false]],
  [{ type: ['string', 'null'] }, null, [0, false, []]],
  [{ type: 'array' }, [], [null, '', {}]],
]

test.each(values)(
  'C20 over HTTP: %j is answered with %j, and it reaches the model as that',
  async (shape, value, misfits) => {
    const turns = Array.from({ length: 3 }, () => ({ calls: [ask({ question: 'Value?', shape })] }))
    const { agents, model } = asker([...turns, { text: 'ok' }])
    const { far } = await both(agents)
    const ann = far.agent('asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    for (const misfit of misfits)
      expect(await refusal(ann.approve({ run, step: 'question 1.1', data: misfit }))).toMatchObject({
        code: code.T0002,
      })
    expect(await refusal(ann.approve({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0002 })
    expect(await refusal(ann.approve({ run, step: 'question 1.1', data: undefined }))).toMatchObject({
      code: code.T0002,
    })
    expect(await refusal(ann.approve({ run, step: 'question 1.2', data: value }))).toMatchObject({ code: code.T0006 })
    expect(model.calls).toBe(1)
    const ways = [
      () => ann.approve({ run, step: 'question 1.1', data: value }),
      () => ann.approve({ run, step: 'question 2.1' }, { data: value }),
      async () => ann.approve((await ann.run(run)).asks[0] as Ask, { data: value }),
    ]
    const told = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
    for (const [index, way] of ways.entries()) {
      await way()
      await ann.atRest(run)
      expect(resultsIn(model.prompts[index + 1])).toEqual([told])
    }
  },
)

test('C31 over HTTP: for anybody else, and for nobody, a run is not there; the backend gets T3101; its starter settles it', async () => {
  const { agents, model } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
  const { engine, served, far } = await both(agents)
  const ann = far.agent('asker')
  const { run } = await ann.start('go')
  const { asks } = await ann.atRest(run)
  const log = await engine.runs.log(run)
  const at = { run, step: 'question 1.1' }
  const stream = async (helper: Helper, id: string) => {
    for await (const _ of helper.watch(id));
  }
  for (const stranger of [served.client('bob'), served.client('')]) {
    const bob = stranger.agent('asker')
    const tries: ((id: string) => Promise<unknown>)[] = [
      (id) => bob.run(id),
      (id) => bob.atRest(id),
      (id) => stream(bob, id),
      (id) => bob.approve({ ...at, run: id, data: 'M' }),
      (id) => bob.approve({ ...(asks[0] as Ask), run: id }, { data: 'M' }),
      (id) => bob.refuse({ ...at, run: id }),
      (id) => bob.say({ run: id, text: 'hi' }),
      (id) => bob.stop({ run: id }),
    ]
    for (const attempt of tries) {
      const [theirs, none] = [await refusal(attempt(run)), await refusal(attempt('run_none'))]
      expect(theirs).toMatchObject({ code: code.T0001 })
      expect({ ...theirs, message: theirs.message.replace(run, 'run_none') }).toEqual(none)
    }
  }
  const bob = served.client('bob')
  expect(await bob.asks()).toEqual([])
  expect(await bob.agent('asker').working()).toEqual([])
  expect(await bob.runs.list()).toEqual({ items: [] })
  expect(await refusal(engine.runs.approve({ ...at, data: 'M' }))).toMatchObject({ code: code.T3101 })
  expect(await engine.runs.log(run)).toEqual(log)
  expect(model.calls).toBe(1)
  await ann.approve({ ...at, data: 'M' })
  expect((await ann.atRest(run)).status).toBe('done')
})

test('an agent that this process lacks is answered over HTTP as well', async () => {
  const { open } = world()
  const worker = await open(asker([{ calls: [ask('Size?')] }, { text: 'ok' }]).agents)
  const { run } = await helperOf(worker, 'asker').start('go')
  await helperOf(worker, 'asker').atRest(run)
  const page = await open([], { idle: true })
  const ann = (await serve(page)).client('ann').agent('asker')
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await ann.atRest(run)).status).toBe('done')
})

test('types come from the agent: its name, and the type of its output', async () => {
  const output = z.object({ size: z.string() })
  const model = scriptedModel([{ text: '{"size":"M"}' }])
  const shirts = agent('shirts', { model, output })
  const { far } = await both([shirts as never])
  const helper = far.agent<typeof shirts>('shirts')
  // @ts-expect-error The name is that of the agent.
  far.agent<typeof shirts>('trousers')
  const { run } = await helper.start('go')
  const view = await helper.atRest(run)
  expectTypeOf(view.output).toEqualTypeOf<{ size: string } | undefined>()
  expect(view.output).toEqual({ size: 'M' })
  expectTypeOf(far).toEqualTypeOf<PersonHandle>()
  expectTypeOf<QuerentError['code']>().toEqualTypeOf<import('querent').Code>()
})
