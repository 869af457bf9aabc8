import { agent, code, type Engine, tool } from 'querent'
import { ModelError } from 'querent/model'
import { type ScriptedTurn, scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { asker, helperOf, refusal, typesOf, type World, world } from './world.ts'

const failing = 'model call failed'

describe('a model call that fails', () => {
  test('is tried again after 1, 2, 4 and 8 seconds; the prompt is the same each time', async () => {
    const { open, clock, said } = world()
    const { model, agents } = asker([{ error: 'overloaded', times: 4 }, { text: 'At last.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    for (const [index, waitMs] of [1000, 2000, 4000, 8000].entries()) {
      await said(failing, index + 1)
      expect(model.calls).toBe(index + 1)
      clock.advance(waitMs - 1)
      clock.advance(1)
    }
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'At last.' })
    expect(model.calls).toBe(5)
    for (const prompt of model.prompts) expect(prompt).toEqual(model.prompts[0])
    expect(typesOf(await engine.runs.log(run))).toEqual(['run.started', 'model.replied', 'run.finished'])
  })

  test('is tried again when the provider says, and not before', async () => {
    const { open, clock, armed, said } = world()
    const { model, agents } = asker([{ error: { message: 'slow down', retryAfterMs: 17_000 } }, { text: 'At last.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await said(failing)
    await armed(17_000)
    clock.advance(16_999)
    expect(model.calls).toBe(1)
    clock.advance(1)
    expect((await ann.atRest(run)).status).toBe('done')
    expect(model.calls).toBe(2)
  })

  test('for the fifth time fails the run (T2005), with the cause; retry goes on from where it stood', async () => {
    const { open, clock, said } = world()
    const { model, agents } = asker([{ error: 'overloaded', times: 5 }, { text: 'At last.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    for (const times of [1, 2, 3, 4]) {
      await said(failing, times)
      clock.advance(60_000)
    }
    expect(await ann.atRest(run)).toMatchObject({
      status: 'failed',
      error: { code: code.T2005, message: 'The model failed: overloaded' },
    })
    expect(model.calls).toBe(5)
    expect(await engine.runs.retry(run)).toEqual({ run, status: 'ready' })
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'At last.', repeat: 1 })
    expect(done).not.toHaveProperty('error')
    expect(model.prompts[5]?.messages).toEqual([{ role: 'user', content: 'go' }])
    expect(await refusal(engine.runs.retry(run))).toMatchObject({ code: code.T0011 })
  })

  test.each<[string, ScriptedTurn['error'], string]>([
    ['says that trying again is no use', { message: 'wrong key', retryable: false }, 'wrong key'],
    ['throws what is no ModelError', new TypeError('x is not a function'), 'x is not a function'],
  ])('fails the run at once where it %s', async (_, error, message) => {
    const { open, logged } = world()
    const { model, agents } = asker([{ error }, { text: 'Never.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({
      status: 'failed',
      error: { code: code.T2005, message: `The model failed: ${message}` },
    })
    expect(model.calls).toBe(1)
    expect(logged).toMatchObject([{ level: 'warn', message: failing, data: { run, again: false } }])
  })

  test('a reply that ends half-way is tried again', async () => {
    const { open, clock, said } = world()
    let calls = 0
    const model = {
      id: 'broken',
      async *step() {
        yield { type: 'text' as const, text: 'Hal' }
        if (++calls === 1) return
        const messages = [JSON.stringify({ role: 'assistant', content: 'Half.' })]
        yield { type: 'reply' as const, messages, text: 'Half.', calls: [], finish: 'stop' as const }
      },
    }
    const engine = await open([agent('asker', { model })])
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await said(failing)
    clock.advance(1000)
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Half.' })
  })

  test('stopped while it waits for the next try, nothing is tried any more', async () => {
    const { open, clock, said } = world()
    const { model, agents } = asker([{ error: new ModelError('busy', { retryable: true, retryAfterMs: 30_000 }) }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await said(failing)
    await ann.stop({ run })
    await engine.stop()
    clock.advance(60_000)
    expect(model.calls).toBe(1)
    expect((await ann.run(run)).status).toBe('stopped')
    expect(clock.timers).toBe(0)
  })
})

/** An agent whose model, or whose tool, ends the process that calls it. */
function deadly(by: 'model' | 'tool', kill: World['kill'], current: () => Engine) {
  let calls = 0
  const die = async (): Promise<never> => {
    calls++
    await kill(current())
    return new Promise(() => undefined)
  }
  const boom = tool({ name: 'boom', description: 'Ends it.', input: { type: 'object' }, retrySafe: true, execute: die })
  const model = scriptedModel([by === 'model' ? die : { calls: [{ tool: 'boom', input: {} }] }])
  return { agents: [agent('asker', { model, tools: [boom] })], calls: () => calls }
}

test.each([
  // Five claims after the one that wrote that it began.
  { by: 'tool', times: 6 },
  // Whoever only waits for a model may stand beside the one that kills: it has more patience.
  { by: 'model', times: 25 },
] as const)('a run whose $by kills its workers fails (T2005) after $times times', async ({ by, times }) => {
  const w = world()
  let engine: Engine
  const { agents, calls } = deadly(by, w.kill, () => engine)
  engine = await w.open(agents, { idle: true })
  const { run } = await helperOf(engine, 'asker').start('go')
  for (;;) {
    engine = await w.open(agents, { idle: true })
    await engine.start()
    const died = w.died(engine).then(() => 'died')
    const rest = helperOf(engine, 'asker')
      .atRest(run)
      .then(({ status }) => status)
    if ((await Promise.race([died, rest])) !== 'died') break
  }
  expect(calls()).toBe(times)
  expect(await helperOf(engine, 'asker').run(run)).toMatchObject({
    status: 'failed',
    error: { code: code.T2005, message: expect.stringContaining('kills its workers') },
  })
  // A tool that was interrupted is told so to the model; a model call is made again.
  if (by === 'tool') return
  await engine.runs.retry(run)
  await w.died(engine)
  expect(calls()).toBe(times + 1)
  const mended = await w.open(asker([{ text: 'Mended.' }]).agents)
  expect(await helperOf(mended, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Mended.' })
})
