import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { code, QuerentError } from '../../../src/core/error.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import { ann, finished, newAsk, newRun, opening, parked, working } from '../../../src/testing/store-kit/fixtures.ts'
import { newDatabase, newSchema, type TestSchema } from '../../setup/postgres-database.ts'
import { onDatabase } from '../../setup/postgres-server.ts'
import { startProxy, type TcpProxy } from './proxy.ts'

let place: TestSchema
let proxy: TcpProxy
const opened: Store[] = []

beforeEach(async () => {
  place = newSchema()
  proxy = await startProxy(place.url)
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
  await proxy.close()
  await place.drop()
})

function open(database: Parameters<typeof postgres>[0], options: Parameters<typeof postgres>[1] = {}): Store {
  const store = postgres(database, { schema: place.schema, ...options })
  opened.push(store)
  return store
}

async function faultOf(promise: Promise<unknown>): Promise<QuerentError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof QuerentError)) throw new Error(`A QuerentError was expected, not ${error}.`)
  return error
}

function urlWith(change: (url: URL) => void): string {
  const url = new URL(place.url)
  change(url)
  return url.href
}

test('what is no database is refused at once', () => {
  for (const given of ['', 'querent.db', 'mysql://localhost/x', 7, null, undefined]) {
    expect(() => postgres(given as never)).toThrow(expect.objectContaining({ code: code.T1003 }))
  }
  for (const options of [{ connections: 0 }, { connections: 1.5 }, { schema: '' }, { schema: 'pg_mine' }]) {
    expect(() => postgres(place.url, options)).toThrow(expect.objectContaining({ code: code.T1003 }))
  }
})

const wrongs: [string, () => string, RegExp][] = [
  ['a wrong password', () => urlWith((url) => (url.password = 'hunter2')), /password authentication failed/],
  ['an unknown user', () => urlWith((url) => (url.username = 'nobody_here')), /nobody_here/],
  ['an unknown database', () => urlWith((url) => (url.pathname = '/nowhere')), /"nowhere" does not exist/],
  ['an unknown host', () => urlWith((url) => (url.hostname = 'nowhere.invalid')), /nowhere\.invalid/],
  ['a port where nobody listens', () => urlWith((url) => (url.port = '1')), /ECONNREFUSED/],
  ['an unreadable URL', () => 'postgres://user:hunter2@host:notaport/x', /cannot be read/],
]

for (const [what, urlOf, said] of wrongs) {
  test(`${what} is said, where it was, and never the password`, async () => {
    const url = urlOf()
    const store = open(url)
    for (const error of [await faultOf(store.migrate()), await faultOf(store.getRun('none'))]) {
      expect([error.code, error.message]).toEqual([code.T1003, expect.stringMatching(said)])
      for (const secret of [decodeURIComponent(new URL(place.url).password), 'hunter2']) {
        expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(secret)
      }
    }
  })
}

test('a user who may not make the schema is told so; one for whom it was made needs no such right', async () => {
  const { url, drop } = await newDatabase()
  await onDatabase(url, `drop role if exists querent_weak; create role querent_weak login password 'weak'`)
  const weak = new URL(url)
  weak.username = 'querent_weak'
  weak.password = 'weak'
  const first = postgres(weak.href)
  const error = await faultOf(first.migrate())
  expect([error.code, error.message]).toEqual([code.T1003, expect.stringContaining('permission denied')])
  await onDatabase(url, 'create schema querent authorization querent_weak')
  expect(await first.createRun(newRun())).toEqual({ case: 'created' })
  await first.close()
  await drop()
  await onDatabase(place.url, 'drop role querent_weak')
})

test('an opening that failed is tried again by the next call', async () => {
  proxy.shut()
  const store = open(proxy.url)
  expect((await faultOf(store.migrate())).code).toBe(code.T1003)
  proxy.open()
  expect(await store.createRun(newRun())).toEqual({ case: 'created' })
})

test('a pool in which no connection is free in time: T3003; when one is, it goes on', async () => {
  const pool = new pg.Pool({ connectionString: place.url, max: 1, connectionTimeoutMillis: 300 })
  const store = open({ pool })
  await store.migrate()
  const held = await pool.connect()
  const error = await faultOf(store.createRun(newRun()))
  expect([error.code, error.retry, error.message]).toEqual([
    code.T3003,
    true,
    expect.stringContaining('all of the pool'),
  ])
  held.release()
  expect(await store.createRun(newRun())).toEqual({ case: 'created' })
  await store.close()
  // It is ours, and works on.
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('connections that are cut while nothing happens are not noticed by anybody', async () => {
  const store = open(proxy.url, { connections: 3 })
  await Promise.all([newRun(), newRun(), newRun()].map((run) => store.createRun(run)))
  proxy.cut()
  expect(await store.createRun(newRun())).toEqual({ case: 'created' })
  expect((await store.listRuns({})).items).toHaveLength(4)
})

test('a connection that is cut before the server has the commit: T3003, nothing is there, and the same again is done', async () => {
  const store = open(proxy.url, { connections: 1 })
  const { ask } = await parked(store)
  const settle = { ask, outcome: 'approved', by: ann, answer: { id: 'a1', hash: 'h' } } as const
  proxy.cutCommit('before')
  const error = await faultOf(store.settleAsk(settle))
  expect([error.code, error.message]).toEqual([code.T3003, expect.stringContaining('not known whether')])
  expect(await store.settleAsk(settle)).toMatchObject({ case: 'settled' })
})

test('one that is cut when the server has committed: T3003, all is there, and the same again is a duplicate', async () => {
  const store = open(proxy.url, { connections: 1 })
  const { ask } = await parked(store)
  const settle = { ask, outcome: 'approved', by: ann, answer: { id: 'a1', hash: 'h' } } as const
  proxy.cutCommit('after')
  expect((await faultOf(store.settleAsk(settle))).code).toBe(code.T3003)
  expect(await store.settleAsk(settle)).toMatchObject({ case: 'duplicate' })
})

test('a start with a key, cut at the commit either way, is one run', async () => {
  const store = open(proxy.url, { connections: 1 })
  await store.migrate()
  for (const when of ['before', 'after'] as const) {
    const key = { key: when, hash: 'h' }
    proxy.cutCommit(when)
    expect((await faultOf(store.createRun(newRun({ key })))).code).toBe(code.T3003)
    await store.createRun(newRun({ key }))
    expect((await store.createRun(newRun({ key }))).case).toBe('same')
  }
  expect((await store.listRuns({})).items).toHaveLength(2)
})

test('a server that is away for a while holds calls up, and loses none', async () => {
  const store = open(proxy.url, { connections: 2 })
  await store.migrate()
  proxy.shut()
  const runs = Array.from({ length: 5 }, () => newRun())
  const starts = Promise.all(runs.map((run) => store.createRun(run)))
  const reading = store.listRuns({})
  for (let turns = 0; turns < 200; turns += 1) await new Promise(setImmediate)
  proxy.open()
  expect(await starts).toEqual(runs.map(() => ({ case: 'created' })))
  await reading
  expect((await store.listRuns({})).items).toHaveLength(5)
})

test('statements that a connection does not know, or knows already, are sent unprepared from then on', async () => {
  // A pooler in transaction mode: the next transaction is on a connection that another client has used.
  const pool = new pg.Pool({ connectionString: place.url, max: 1 })
  const store = open({ pool })
  const { ask } = await parked(store)
  await pool.query('deallocate all')
  expect(await store.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })).toMatchObject({ case: 'settled' })
  await store.createRun(newRun())
  const names = await pool.query('select name from pg_prepared_statements')
  expect(names.rows).toEqual([])
  await store.close()
  await pool.end()
})

test('with `prepare: false` nothing is prepared', async () => {
  const pool = new pg.Pool({ connectionString: place.url, max: 1 })
  const store = open({ pool }, { prepare: false })
  await parked(store)
  expect((await pool.query('select name from pg_prepared_statements')).rows).toEqual([])
  await store.close()
  await pool.end()
})

test('a column that comes while statements are prepared holds nobody up: a rolling deploy', async () => {
  const store = open(place.url, { connections: 4 })
  const asks = [newAsk(), newAsk()]
  const { run } = await parked(store, asks)
  await Promise.all(asks.map((ask) => store.getAsk(ask.id)))
  await onDatabase(
    place.url,
    `set search_path to ${place.schema};
    alter table runs add column colour text; alter table asks add column colour text`,
  )
  const settle = (ask: string) => store.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
  const settled = await Promise.all(asks.map((ask) => settle(ask.id)))
  expect(settled.map((each) => each.case)).toEqual(['settled', 'settled'])
  expect(await store.getRun(run)).toMatchObject({ status: 'ready' })
})

test('a transition that fails in the middle leaves nothing, and its connection to nobody', async () => {
  const store = open(place.url, { connections: 1 })
  const held = await working(store)
  const broken = { ...opening(2, newAsk()), open: [newAsk()] }
  await expect(store.append(held, broken)).rejects.toThrow('without an event')
  const gap = { events: [finished(2), finished(9)] }
  await expect(store.append(held, gap)).rejects.toThrow('cannot follow')
  expect(await store.readEvents(held.run, 0)).toHaveLength(1)
  expect(await store.append(held, { events: [finished(2)] })).toMatchObject({ case: 'ok' })
})

test('a NUL in a title, and half a surrogate in an input, are kept as far as a text can keep them', async () => {
  const store = open(place.url)
  const run = newRun({ title: 'a\0b', agent: 'asker' })
  const odd = { ...run, started: { ...run.started, data: { ...run.started.data, input: 'a\0\uD800b' } } } as typeof run
  await store.createRun(odd)
  expect((await store.getRun(run.id))?.title).toBe('a\uFFFDb')
  const [started] = await store.readEvents(run.id, 0)
  expect(started?.data).toMatchObject({ input: 'a\0\uD800b' })
})

test('where `pg` is not installed the first use says what to install, and not the import', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier !== 'pg') return next(specifier, context)
        throw Object.assign(new Error("Cannot find package 'pg'"), { code: 'ERR_MODULE_NOT_FOUND' })
      },
    })
    const { postgres } = await import(${JSON.stringify(new URL('../../../src/postgres.ts', import.meta.url).href)})
    const error = await postgres('postgres://localhost/x').migrate().catch((error) => error)
    console.log(error.code, error.message)
  `
  const options = ['--conditions=querent-source', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  expect(stdout).toBe('T1007 A store on Postgres needs the package "pg". Install it: npm install pg@8\n')
})
