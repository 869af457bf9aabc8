import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isAlive } from '../../src/engine/owner.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { newAsk, newRun, offer, opening, parked, working } from '../../src/testing/store-kit/fixtures.ts'
import { newFolder } from './open.ts'
import { startWorker } from './processes.ts'

let path: string
let store: Store
let remove: () => Promise<void>

beforeEach(async () => {
  const made = await newFolder()
  path = join(made.folder, 'querent.db')
  store = sqlite(path)
  remove = made.remove
})

afterEach(async () => {
  await store.close()
  await remove()
})

test('four processes write one file at once: every run is whole, and nothing is lost', async () => {
  const workers = Array.from({ length: 4 }, () => startWorker('cycles', path, '50'))
  await Promise.all(workers.map((worker) => worker.ended))
  const runs = (await Promise.all([store.listRuns({ limit: 200 })])).flatMap((page) => page.items)
  expect(runs).toHaveLength(200)
  for (const run of runs) {
    expect(run).toMatchObject({ status: 'done', fence: 2, lastSeq: 4 })
    const seqs = (await store.readEvents(run.id, 0)).map((event) => event.seq)
    expect(seqs).toEqual([1, 2, 3, 4])
  }
})

test('four processes answer the same asks at once: each ask is settled by one of them', async () => {
  const held = await working(store)
  const asks = Array.from({ length: 60 }, (_, index) => newAsk({ n: index + 1 }))
  await store.append(held, opening(2, ...asks))
  const ids = asks.map((ask) => ask.id)
  const workers = Array.from({ length: 4 }, () => startWorker('settle', path, ...ids))
  const won = await Promise.all(workers.map(async (worker) => Number(await worker.ended)))
  expect(won.reduce((sum, each) => sum + each)).toBe(60)
  const looked = await store.renewClaim(held, 1000)
  expect(looked.case === 'ok' && looked.mail.length).toBe(60)
})

test('four processes claim the same runs at once: no two have one, and every log is whole', async () => {
  await Promise.all(Array.from({ length: 20 }, () => store.createRun(newRun())))
  const workers = Array.from({ length: 4 }, () => startWorker('claim', path))
  const claims = await Promise.all(workers.map(async (worker) => Number(await worker.ended)))
  // Each run takes five claims: one for each event after its first.
  expect(claims.reduce((sum, each) => sum + each)).toBe(100)
  for (const run of (await store.listRuns({})).items) {
    expect(run).toMatchObject({ status: 'done', fence: 5, lastSeq: 6 })
  }
})

test('twenty processes bring a new file to its schema at once: one does, and all go on', async () => {
  const workers = Array.from({ length: 20 }, () => startWorker('create', path))
  await Promise.all(workers.map((worker) => worker.ended))
  expect((await store.listRuns({})).items).toHaveLength(20)
  const db = new DatabaseSync(path)
  expect(db.prepare('select number from migrations').all()).toEqual([{ number: 1 }])
  db.close()
})

test('what another process wrote is noticed by who listens', async () => {
  await store.migrate()
  const noticed = new Promise<string>((resolve) => store.onChange(resolve))
  await startWorker('create', path).ended
  expect(await noticed).toBe('*')
})

test('the runs of a killed process can be taken over at once', async () => {
  const worker = startWorker('hold', path)
  await worker.printed('holds')
  const [held] = await store.listOwners(offer.owner.host)
  expect(held?.pid).toBe(worker.child.pid)
  expect(held && isAlive({ ...held, bornAt: '' })).toBe(true)
  worker.child.kill('SIGKILL')
  await expect(worker.ended).rejects.toThrow('SIGKILL')
  expect(held && isAlive({ ...held, bornAt: '' })).toBe(false)
  const request = { ...offer, agents: ['asker'] }
  expect(await store.claimRun(request)).toBeUndefined()
  expect(await store.claimRun({ ...request, dead: [held?.id ?? ''] })).toMatchObject({ fence: 2 })
})

test('a process that waits for a busy file stays alive until its write is there', async () => {
  await parked(store)
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const worker = startWorker('create', path)
  // The worker has nothing but its write. It prints nothing while it waits, and did not end without a word.
  const first = await Promise.race([worker.ended.catch(String), lookedAt(worker.child.pid ?? 0)])
  other.exec('commit')
  other.close()
  expect(first).toBe('waits')
  expect(await worker.ended).toBe('created\n')
})

/** Resolves when a process has opened the file, and slept in its event loop many times since. */
async function lookedAt(pid: number): Promise<string> {
  const { readFile, readlink, readdir } = await import('node:fs/promises')
  const opened = async () => {
    const links = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const targets = await Promise.all(links.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    return targets.includes(path)
  }
  const switches = async () =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
  while (!(await opened())) await new Promise(setImmediate)
  const from = await switches()
  while ((await switches()) < from + 20) await new Promise(setImmediate)
  return 'waits'
}
