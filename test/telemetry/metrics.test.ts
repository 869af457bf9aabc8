import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { observed } from './observed.ts'

const agent = { 'gen_ai.agent.name': 'asker' }
const turns = [{ calls: [ask('Size?'), ask('Colour?')] }, { text: 'Ordered.' }]

describe('what the whole store has', () => {
  test('open asks and the age of the oldest, runs by status: read now and then, while the engine is started', async () => {
    const { open, close, clock } = world()
    const seen = observed(clock)
    const engine = await open(asker(turns).agents, { telemetry: seen.telemetry })
    const runs = async () =>
      Object.fromEntries(
        (await seen.points('querent.runs.active')).map((each) => [each.attributes['querent.run.status'], each.value]),
      )
    expect(await runs()).toEqual({ ready: 0, working: 0, waiting: 0 })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('I need a T-shirt')
    await ann.atRest(run)
    clock.advance(29_999)
    expect(await runs()).toEqual({ ready: 0, working: 0, waiting: 0 })
    clock.advance(1)
    expect(await runs()).toEqual({ ready: 0, working: 0, waiting: 1 })
    expect(await seen.points('querent.asks.open')).toEqual([{ attributes: {}, value: 2 }])
    expect(await seen.points('querent.asks.oldest_age')).toEqual([{ attributes: {}, value: 30 }])
    expect(await seen.points('querent.runs.oldest_ready_age')).toEqual([{ attributes: {}, value: 0 }])
    await close(engine)
    clock.advance(30_000)
    // Nobody asks the store any more: it is closed, and would say so.
    await seen.points('querent.asks.open')
  })

  test('a run that no worker takes shows by its age', async () => {
    const { open, clock } = world()
    const seen = observed(clock)
    const page = await open(asker(turns).agents, { idle: true })
    await helperOf(page, 'asker').start('I need a T-shirt')
    clock.advance(60_000)
    await open([], { telemetry: seen.telemetry })
    expect(await seen.points('querent.runs.oldest_ready_age')).toEqual([{ attributes: {}, value: 60 }])
  })
})

describe('what this process does', () => {
  test('time to answer, by outcome; what is refused to count is not measured', async () => {
    const { open, clock } = world()
    const seen = observed(clock)
    const engine = await open(asker(turns).agents, { telemetry: seen.telemetry })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('I need a T-shirt')
    await ann.atRest(run)
    clock.advance(90_000)
    await expect(ann.approve({ run, step: 'question 1.1', data: '' })).rejects.toMatchObject({ code: 'T0002' })
    await ann.approve({ run, step: 'question 1.1', data: 'M', answerId: 'a' })
    await ann.approve({ run, step: 'question 1.1', data: 'M', answerId: 'a' })
    clock.advance(10_000)
    await ann.refuse({ run, step: 'question 1.2' })
    const told = { ...agent, 'querent.ask.kind': 'question' }
    expect(await seen.points('querent.ask.duration')).toEqual([
      { attributes: { ...told, 'querent.ask.outcome': 'approved' }, value: { count: 1, sum: 90 } },
      { attributes: { ...told, 'querent.ask.outcome': 'refused' }, value: { count: 1, sum: 100 } },
    ])
  })

  test('from an answer to the work it leads to, over processes; deadlines and messages are no answers', async () => {
    const { open, close, clock } = world()
    const seen = observed(clock)
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'Ordered.' }, { calls: [ask('Colour?')] }])
    const first = await open(agents)
    const { run } = await helperOf(first, 'asker').start('I need a T-shirt')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const page = await open([], { idle: true })
    await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    clock.advance(30_000)
    const second = await open(agents, { telemetry: seen.telemetry })
    const ann = helperOf(second, 'asker')
    await ann.atRest(run)
    const resumed = () => seen.points('querent.resume.duration')
    expect(await resumed()).toEqual([{ attributes: agent, value: { count: 1, sum: 30 } }])
    // A worker that is free takes it in the stroke that stores the answer.
    await ann.say({ run, text: 'And a hat' })
    await ann.atRest(run)
    await ann.say({ run, text: 'Never mind' })
    await ann.atRest(run)
    expect(await resumed()).toEqual([{ attributes: agent, value: { count: 1, sum: 30 } }])
  })

  test('model calls, tokens and ends, each with the standard’s own name', async () => {
    const { open, close, clock } = world()
    const seen = observed(clock)
    const engine = await open(asker([{ text: 'Hi.', usage: { inputTokens: 7, outputTokens: 3 } }]).agents, {
      telemetry: seen.telemetry,
    })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('Hello')
    await ann.atRest(run)
    await close(engine)
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'scripted' }
    expect(await seen.points('gen_ai.client.operation.duration')).toMatchObject([
      { attributes: call, value: { count: 1 } },
    ])
    expect(await seen.points('gen_ai.client.token.usage')).toEqual([
      { attributes: { ...call, 'gen_ai.token.type': 'input' }, value: { count: 1, sum: 7 } },
      { attributes: { ...call, 'gen_ai.token.type': 'output' }, value: { count: 1, sum: 3 } },
    ])
    expect(await seen.points('querent.runs.ended')).toEqual([
      { attributes: { ...agent, 'querent.run.status': 'done' }, value: 1 },
    ])
  })
})
