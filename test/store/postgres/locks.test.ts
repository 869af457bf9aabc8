import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  ann,
  childOf,
  finished,
  newAsk,
  newRun,
  offer,
  opening,
  parked,
  working,
} from '../../../src/testing/store-kit/fixtures.ts'
import { newSchema, type TestSchema } from '../../setup/postgres-database.ts'

/* What row locks can do that one writer at a time cannot. */

let place: TestSchema
let store: Store
let other: pg.Client
let pool: pg.Pool
let deadlocks: number

/** Counts what the server sends back because two wait for each other. */
class Counting extends pg.Client {
  // The one form that the store uses.
  override query = ((statement: pg.QueryConfig) =>
    (super.query(statement) as Promise<pg.QueryResult>).catch((error: { code?: string }) => {
      if (error.code === '40P01') deadlocks += 1
      throw error
    })) as pg.Client['query']
}

beforeEach(async () => {
  deadlocks = 0
  place = newSchema()
  pool = new pg.Pool({ connectionString: place.url, Client: Counting })
  store = postgres({ pool }, { schema: place.schema })
  await store.migrate()
  other = new pg.Client(place.url)
  await other.connect()
  await other.query(`set search_path to ${place.schema}`)
})

afterEach(async () => {
  await other.end()
  await store.close()
  await pool.end()
  await place.drop()
})

const request = { ...offer, agents: ['asker', 'helper'] }

/** Locks the row of a run, as a transition of another process would. */
async function lock(run: string): Promise<void> {
  await other.query('begin')
  await other.query('select 1 from runs where id = $1 for update', [run])
}

/** Resolves when somebody waits for a lock of this test's tables. */
async function somebodyWaits(): Promise<void> {
  const admin = new pg.Client(place.url)
  await admin.connect()
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%${place.schema}%'`
  while ((await admin.query(waiting)).rowCount === 0) await new Promise(setImmediate)
  await admin.end()
}

test('a claim takes what is free, and does not wait for what somebody else has', async () => {
  const [first, second] = [newRun(), newRun()]
  await store.createRun(first)
  await store.createRun(second)
  await lock(first.id)
  expect(await store.claimRun(request)).toMatchObject({ run: second.id })
  await other.query('rollback')
})

test('where nothing else is due it waits: who has the run may leave it as it is, and tell nobody', async () => {
  const run = newRun()
  await store.createRun(run)
  await lock(run.id)
  const claiming = store.claimRun(request)
  await somebodyWaits()
  await other.query('rollback')
  expect(await claiming).toMatchObject({ run: run.id, fence: 1 })
})

test('a claim that waited for a run that somebody took gets nothing', async () => {
  const run = newRun()
  await store.createRun(run)
  await lock(run.id)
  const claiming = store.claimRun(request)
  await somebodyWaits()
  await other.query(`update runs set status = 'stopped', due_at = null where id = $1`, [run.id])
  await other.query('commit')
  expect(await claiming).toBeUndefined()
})

test('a claim locks the one that it takes, and none that it looked at', async () => {
  await store.createRun(newRun({ agent: 'asker' }))
  const helper = newRun({ agent: 'helper' })
  await store.createRun(helper)
  const rival = postgres(place.url, { schema: place.schema })
  await lock(helper.id)
  // The rival looks at both runs in a transaction that it cannot end yet.
  const both = Promise.all([store.claimRun(request), rival.claimRun(request)])
  await somebodyWaits()
  await other.query('rollback')
  const claims = await both
  expect(claims.map((claim) => claim?.row.agent).sort()).toEqual(['asker', 'helper'])
  await rival.close()
})

test('a root is stopped while its child ends, thirty times: neither waits for the other, and all are over', async () => {
  for (let round = 0; round < 30; round += 1) {
    const root = await working(store)
    const child = await working(store, { agent: 'helper', parent: childOf(root.run) })
    await store.parkRun(root, { events: [] })
    const [stopped, ended] = await Promise.all([
      store.stopRun({
        run: root.run,
        by: ann,
        close: (log) => ({ events: [], usage: { inputTokens: log.length, outputTokens: 0, totalTokens: 0 } }),
      }),
      store.finishRun(child, { events: [finished(2)] }, { status: 'done' }),
    ])
    expect(stopped.case).toBe('stopped')
    expect(['ok', 'lost']).toContain(ended.case)
    expect((await store.getRun(root.run))?.status).toBe('stopped')
    expect((await store.getRun(child.run))?.status).toBe(ended.case === 'ok' ? 'done' : 'stopped')
  }
  expect(deadlocks).toBe(0)
})

test('a message to a root, the stop of its child and an expiry below it at once, twenty times', async () => {
  for (let round = 0; round < 20; round += 1) {
    const root = await working(store)
    const child = await working(store, { agent: 'helper', parent: childOf(root.run) })
    const ask = newAsk({
      step: 'tool 1.1',
      waitMs: -1,
      root: { run: root.run, step: 'tool 1.1/tool 1.1', path: ['asker', 'helper'], seq: 1 },
    })
    await store.parkRun(child, opening(2, ask))
    await store.parkRun(root, { events: [] })
    const close = () => ({ events: [], usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } })
    await Promise.all([
      store.addMessage({ run: root.run, from: 'person', content: 'Wait.' }),
      store.stopRun({ run: child.run, by: ann, close }),
      store.expireAsks(10),
      store.settleAsk({ ask: ask.id, outcome: 'refused', by: ann }),
    ])
    expect((await store.getRun(child.run))?.status).toBe('stopped')
    expect((await store.getAsk(ask.id))?.state).not.toBe('open')
  }
  expect(deadlocks).toBe(0)
})

for (const errcode of ['40P01', '40001']) {
  test(`a transition that Postgres sends back with ${errcode} is done again`, async () => {
    await other.query(`create sequence tries;
      create function send_back() returns trigger language plpgsql as $$
      begin
        if nextval('${place.schema}.tries') < 3 then raise exception 'sent back' using errcode = '${errcode}'; end if;
        return new;
      end $$;
      create trigger send_back before insert on events for each row execute function send_back()`)
    const run = newRun()
    expect(await store.createRun(run)).toEqual({ case: 'created' })
    expect(await store.readEvents(run.id, 0)).toHaveLength(1)
  })
}

test('an expiry passes over a run that somebody has; where nothing else is overdue it waits', async () => {
  const first = await parked(store, [newAsk({ waitMs: -2 })])
  const second = await parked(store, [newAsk({ waitMs: -1 })])
  await lock(first.run)
  expect(await store.expireAsks(10)).toEqual([second.run])
  const expiring = store.expireAsks(10)
  await somebodyWaits()
  await other.query('rollback')
  expect(await expiring).toEqual([first.run])
  expect(await store.getAsk(first.ask)).toMatchObject({ state: 'expired' })
})

test('a run that is erased while somebody settles its ask is not there for them', async () => {
  const held = await working(store)
  const ask = newAsk()
  await store.append(held, opening(2, ask))
  await lock(held.run)
  const settling = store.settleAsk({ ask: ask.id, outcome: 'approved', by: ann })
  await somebodyWaits()
  await other.query('delete from runs')
  await other.query('delete from asks')
  await other.query('commit')
  expect(await settling).toEqual({ case: 'none' })
})

test('an announcement that is committed behind a later one is told all the same', async () => {
  await store.addNotifier('mail')
  const { ask } = await parked(store)
  const told = await store.takeOutbox('mail', 10, 0)
  await store.ackOutbox('mail', told.at(-1)?.id ?? 0)
  // One that has begun, and one that begins later and is through first.
  await other.query('begin')
  await other.query(`insert into outbox (at, type, ask) select 1, 'ask.opened', number from asks where id = $1`, [ask])
  await store.settleAsk({ ask, outcome: 'approved', by: ann })
  const [settled] = await store.takeOutbox('mail', 10, 0)
  expect(settled).toMatchObject({ type: 'ask.settled' })
  await store.ackOutbox('mail', settled?.id ?? 0)
  await other.query('commit')
  expect(await store.takeOutbox('mail', 10, 0)).toMatchObject([{ type: 'ask.opened' }])
})

test('ids of announcements never come again, though the outbox was empty in between', async () => {
  await store.addNotifier('mail')
  await store.addNotifier('chat')
  const seen: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await parked(store)
    const [entry] = await store.takeOutbox('mail', 10, 0)
    seen.push(entry?.id ?? 0)
    for (const name of ['mail', 'chat']) await store.ackOutbox(name, entry?.id ?? 0)
  }
  expect(seen).toEqual([1, 2, 3])
})
