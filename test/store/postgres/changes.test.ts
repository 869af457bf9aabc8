import { expect, test, vi } from 'vitest'
import pg from 'pg'
import { systemClock } from '../../../src/core/ambient.ts'
import { Changes } from '../../../src/store/postgres/changes.ts'
import { Connections } from '../../../src/store/postgres/connections.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import { newRun, parked, working } from '../../../src/testing/store-kit/fixtures.ts'
import { newDatabase, newSchema } from '../../setup/postgres-database.ts'
import { onDatabase } from '../../setup/postgres-server.ts'
import { startProxy } from './proxy.ts'

async function turn(): Promise<void> {
  await new Promise(setImmediate)
}

/** Listens, and counts what it is told; `next` resolves with the next hint. */
function listenTo(store: { onChange: Store['onChange'] }) {
  const heard: string[] = []
  const stop = store.onChange((run) => heard.push(run))
  const next = async () => {
    const before = heard.length
    while (heard.length === before) await turn()
    return heard.at(-1)
  }
  return { heard, stop, next }
}

/** Sessions of stores on a database that only listen. */
async function listening(url: string): Promise<number> {
  const sql = `select count(*)::integer as n from pg_stat_activity where datname = current_database()
    and (query like 'listen %' or query like '%pg_current_snapshot%') and pid <> pg_backend_pid()`
  return Number((await onDatabase(url, sql))[0]?.n)
}

test('a connection that listens is there while somebody does, and at no other time', async () => {
  const { url, drop } = await newDatabase()
  const store = postgres(url)
  await store.migrate()
  expect(await listening(url)).toBe(0)
  const [first, second] = [listenTo(store), listenTo(store)]
  await first.next()
  expect(await listening(url)).toBe(1)
  first.stop()
  await working(store)
  expect(await listening(url)).toBe(1)
  second.stop()
  while ((await listening(url)) > 0) await turn()
  expect(second.heard.length).toBeGreaterThan(first.heard.length)
  await store.close()
  await drop()
})

test('what others commit is told by its run, and what is ours is not told again as theirs', async () => {
  const { url, schema, drop } = newSchema()
  const [ours, theirs] = [postgres(url, { schema }), postgres(url, { schema })]
  await ours.migrate()
  const { next, heard } = listenTo(ours)
  expect(await next()).toBe('*')
  const told = next()
  const theirRun = await working(theirs)
  expect(await told).toBe(theirRun.run)
  heard.length = 0
  const { run } = await parked(ours)
  // Ours comes back as a notification, too; one of theirs that follows it says that it has passed.
  const last = newRun()
  await theirs.createRun(last)
  while (heard.at(-1) !== last.id) await next()
  expect(new Set(heard)).toEqual(new Set([run, last.id]))
  await Promise.all([ours.close(), theirs.close()])
  await drop()
})

test('a connection that is cut is made again, and what came meanwhile is told', async () => {
  const { url, schema, drop } = newSchema()
  const proxy = await startProxy(url)
  const [ours, theirs] = [postgres(proxy.url, { schema }), postgres(url, { schema })]
  await theirs.migrate()
  const { next } = listenTo(ours)
  await next()
  proxy.shut()
  await theirs.createRun(newRun())
  const told = next()
  proxy.open()
  expect(await told).toBe('*')
  await Promise.all([ours.close(), theirs.close()])
  await proxy.close()
  await drop()
})

test('where no notification comes through it looks whether anything was committed', async () => {
  const { url, schema, drop } = newSchema()
  const theirs = postgres(url, { schema })
  await theirs.migrate()
  const connections = new Connections({ connectionString: url }, { max: 1 })
  // As behind a pooler: LISTEN is taken, and no notification ever comes.
  const changes = new Changes({ channel: 'deaf', connect: () => connections.connect(), notify: async () => {} })
  const { next } = listenTo({ onChange: (listener) => changes.listen(listener) })
  await next()
  const told = next()
  await theirs.createRun(newRun())
  expect(await told).toBe('*')
  changes.clear()
  await changes.idle()
  await connections.end()
  await theirs.close()
  await drop()
})

test('many commits of others at once are one hint, and another when some time has passed', async () => {
  const { url, schema, drop } = newSchema()
  const ours = postgres(url, { schema })
  await ours.migrate()
  const { next, heard } = listenTo(ours)
  await next()
  heard.length = 0
  const cooled: (() => void)[] = []
  const after = vi.spyOn(systemClock, 'after').mockImplementation((_, callback) => {
    cooled.push(callback)
    return () => {}
  })
  const channel = `querent ${schema}`
  const other = new pg.Client(url)
  await other.connect()
  const last = new Promise((resolve) =>
    other.on('notification', ({ payload }) => payload === '100' && resolve(payload)),
  )
  await other.query(`listen "${channel}"`)
  const first = next()
  for (let payload = 1; payload <= 100; payload += 1)
    await other.query('select pg_notify($1, $2)', [channel, `${payload}`])
  expect([await first, await last]).toEqual(['*', '100'])
  expect(heard).toEqual(['*'])
  for (const callback of cooled) callback()
  await turn()
  expect(heard).toEqual(['*', '*'])
  after.mockRestore()
  await other.end()
  await ours.close()
  await drop()
})

test('too many runs at once, or ids too long for a notification, are told as something', async () => {
  const { url, schema, drop } = newSchema()
  const [ours, theirs] = [postgres(url, { schema }), postgres(url, { schema, connections: 1 })]
  await ours.migrate()
  const { next, heard } = listenTo(ours)
  await next()
  heard.length = 0
  const long = newRun({ id: `run_${'long'.repeat(2000)}` })
  await theirs.createRun(long)
  expect(await next()).toBe('*')
  heard.length = 0
  const channel = `querent ${schema}`
  const named = JSON.stringify(['somebody', ...Array.from({ length: 101 }, (_, index) => `run_${index}`)])
  await onDatabase(url, `select pg_notify('${channel}', '${named}')`)
  expect(await next()).toBe('*')
  await Promise.all([ours.close(), theirs.close()])
  await drop()
})

test('a store that closes at once has told others of what it wrote', async () => {
  const { url, schema, drop } = newSchema()
  const listener = postgres(url, { schema })
  await listener.migrate()
  const { next } = listenTo(listener)
  await next()
  const told = next()
  const brief = postgres(url, { schema })
  const run = newRun()
  await brief.createRun(run)
  await brief.close()
  expect(await told).toBe(run.id)
  await listener.close()
  await drop()
})
