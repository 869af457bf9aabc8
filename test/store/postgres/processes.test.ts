import { afterEach, beforeEach, expect, test } from 'vitest'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import { newAsk, newRun, opening, working } from '../../../src/testing/store-kit/fixtures.ts'
import { newDatabase } from '../../setup/postgres-database.ts'
import { onDatabase } from '../../setup/postgres-server.ts'
import { startWorker } from '../processes.ts'

let url: string
let store: Store
let drop: () => Promise<void>

beforeEach(async () => {
  const made = await newDatabase()
  url = made.url
  drop = made.drop
  store = postgres(url)
})

afterEach(async () => {
  await store.close()
  await drop()
})

test('four processes write at once: every run is whole, and nothing is lost', async () => {
  const workers = Array.from({ length: 4 }, () => startWorker('cycles', url, '50'))
  await Promise.all(workers.map((worker) => worker.ended))
  const runs = (await store.listRuns({ limit: 200 })).items
  expect(runs).toHaveLength(200)
  for (const run of runs) expect(run).toMatchObject({ status: 'done', fence: 2, lastSeq: 4 })
  const logs = await onDatabase(
    url,
    'select run, count(*)::integer as events, max(seq)::integer as last from querent.events group by run',
  )
  expect(logs.map(({ events, last }) => [events, last])).toEqual(Array(200).fill([4, 4]))
})

test('four processes answer the same asks at once: each ask is settled by one of them', async () => {
  const held = await working(store)
  const asks = Array.from({ length: 60 }, (_, index) => newAsk({ n: index + 1 }))
  await store.append(held, opening(2, ...asks))
  const ids = asks.map((ask) => ask.id)
  const workers = Array.from({ length: 4 }, () => startWorker('settle', url, ...ids))
  const won = await Promise.all(workers.map(async (worker) => Number(await worker.ended)))
  expect(won.reduce((sum, each) => sum + each)).toBe(60)
  const looked = await store.renewClaim(held, 1000)
  expect(looked.case === 'ok' && looked.mail.length).toBe(60)
})

test('four processes claim the same runs at once: no two have one, and every log is whole', async () => {
  await Promise.all(Array.from({ length: 20 }, () => store.createRun(newRun())))
  const workers = Array.from({ length: 4 }, () => startWorker('claim', url))
  const claims = await Promise.all(workers.map(async (worker) => Number(await worker.ended)))
  // Each run takes five claims: one for each event after its first.
  expect(claims.reduce((sum, each) => sum + each)).toBe(100)
  for (const run of (await store.listRuns({})).items) {
    expect(run).toMatchObject({ status: 'done', fence: 5, lastSeq: 6 })
  }
})

test('twenty processes bring a new database to its schema at once: one does, and all go on', async () => {
  const workers = Array.from({ length: 20 }, () => startWorker('create', url))
  await Promise.all(workers.map((worker) => worker.ended))
  expect((await store.listRuns({})).items).toHaveLength(20)
  expect(await onDatabase(url, 'select number from querent.migrations')).toEqual([{ number: 1 }])
})

test('a process stays alive while it listens, and ends by itself where it has nothing to do', async () => {
  const listener = startWorker('listen', url)
  await listener.printed('listens')
  expect(await startWorker('leave', url).ended).toBe('created\n')
  expect(await listener.ended).toContain('heard')
})

test('a process that is killed in the middle of its writes leaves no half of one', async () => {
  await store.migrate()
  const worker = startWorker('cycles', url, '100000')
  while ((await store.listRuns({ status: 'done' })).items.length < 20) await new Promise(setImmediate)
  worker.child.kill('SIGKILL')
  await expect(worker.ended).rejects.toThrow('SIGKILL')
  const wrong = await onDatabase(
    url,
    `select id from querent.runs where last_seq <> (select max(seq) from querent.events where run = number)
      or (status = 'waiting') <> exists (select 1 from querent.asks where owner = number and state = 'open')`,
  )
  expect(wrong).toEqual([])
})
