import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { agent, delegate, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, world } from '../engine/world.ts'
import { carryContexts, idOf, insideSpan, linksOf, observed } from './observed.ts'

carryContexts()

const anything = { type: 'object' } as const

function toolNamed(name: string, execute: Parameters<typeof tool>[0]['execute'], more = {}) {
  return tool({ name, description: name, input: anything, execute, ...more })
}

describe('a run that parks and goes on in another process', () => {
  const turns = [{ calls: [ask({ question: 'Size?', choices: ['S', 'M'] })] }, { text: 'Ordered.' }]

  async function asked() {
    const { open, close, clock } = world()
    const seen = observed(clock)
    const first = await open(asker(turns).agents, { telemetry: seen.telemetry })
    const { run } = await helperOf(first, 'asker').start('I need a T-shirt')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    return { open, close, seen, run }
  }

  test('each claim is a trace of its own, and the second links to the one that asked', async () => {
    const { open, close, seen, run } = await asked()
    const before = seen.span('invoke_agent asker')
    const second = await open(asker(turns).agents, { telemetry: seen.telemetry })
    await helperOf(second, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    await ended(helperOf(second, 'asker'), run)
    await close(second)
    const after = seen.spans('invoke_agent asker')[1]
    if (!after) throw new Error('It did not go on.')
    expect(before.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'asker',
      'gen_ai.conversation.id': run,
      'querent.run.id': run,
      'querent.run.trigger': 'chat',
      'querent.segment.outcome': 'parked',
    })
    expect(after.attributes).toMatchObject({ 'querent.run.id': run, 'querent.segment.outcome': 'done' })
    expect([before, after].map((each) => each.parentSpanContext)).toEqual([undefined, undefined])
    expect(after.spanContext().traceId).not.toBe(before.spanContext().traceId)
    const { traceId, spanId, traceFlags } = before.spanContext()
    expect(after.links[0]?.context).toEqual({ traceId, spanId, traceFlags, isRemote: true })
    expect(linksOf(before)).toEqual([])
    const settle = seen.span('querent.settle')
    expect(linksOf(settle)).toEqual([idOf(before)])
    expect(settle.attributes).toEqual({
      'gen_ai.agent.name': 'asker',
      'gen_ai.conversation.id': run,
      'querent.ask.kind': 'question',
      'querent.ask.outcome': 'approved',
      'querent.settle.case': 'settled',
    })
  })

  test('model calls and the park stand below the claim they belong to', async () => {
    const { seen, run } = await asked()
    const segment = seen.span('invoke_agent asker')
    const model = seen.span('chat scripted')
    const park = seen.span('querent.park')
    for (const span of [model, park]) {
      expect(span.parentSpanContext?.spanId).toBe(idOf(segment))
      expect(span.spanContext().traceId).toBe(segment.spanContext().traceId)
    }
    expect(model.kind).toBe(SpanKind.CLIENT)
    expect(model.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'scripted',
      'gen_ai.agent.name': 'asker',
      'gen_ai.conversation.id': run,
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 10,
      'querent.run.id': run,
      'querent.step': 'model 1',
    })
    expect(park.attributes).toEqual({ 'querent.asks.open': 1, 'querent.park.case': 'parked' })
  })

  test('the log names the trace, people and notifiers do not hear of it', async () => {
    const { open, seen, run } = await asked()
    const reader = await open([], { idle: true })
    const opened = (await reader.runs.log(run)).find((event) => event.type === 'ask.opened')
    const { traceId, spanId } = seen.span('invoke_agent asker').spanContext()
    expect(opened?.data).toMatchObject({ trace: `00-${traceId}-${spanId}-01` })
    expect(JSON.stringify(await helperOf(reader, 'asker').run(run))).not.toContain(traceId)
  })

  test('an answer that is not taken says why, by its code', async () => {
    const { open, seen, run } = await asked()
    const second = await open([], { idle: true, telemetry: seen.telemetry })
    const ann = helperOf(second, 'asker')
    const at = { run, step: 'question 1.1' }
    expect(await refusal(ann.approve({ ...at, data: 'XL' }))).toMatchObject({ code: 'T0002' })
    await ann.refuse({ ...at })
    expect(await refusal(ann.approve({ ...at, data: 'M' }))).toMatchObject({ code: 'T0003' })
    const [misfit, refused, late] = seen.spans('querent.settle')
    expect(misfit?.attributes).toMatchObject({ 'error.type': 'T0002' })
    expect(misfit?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(refused?.attributes).toMatchObject({ 'querent.ask.outcome': 'refused', 'querent.settle.case': 'settled' })
    expect(late?.attributes).toMatchObject({ 'querent.settle.case': 'already' })
  })

  test('a process that does not trace goes on with it, and one that does goes on with an untraced run', async () => {
    const { open, close, seen, run } = await asked()
    const blind = await open(asker(turns).agents)
    await helperOf(blind, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    expect((await ended(helperOf(blind, 'asker'), run)).text).toBe('Ordered.')
    const { run: other } = await helperOf(blind, 'asker').start('And a hat')
    await helperOf(blind, 'asker').atRest(other)
    await close(blind)
    const second = await open(asker(turns).agents, { telemetry: seen.telemetry })
    await helperOf(second, 'asker').approve({ run: other, step: 'question 1.1', data: 'M' })
    await ended(helperOf(second, 'asker'), other)
    await close(second)
    expect(linksOf(seen.spans('invoke_agent asker').at(-1) as never)).toEqual([])
    expect(seen.spans('invoke_agent asker')).toHaveLength(2)
  })
})

test('the caller’s span is linked to where a run starts, and stands above the answer; a later round starts anew', async () => {
  const { open, close } = world()
  const seen = observed()
  const turns = [{ calls: [ask('Size?')] }, { text: 'Ordered.' }, { text: 'Once more.' }]
  const engine = await open(asker(turns).agents, { telemetry: seen.telemetry })
  const ann = helperOf(engine, 'asker')
  const { run } = await insideSpan(seen, 'POST start', () => ann.start('I need a T-shirt'))
  await ann.atRest(run)
  await insideSpan(seen, 'POST approve', () => ann.approve({ run, step: 'question 1.1', data: 'M' }))
  await ann.atRest(run)
  await ann.say({ run, text: 'Again' })
  await ann.atRest(run)
  await close(engine)
  const [first, second, third] = seen.spans('invoke_agent asker')
  if (!first || !second || !third) throw new Error('Three claims are expected.')
  expect(linksOf(first)).toEqual([idOf(seen.span('POST start'))])
  expect(linksOf(second)).toEqual([idOf(first)])
  expect(linksOf(third)).toEqual([])
  // Whoever woke the worker is no parent of what it does.
  expect([first, second, third].map((each) => each.parentSpanContext)).toEqual([undefined, undefined, undefined])
  expect(seen.span('querent.settle').parentSpanContext?.spanId).toBe(idOf(seen.span('POST approve')))
})

describe('tools', () => {
  test('one that fails is an error of its span and not of the run; what it traces itself stands below it', async () => {
    const { open, close } = world()
    const seen = observed()
    const charge = toolNamed('charge', () =>
      insideSpan(seen, 'POST bank', async () => {
        throw new Error('card 4711 refused')
      }),
    )
    const turns = [{ calls: [{ tool: 'charge', input: { card: 4711 }, id: 'call_a' }] }, { text: 'Sorry.' }]
    const engine = await open(asker(turns, { tools: [charge] }).agents, { telemetry: seen.telemetry })
    const { run } = await helperOf(engine, 'asker').start('Charge me')
    await ended(helperOf(engine, 'asker'), run)
    await close(engine)
    const span = seen.span('execute_tool charge')
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'charge',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'call_a',
      'gen_ai.agent.name': 'asker',
      'gen_ai.conversation.id': run,
      'querent.run.id': run,
      'querent.step': 'tool 1.1',
      'querent.effect': `${run}.1.1.1`,
      'error.type': 'tool_error',
    })
    expect(seen.span('POST bank').parentSpanContext?.spanId).toBe(idOf(span))
    const segment = seen.span('invoke_agent asker')
    expect(span.parentSpanContext?.spanId).toBe(idOf(segment))
    expect(segment.status).toEqual({ code: SpanStatusCode.UNSET })
    expect(segment.attributes).toMatchObject({ 'querent.segment.outcome': 'done' })
    expect(await seen.everything()).not.toContain('4711')
  })

  test('one that asks inside is pending where it is abandoned, and runs again in the claim after the answer', async () => {
    const { open, close } = world()
    const seen = observed()
    const book = toolNamed('book', async (_, ctx) => (await ctx.ask({ key: 'when', question: 'When?' })).status, {
      replays: true,
    })
    const { agents } = asker([{ calls: [{ tool: 'book', input: {} }] }, { text: 'Booked.' }], { tools: [book] })
    const engine = await open(agents, { telemetry: seen.telemetry })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('Book')
    await ann.atRest(run)
    await ann.approve({ run, step: 'tool 1.1', data: 'Friday' })
    await ended(ann, run)
    await close(engine)
    const [asking, again] = seen.spans('execute_tool book')
    expect(asking?.attributes).toMatchObject({ 'querent.tool.pending': true })
    expect(again?.attributes).not.toHaveProperty('querent.tool.pending')
    const [before, after] = seen.spans('invoke_agent asker')
    expect(asking?.parentSpanContext?.spanId).toBe(before && idOf(before))
    expect(again?.parentSpanContext?.spanId).toBe(after && idOf(after))
    expect(linksOf(after as never)).toEqual([before && idOf(before)])
  })
})

test('a delegated run links to the claim that delegated it, and the parent goes on from there too', async () => {
  const { open, close } = world()
  const seen = observed()
  const clerk = agent('clerk', { model: scriptedModel([{ text: 'filed' }]) })
  const boss = agent('boss', {
    model: scriptedModel([{ calls: [{ tool: 'clerk', input: { task: 'file it' } }] }, { text: 'all done' }]),
    tools: [delegate(clerk)],
  })
  const engine = await open([clerk, boss], { telemetry: seen.telemetry })
  const { run } = await helperOf(engine, 'boss').start('File it')
  await ended(helperOf(engine, 'boss'), run)
  await close(engine)
  const [before, after] = seen.spans('invoke_agent boss')
  const child = seen.span('invoke_agent clerk')
  if (!before || !after) throw new Error('Two claims are expected.')
  expect(linksOf(child)).toEqual([idOf(before)])
  expect(linksOf(after)).toEqual([idOf(before)])
  expect(child.attributes).toMatchObject({ 'gen_ai.conversation.id': run, 'querent.run.trigger': 'delegate' })
  expect(child.attributes['querent.run.id']).not.toBe(run)
})

describe('models', () => {
  test('one that fails for good ends the claim and the run with the code, without the message', async () => {
    const { open, close } = world()
    const seen = observed()
    const { agents } = asker([{ error: { message: 'secret prompt refused', retryable: false } }])
    const engine = await open(agents, { telemetry: seen.telemetry })
    const { run } = await helperOf(engine, 'asker').start('Hello')
    expect((await helperOf(engine, 'asker').atRest(run)).error?.message).toContain('secret prompt refused')
    await close(engine)
    expect(seen.span('chat scripted')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'ModelError' },
    })
    expect(seen.span('invoke_agent asker')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'querent.segment.outcome': 'failed', 'error.type': 'T2005' },
    })
    expect(await seen.everything()).not.toContain('secret')
  })

  test('its retries are one call', async () => {
    const { open, close, clock, armed } = world()
    const seen = observed()
    const engine = await open(asker([{ error: 'busy' }, { text: 'Hello.' }]).agents, { telemetry: seen.telemetry })
    const { run } = await helperOf(engine, 'asker').start('Hello')
    await armed(1000)
    clock.advance(1000)
    await helperOf(engine, 'asker').atRest(run)
    await close(engine)
    expect(seen.span('chat scripted').status).toEqual({ code: SpanStatusCode.UNSET })
  })

  test('a provider that reports no tokens has none told: ours are an estimate', async () => {
    const { open, close } = world()
    const seen = observed()
    const engine = await open(asker([{ text: 'Hello.', usage: null }]).agents, { telemetry: seen.telemetry })
    const { run } = await helperOf(engine, 'asker').start('Hello')
    expect((await helperOf(engine, 'asker').atRest(run)).usage.estimated).toBe(true)
    await close(engine)
    expect(seen.span('chat scripted').attributes).not.toHaveProperty('gen_ai.usage.input_tokens')
    expect(await seen.points('gen_ai.client.token.usage')).toEqual([])
  })
})
