import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sqlite } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type FaultPoint, faultStore, transitions } from './fault-store.ts'
import { newRun } from './store-kit/fixtures.ts'

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querent-fault-'))
  store = sqlite(join(folder, 'querent.db'))
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

test('each transition is two points, a read none', async () => {
  const points: string[] = []
  const watched = faultStore(store, ({ number, when, transition }) => {
    points.push(`${number} ${when} ${transition}`)
  })
  const run = newRun()
  await watched.createRun(run)
  await watched.getRun(run.id)
  await watched.eraseRun(run.id)
  expect(points).toEqual(['1 before createRun', '2 after createRun', '3 before eraseRun', '4 after eraseRun'])
})

test('before a point nothing is there, after it all is', async () => {
  const run = newRun()
  const there: unknown[] = []
  const watched = faultStore(store, async (point: FaultPoint) => {
    there.push(point.when, (await store.getRun(run.id))?.status, point.result)
  })
  await watched.createRun(run)
  expect(there).toEqual(['before', undefined, undefined, 'after', 'ready', { case: 'created' }])
})

test('a callback that throws rejects the transition: unwritten before it, written after it', async () => {
  for (const when of ['before', 'after'] as const) {
    const run = newRun()
    const faulty = faultStore(store, (point) => {
      if (point.when === when) throw new Error(`died ${when}`)
    })
    await expect(faulty.createRun(run)).rejects.toThrow(`died ${when}`)
    expect(await store.getRun(run.id)).toEqual(when === 'before' ? undefined : expect.objectContaining({ id: run.id }))
  }
})

test('every method that writes is a transition', () => {
  const reads = [
    'readEvents',
    'readyAgents',
    'getRun',
    'getAsk',
    'findAsks',
    'listRuns',
    'listAsks',
    'listOwners',
    'listClaims',
    'untilDeadline',
    'countWork',
    'schemaVersion',
  ]
  const other = ['name', 'migrate', 'onChange', 'close']
  expect([...transitions, ...reads, ...other].sort()).toEqual(Object.keys(store).sort())
})
