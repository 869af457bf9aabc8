import { code, QuerentError } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, typesOf, world } from '../engine/world.ts'
import { openStream, serve } from '../server/served.ts'

/*
 * The database takes no writes for a while: its disk is full, its server is gone. What SQLite itself does then is shown in
 * `test/store/faults.test.ts`; here, what people and runs see of it.
 */

/** A server whose database can be told to take nothing, before a write or (the worst) when it was written and not said so. */
async function desk() {
  const w = world()
  const disk: { fails?: 'before' | 'after' | undefined } = {}
  const { agents, model } = asker([{ calls: [ask('Size?')] }, { text: 'Thanks.' }])
  const atPoint = ({ when }: { when: string }) => {
    if (when === disk.fails) throw new QuerentError('T3003', 'The database could not grow: the disk is full.')
  }
  const engine = await w.open(agents, { atPoint })
  return { ...w, disk, engine, model, served: await serve(engine), ann: helperOf(engine, 'asker') }
}

describe('a disk that is full', () => {
  test('refuses what people send, says that it may be tried again, and takes it when there is room', async () => {
    const { disk, engine, served, ann, model } = await desk()
    const { run } = await ann.start('go')
    await ann.atRest(run)
    const log = await engine.runs.log(run)
    disk.fails = 'before'
    const answer = { as: 'ann', body: { step: 'question 1.1', data: 'M', answerId: 'a-1' } }
    const writes: [string, typeof answer | { as: string; body: object }][] = [
      [`/api/runs/${run}/approve`, answer],
      [`/api/runs/${run}/refuse`, { as: 'ann', body: { step: 'question 1.1' } }],
      [`/api/runs/${run}/say`, { as: 'ann', body: { text: 'hi' } }],
      [`/api/runs/${run}/stop`, { as: 'ann', body: {} }],
      ['/api/agents/asker/runs', { as: 'ann', body: { input: 'more', key: 'k-1' } }],
    ]
    for (const [path, request] of writes) {
      const refused = await served.ask(path, request)
      expect(refused, path).toMatchObject({ status: 503, body: { code: code.T3003, retry: true } })
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      // Where the file lies is nobody's business who asks over HTTP.
      expect(JSON.stringify(refused.body)).not.toContain('full')
    }
    // What is there can be read meanwhile, and a stream lives.
    expect((await served.ask('/api/asks', { as: 'ann' })).body).toMatchObject({ items: [{ run }] })
    const stream = await openStream(`${served.url}/api/events`, { as: 'ann' })
    expect((await stream.next())?.data).toMatchObject({ type: 'snapshot' })
    expect(await engine.runs.log(run)).toEqual(log)
    expect(model.calls).toBe(1)
    disk.fails = undefined
    expect((await served.ask(`/api/runs/${run}/approve`, answer)).status).toBe(200)
    expect((await ann.atRest(run)).text).toBe('Thanks.')
  })

  test('that takes a write and says that it did not: the same answer again is a duplicate, another one is told', async () => {
    const { disk, engine, served, ann } = await desk()
    const { run } = await ann.start('go')
    await ann.atRest(run)
    disk.fails = 'after'
    const answer = { as: 'ann', body: { step: 'question 1.1', data: 'M', answerId: 'a-1' } }
    expect(await served.ask(`/api/runs/${run}/approve`, answer)).toMatchObject({ status: 503 })
    disk.fails = undefined
    expect(await served.ask(`/api/runs/${run}/approve`, answer)).toMatchObject({
      status: 200,
      body: { duplicate: true },
    })
    const other = { as: 'ann', body: { step: 'question 1.1', data: 'L', answerId: 'a-2' } }
    expect(await served.ask(`/api/runs/${run}/approve`, other)).toMatchObject({ status: 409 })
    const settled = (await engine.runs.log(run)).filter(({ type }) => type === 'ask.settled')
    expect(settled.length).toBeLessThanOrEqual(1)
  })

  test.each(['before', 'after'] as const)(
    'while a worker writes (%s): its run is not lost, and goes on when there is room',
    async (when) => {
      const w = world()
      let fails = false
      const { agents, model } = asker([
        { calls: [ask('Size?')] },
        () => {
          // Full as the reply comes, the first time: nothing that the worker would write is taken.
          fails = model.calls === 2
          return { text: 'Thanks.' }
        },
      ])
      const atPoint = (point: { when: string }) => {
        if (fails && point.when === when) throw new QuerentError('T3003', 'The disk is full.')
      }
      const engine = await w.open(agents, { atPoint })
      const ann = helperOf(engine, 'asker')
      const { run } = await ann.start('go')
      await ann.atRest(run)
      await ann.approve({ run, step: 'question 1.1', data: 'M' })
      await w.said('work on a run failed')
      fails = false
      // The claim lapses, and somebody takes it up again.
      for (let passed = 0; passed < 14; passed += 2) w.clock.advance(2_000)
      expect((await ended(ann, run)).text).toBe('Thanks.')
      const log = await engine.runs.log(run)
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
      expect(typesOf(log).filter((type) => type === 'ask.settled')).toHaveLength(1)
      expect(model.calls).toBe(when === 'before' ? 3 : 2)
    },
  )
})
