import { createEngine } from 'querent'
import { sqlite } from 'querent/sqlite'
import { describe, expect, test } from 'vitest'
import { asker, world } from '../engine/world.ts'
import { serve } from './served.ts'

const well = { status: 200, body: 'ok\n' }
const unready = { status: 503, body: 'not ready\n' }

describe('health', () => {
  test('a process is ready once its engine is started, until it is stopped; it answers before and after', async () => {
    const engine = await world().open(asker([]).agents, { idle: true })
    const { ask } = await serve(engine)
    expect(await ask('/healthz')).toMatchObject(well)
    expect(await ask('/readyz')).toMatchObject(unready)
    await engine.start()
    expect(await ask('/readyz')).toMatchObject(well)
    await engine.stop()
    expect(await ask('/readyz')).toMatchObject(unready)
    expect(await ask('/healthz')).toMatchObject(well)
    await engine.start()
    expect(await ask('/readyz')).toMatchObject(well)
  })

  test('it is not ready while it stops, though a run still has its time', async () => {
    const started = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const slow = async () => {
      started.resolve()
      await held.promise
      return { text: 'Done.' }
    }
    const engine = await world().open(asker([slow]).agents)
    const { ask } = await serve(engine)
    await engine.as({ id: 'ann' }).agent('asker').start('Hello')
    await started.promise
    const stopping = engine.stop()
    expect(await ask('/readyz')).toMatchObject(unready)
    held.resolve()
    await stopping
  })

  test('it is not ready while its server closes', async () => {
    const engine = await world().open(asker([]).agents)
    const { ask, server } = await serve(engine)
    expect(await ask('/readyz')).toMatchObject(well)
    await server.close()
    expect(await ask('/readyz')).toMatchObject(unready)
    expect(await ask('/healthz')).toMatchObject(well)
  })

  test('it is not ready where the store does not answer', async () => {
    const { path, clock } = world()
    const store = sqlite(path, { clock })
    const engine = createEngine({ agents: [], store, clock })
    await engine.start()
    const { ask } = await serve(engine)
    expect(await ask('/readyz')).toMatchObject(well)
    await store.close()
    expect(await ask('/readyz')).toMatchObject(unready)
    await engine.stop()
  })

  test('strangers are told one word, whoever they are; a page beside the API does not take its place', async () => {
    const engine = await world().open(asker([]).agents)
    const { ask } = await serve(engine, { fallback: () => new Response('a page') })
    for (const path of ['/healthz', '/readyz']) {
      const answer = await ask(path, { headers: { origin: 'https://evil.example' } })
      expect(answer).toMatchObject(well)
      expect(Object.fromEntries(answer.headers)).toMatchObject({ 'cache-control': 'no-store' })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
      expect(await ask(path, { method: 'POST' })).toMatchObject({ body: 'a page' })
    }
  })
})
