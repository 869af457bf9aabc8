import { code, tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, typesOf, world } from './world.ts'

const look = tool({ name: 'look', description: 'reads', input: { type: 'object' }, retrySafe: true, execute: () => 1 })
const looking = { calls: [{ tool: 'look', input: {} }] }

test('T2001: the run fails when one more model call is needed than the round may have, not before', async () => {
  const { open } = world()
  const engine = await open(asker([looking, looking, { text: 'ok' }], { tools: [look], limits: { steps: 3 } }).agents)
  const ann = helperOf(engine, 'asker')
  const within = await ann.start('go')
  expect((await ann.atRest(within.run)).status).toBe('done')

  const { model, agents } = asker([looking, looking, looking, { text: 'ok' }], { tools: [look], limits: { steps: 3 } })
  const second = await world().open(agents)
  const bob = helperOf(second, 'asker')
  const { run } = await bob.start('go')
  const failed = await bob.atRest(run)
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: code.T2001, message: expect.stringMatching(/3 model calls \(limits\.steps\)/) },
  })
  expect(model.calls).toBe(3)
  // A new round has its own model calls, and a prompt that is well formed.
  await bob.say({ run, text: 'go on' })
  expect(await bob.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
  expect(wellFormed(model.prompts[3]?.messages ?? [])).toEqual([])
})

test('T2001: in the last turn of a round nobody is asked, since no call is left to hear the answer', async () => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }], { limits: { steps: 1 } })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'failed', asks: [], error: { code: code.T2001 } })
  expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  expect(model.calls).toBe(1)
})

test('T2002: output tokens are counted over the run, and the next call may use what is left', async () => {
  const { open } = world()
  const usage = { inputTokens: 1, outputTokens: 40 }
  const { model, agents } = asker(
    [{ ...looking, usage }, { text: 'One.', usage }, { ...looking, usage }, { text: 'Never.' }],
    { tools: [look], limits: { perRun: { tokensOut: 100 } }, settings: { maxOutputTokens: 70 } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.say({ run, text: 'more' })
  expect(await ann.atRest(run)).toMatchObject({
    status: 'failed',
    error: { code: code.T2002, message: expect.stringContaining('120 output tokens of 100') },
    usage: { inputTokens: 3, outputTokens: 120, totalTokens: 123 },
  })
  expect(model.prompts.map(({ settings }) => settings.maxOutputTokens)).toEqual([70, 60, 20])
})

test('T2002: a provider that reports no usage is counted by an estimate, and that is said', async () => {
  const { open } = world()
  const { agents } = asker([{ text: 'x'.repeat(4000), usage: null }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const { usage } = await ann.atRest(run)
  expect(usage.estimated).toBe(true)
  expect(usage.outputTokens).toBeGreaterThan(900)
  expect(usage.totalTokens).toBe(usage.inputTokens + usage.outputTokens)
})

test('T2003: asks are counted over the run; those that would be too many are not asked', async () => {
  const { open } = world()
  const { model, agents } = asker(
    [{ calls: [ask('One?')] }, { calls: [ask('Two?'), ask('Three?')] }, { text: 'Never.' }],
    { limits: { perRun: { asks: 2 } } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.1', data: 'yes' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'failed', asks: [], error: { code: code.T2003 } })
  expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.opened')).toHaveLength(1)
  expect(model.calls).toBe(2)
})

test('T2004: an ask that nobody answered fails the run where its rule says so; its siblings are withdrawn', async () => {
  const { open, clock, armed } = world()
  const { agents } = asker([{ calls: [ask('One?'), ask('Two?')] }], { limits: { ask: '1h' }, onExpire: 'fail' })
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.2', data: 'two' })
  await armed(3_600_001)
  clock.advance(3_600_001)
  for await (const _ of ann.watch(run));
  const failed = await ann.run(run)
  expect(failed).toMatchObject({ status: 'failed', error: { code: code.T2004 }, asks: [] })
  const ends = failed.messages.flatMap((line) => (line.role === 'ask' ? [line.end?.outcome] : []))
  expect(ends).toEqual(['expired', 'approved'])
})
