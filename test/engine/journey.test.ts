import { agent, code, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, refusal, world } from './world.ts'

const sizes = { question: 'Size?', choices: ['S', 'M', 'L'] }

function shirts() {
  const model = scriptedModel([
    { text: 'Let me ask.', calls: [{ tool: 'question', input: sizes }] },
    { text: 'Ordered.' },
  ])
  return { model, asker: agent('asker', { model, questions: true }) }
}

describe('the journey of one question', () => {
  test('asked, parked, answered, done; one process', async () => {
    const { open } = world()
    const { model, asker } = shirts()
    const engine = await open([asker])
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('I need a T-shirt')
    const parked = await ann.atRest(run)
    expect(parked.status).toBe('waiting')
    expect(parked.asks).toMatchObject([
      {
        kind: 'question',
        run,
        agent: 'asker',
        path: ['asker'],
        repeat: 1,
        step: 'question 1.1',
        n: 1,
        tool: 'question',
        input: sizes,
      },
    ])
    expect(parked.asks[0]?.options).toEqual([{ label: 'S' }, { label: 'M' }, { label: 'L' }])
    const { ask, duplicate } = await ann.approve({ run, step: 'question 1.1', data: 'M' })
    expect(duplicate).toBe(false)
    expect(ask.id).toBe(parked.asks[0]?.id)
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'Ordered.', output: 'Ordered.', asks: [] })
    expect(done.messages.map((line) => line.role)).toEqual(['user', 'assistant', 'ask', 'assistant'])
    expect(done.messages[2]).toMatchObject({ end: { outcome: 'approved', by: 'you', data: 'M' } })
    const [, second] = model.prompts
    expect(wellFormed(second?.messages ?? [])).toEqual([])
    expect(second?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { type: 'text', value: 'M' } }] })
    expect((await engine.runs.log(run)).map((event) => event.type)).toEqual([
      'run.started',
      'model.replied',
      'ask.opened',
      'ask.settled',
      'tool.returned',
      'model.replied',
      'run.finished',
    ])
  })

  test('parked in one process, answered in a second that has no agents, worked on by a third (C16)', async () => {
    const { open, close } = world()
    const first = await open([shirts().asker])
    const { run } = await helperOf(first, 'asker').start('I need a T-shirt')
    await helperOf(first, 'asker').atRest(run)
    await close(first)

    const page = await open([], { idle: true })
    await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'L' })
    expect((await helperOf(page, 'asker').run(run)).status).toBe('ready')

    const { model, asker } = shirts()
    const third = await open([asker])
    expect(await helperOf(third, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
    expect(model.prompts).toHaveLength(1)
  })

  test('a bad answer changes nothing, and the ask still waits (G3)', async () => {
    const { open } = world()
    const { model, asker } = shirts()
    const engine = await open([asker])
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('I need a T-shirt')
    await ann.atRest(run)
    const log = await engine.runs.log(run)
    const refused = await refusal(ann.approve({ run, step: 'question 1.1', data: 'XL' }))
    expect(refused).toMatchObject({
      code: code.T0002,
      data: { issues: [{ path: '', message: expect.stringContaining('S') }] },
    })
    expect(await refusal(ann.approve({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0002 })
    expect(await engine.runs.log(run)).toEqual(log)
    expect((await ann.run(run)).asks).toHaveLength(1)
    expect(model.prompts).toHaveLength(1)
  })
})

test('tools of one turn: retry-safe ones side by side, others in call order', async () => {
  const { open } = world()
  const trace: string[] = []
  const gate = Promise.withResolvers<void>()
  const bothRun = Promise.withResolvers<void>()
  let running = 0
  const read = tool({
    name: 'read',
    description: 'reads',
    input: { type: 'object', properties: { id: { type: 'string' } } },
    retrySafe: true,
    async execute() {
      running++
      if (running === 2) bothRun.resolve()
      await bothRun.promise
      trace.push('read')
      return 'read'
    },
  })
  const write = tool({
    name: 'write',
    description: 'writes',
    input: { type: 'object', properties: { id: { type: 'string' } } },
    async execute(input) {
      const { id } = input as { id: string }
      trace.push(`begin ${id}`)
      if (id === 'a') await gate.promise
      trace.push(`end ${id}`)
      return id
    },
  })
  const calls = [
    { tool: 'write', input: { id: 'a' } },
    { tool: 'read', input: { id: '' } },
    { tool: 'write', input: { id: 'b' } },
    { tool: 'read', input: { id: '' } },
  ]
  const model = scriptedModel([{ calls }, { text: 'ok' }])
  const engine = await open([agent('worker', { model, tools: [read, write] })])
  const ann = helperOf(engine, 'worker')
  const { run } = await ann.start('go')
  await bothRun.promise
  gate.resolve()
  expect((await ann.atRest(run)).text).toBe('ok')
  expect(trace.filter((line) => line !== 'read')).toEqual(['begin a', 'end a', 'begin b', 'end b'])
  const results = model.prompts[1]?.messages.at(-1) as { content: { output: { value: string } }[] }
  expect(results.content.map((part) => part.output.value)).toEqual(['a', 'read', 'b', 'read'])
})
