import { code, type Json, tool } from 'querent'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, resultsIn, typesOf, world } from '../engine/world.ts'

test('C40: where every tool is allowed, nothing but the person answers the question', async () => {
  const { open, clock } = world()
  const anything = tool({ name: 'anything', description: 'all', input: {}, approval: false, execute: () => 'did' })
  const { model, agents } = asker(
    [
      { calls: [{ tool: 'anything', input: {} }] },
      { calls: [ask('May I?'), { tool: 'anything', input: { answer: 'yes', step: 'question 2.1' } }] },
      { text: 'ok' },
    ],
    { tools: [anything], access: 'everyone', guards: { in: [() => true], out: [() => true] } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  clock.advance(86_400_000)
  expect(await ann.atRest(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 2.1' }] })
  expect(model.calls).toBe(2)
  await ann.approve({ run, step: 'question 2.1', data: 'yes' })
  await ann.atRest(run)
  expect(resultsIn(model.prompts[2])[0]).toEqual({ type: 'text', value: 'yes' })
})

const empty: [string, Json, Json][] = [
  ['an empty list for multi', { question: 'Which?', choices: ['a', 'b'], multi: true }, []],
  ['an empty required text', { question: 'Name?' }, ''],
  ['a blank required text', { question: 'Name?' }, ' \n'],
]

test.each(empty)('C40: %s is T0002, and the ask still waits', async (_, input, data) => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [{ tool: 'question', input }] }, { text: 'ok' }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  expect(await refusal(ann.approve({ run, step: 'question 1.1', data }))).toMatchObject({
    code: code.T0002,
    data: { issues: [{ path: '' }] },
  })
  expect(await ann.run(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
  expect(model.calls).toBe(1)
})

test('C40: a write that fails while answering: the person gets an error, the model nothing, the ask still waits', async () => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [ask('Name?')] }, { text: 'ok' }])
  let full = true
  const engine = await open(agents, {
    atPoint({ transition, when }) {
      if (transition === 'settleAsk' && when === 'before' && full) throw new Error('the disk is full')
    },
  })
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const parked = await ann.atRest(run)
  await expect(ann.approve({ run, step: 'question 1.1', data: 'Ann' })).rejects.toThrow('the disk is full')
  await expect(ann.refuse({ run, step: 'question 1.1' })).rejects.toThrow('the disk is full')
  expect(await ann.run(run)).toEqual(parked)
  expect(typesOf(await engine.runs.log(run))).not.toContain('ask.settled')
  expect(model.calls).toBe(1)
  full = false
  await ann.approve({ run, step: 'question 1.1', data: 'Ann' })
  expect((await ann.atRest(run)).status).toBe('done')
  expect(model.calls).toBe(2)
})
