import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { ann, finished, newAsk, offer, opening, parked, working } from '../../src/testing/store-kit/fixtures.ts'
import { newFolder } from './open.ts'

/* What is in the file where no method of a store would show it. */

let store: Store
let db: DatabaseSync
let remove: () => Promise<void>

beforeEach(async () => {
  const made = await newFolder()
  const path = join(made.folder, 'querent.db')
  remove = made.remove
  store = sqlite(path)
  await store.migrate()
  db = new DatabaseSync(path)
})

afterEach(async () => {
  db.close()
  await store.close()
  await remove()
})

const tables = ['runs', 'events', 'asks', 'mail', 'keys', 'outbox', 'tombstones']

function rows(): Record<string, unknown> {
  return Object.fromEntries(
    tables.map((table) => [table, db.prepare(`select count(*) as rows from ${table}`).get()?.rows]),
  )
}

/** Start, ask, answer, end. */
async function cycle(key?: { key: string; hash: string }): Promise<string> {
  const held = await working(store, key ? { key } : {})
  const ask = newAsk()
  await store.parkRun(held, opening(2, ask))
  const settled = await store.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer })
  if (settled.case !== 'settled' || !settled.claim) throw new Error('not settled')
  await store.finishRun(settled.claim, { events: [finished(4)] }, { status: 'done' })
  return held.run
}

test('an erased run leaves a tombstone and nothing else', async () => {
  await store.addNotifier('mail')
  const run = await cycle({ key: 'k', hash: 'h' })
  expect(rows()).toEqual({ runs: 1, events: 4, asks: 1, mail: 0, keys: 1, outbox: 2, tombstones: 0 })
  await store.eraseRun(run)
  expect(rows()).toEqual({ runs: 0, events: 0, asks: 0, mail: 0, keys: 0, outbox: 0, tombstones: 1 })
  expect(db.prepare('select run, agent from tombstones').get()).toEqual({ run, agent: 'asker' })
})

test('what every notifier acknowledged is removed from the outbox', async () => {
  await store.addNotifier('mail')
  await store.addNotifier('chat')
  await cycle()
  const entries = await store.takeOutbox('mail', 10, 1000)
  await store.ackOutbox('mail', entries.at(-1)?.id ?? 0)
  expect(rows().outbox).toBe(2)
  await store.ackOutbox('chat', entries[0]?.id ?? 0)
  expect(rows().outbox).toBe(1)
  await store.ackOutbox('chat', entries.at(-1)?.id ?? 0)
  expect(rows().outbox).toBe(0)
})

test('without a notifier nothing is put into the outbox', async () => {
  await cycle()
  expect(rows().outbox).toBe(0)
})

test('what was asked stands once: in the row of the ask, not in the log too', async () => {
  await parked(store)
  expect(db.prepare(`select data from events where type = 'ask.opened'`).all()).toEqual([{ data: null }])
})
