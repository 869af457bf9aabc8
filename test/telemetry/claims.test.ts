import { describe, expect, test } from 'vitest'
import { asker, ended, helperOf, world } from '../engine/world.ts'
import { idOf, observed } from './observed.ts'

/** A turn that is held until it is let go, and says when it is asked for. */
function held() {
  const asked = Promise.withResolvers<void>()
  const hold = Promise.withResolvers<void>()
  const turn = () => {
    asked.resolve()
    return { text: 'Hello.', hold: hold.promise }
  }
  return { turn, asked: asked.promise, letGo: hold.resolve }
}

describe('a claim that is taken away', () => {
  test('by another worker is lost, and counted', async () => {
    const { open, close, clock } = world()
    const seen = observed()
    const frozen = Promise.withResolvers<void>()
    const { turn, asked, letGo } = held()
    const slow = await open(asker([turn]).agents, {
      telemetry: seen.telemetry,
      atPoint: ({ transition }) => (transition === 'renewClaim' ? frozen.promise : undefined),
    })
    const { run } = await helperOf(slow, 'asker').start('Hello')
    await asked
    clock.advance(11_000)
    const other = await open(asker([{ text: 'Hello from the other.' }]).agents)
    expect((await ended(helperOf(other, 'asker'), run)).text).toBe('Hello from the other.')
    frozen.resolve()
    letGo()
    await close(slow)
    const segment = seen.span('invoke_agent asker')
    expect(segment.attributes).toMatchObject({ 'querent.segment.outcome': 'lost' })
    expect(seen.span('chat scripted').attributes).not.toHaveProperty('error.type')
    // Also where nothing carries contexts over an await, as in this file.
    expect(seen.span('chat scripted').parentSpanContext?.spanId).toBe(idOf(segment))
    expect(await seen.points('querent.claims.lost')).toEqual([
      { attributes: { 'gen_ai.agent.name': 'asker' }, value: 1 },
    ])
    expect(await seen.points('querent.runs.ended')).toEqual([])
  })

  test('by a stop is no loss: the run ended', async () => {
    const { open, close } = world()
    const seen = observed()
    const { turn, asked } = held()
    const engine = await open(asker([turn]).agents, { telemetry: seen.telemetry })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('Hello')
    await asked
    await ann.stop({ run })
    await ann.stop({ run })
    await close(engine)
    expect(seen.span('invoke_agent asker').attributes).toMatchObject({ 'querent.segment.outcome': 'stopped' })
    expect(seen.span('chat scripted').attributes).toMatchObject({ 'querent.aborted': true })
    expect(await seen.points('querent.claims.lost')).toEqual([])
    expect(await seen.points('querent.runs.ended')).toEqual([
      { attributes: { 'gen_ai.agent.name': 'asker', 'querent.run.status': 'stopped' }, value: 1 },
    ])
  })

  test('by the end of the engine is given back, for another worker', async () => {
    const { open, close, clock, armed } = world()
    const seen = observed()
    const { turn, asked } = held()
    const engine = await open(asker([turn]).agents, { telemetry: seen.telemetry })
    await helperOf(engine, 'asker').start('Hello')
    await asked
    const closing = close(engine)
    await armed(10_000)
    clock.advance(10_000)
    await closing
    expect(seen.span('invoke_agent asker').attributes).toMatchObject({ 'querent.segment.outcome': 'ready' })
    expect(await seen.points('querent.claims.lost')).toEqual([])
  })
})
