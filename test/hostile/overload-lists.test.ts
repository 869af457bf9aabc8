import type { Ask, RunSummary } from 'querent'
import { expect, test } from 'vitest'
import { ann, newAsk, parked } from '../../src/testing/store-kit/fixtures.ts'
import { asker, helperOf, world } from '../engine/world.ts'
import { openStream, serve } from '../server/served.ts'

/** Runs of one person, each with as many open asks: what limits and haste do not keep anybody from having. */
async function waiting(runs: number, asksOfRun: number) {
  const { open, database, clock } = world()
  const store = database.open({ clock })
  await store.migrate()
  const asksOf = () =>
    Array.from({ length: asksOfRun }, (_, index) =>
      newAsk({ step: `question 1.${index + 1}`, waitMs: 3_600_000 + index }),
    )
  const ids: string[] = []
  for (let index = 0; index < runs; index++) ids.push((await parked(store, asksOf(), { starter: ann })).run)
  await store.close()
  const engine = await open(asker([{ text: 'Thanks.' }]).agents, { idle: true })
  return { engine, served: await serve(engine), ids, count: runs * asksOfRun }
}

/** Every page of a list, one after the other. */
async function pages<T>(page: (after?: string) => Promise<{ items: T[]; cursor?: string }>): Promise<T[][]> {
  const all: T[][] = []
  for (let after: string | undefined; ; ) {
    const { items, cursor } = await page(after)
    all.push(items)
    if (cursor === undefined) return all
    after = cursor
  }
}

const get = async <T>(served: Awaited<ReturnType<typeof serve>>, path: string) =>
  (await served.ask(path, { as: 'ann' })).body as { items: T[]; cursor?: string }

test('10,000 asks of one person: every page is bounded, all of them are found, each once, and any can be answered', async () => {
  const { engine, served, count } = await waiting(100, 100)
  expect(count).toBe(10_000)
  const all = await pages<Ask>((after) => get(served, `/api/asks?limit=200${after ? `&after=${after}` : ''}`))
  expect(all.every((items) => items.length <= 200)).toBe(true)
  expect(new Set(all.flat().map(({ id }) => id)).size).toBe(count)
  const untils = all.flat().map(({ until }) => String(until))
  expect(untils).toEqual([...untils].sort())
  // Left out, or more than is given: bounded all the same.
  expect((await get<Ask>(served, '/api/asks')).items).toHaveLength(50)
  expect((await served.ask('/api/asks?limit=10000', { as: 'ann' })).status).toBe(400)
  expect(await engine.as({ id: 'ann' }).asks()).toHaveLength(50)
  const last = all.flat().at(-1) as Ask
  const answer = { as: 'ann', body: { ask: last.id, data: 'M' } }
  expect((await served.ask(`/api/runs/${last.run}/approve`, answer)).status).toBe(200)
  expect((await get<Ask>(served, '/api/asks?limit=1')).items).toHaveLength(1)
})

test('the lists of runs, the stream of lists and a run itself show a bounded part of them', async () => {
  const { engine, served, ids } = await waiting(25, 400)
  const listed = await get<RunSummary>(served, '/api/runs?limit=200')
  expect(listed.items).toHaveLength(25)
  for (const { asks } of listed.items) expect(asks.length).toBeLessThanOrEqual(200)
  const stream = await openStream(`${served.url}/api/events`, { as: 'ann' })
  const snapshot = (await stream.next())?.data as { asks: Ask[]; runs: RunSummary[] }
  expect(snapshot.asks).toHaveLength(200)
  expect(snapshot.runs.length).toBeLessThanOrEqual(50)
  for (const { asks } of snapshot.runs) expect(asks.length).toBeLessThanOrEqual(200)
  const run = String(ids[0])
  const view = (await served.ask(`/api/runs/${run}`, { as: 'ann' })).body as RunSummary
  expect(view.asks).toHaveLength(200)
  // What an error lists is bounded as well.
  const wrong = { as: 'ann', body: { step: 'question 9.9', data: 'M' } }
  const { body } = await served.ask(`/api/runs/${run}/approve`, wrong)
  expect(body).toMatchObject({ code: 'T0006' })
  expect((body as { data: { open: Ask[] } }).data.open.length).toBeLessThanOrEqual(200)
  // One stop ends 400 of them, and the stream says so.
  await helperOf(engine, 'asker').stop({ run })
  const changed = (await stream.next())?.data as { type: string; asks: Ask[] }
  expect(changed.type).toBe('asks')
  expect(changed.asks.some((each) => each.run === run)).toBe(false)
})
