import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('many commits of others at once are a hint, and another when some time has passed', async () => {
  const { url, schema, drop } = newSchema()
  const ours = postgres(url, { schema })
  await ours.migrate()
  const timers: (() => void)[] = []
  const realAfter = systemClock.after
  // The time between hints stands still; whether the connection answers is seen as ever.
  const after = vi.spyOn(systemClock, 'after').mockImplementation((delayMs, callback) => {
    if (delayMs !== 50) return realAfter(delayMs, callback)
    timers.push(callback)
    return () => {}
  })
  onTestFinished(() => after.mockRestore())
  const { heard } = listenTo(ours)
  /** Lets time pass until so many hints have come. */
  const hints = async (count: number) => {
    while (heard.length < count) {
      for (const callback of timers.splice(0)) callback()
      await turn()
    }
  }
  await hints(1)
  for (const callback of timers.splice(0)) callback()
  heard.length = 0
  const channel = `querent ${schema}`
  const other = new pg.Client(url)
  await other.connect()
  for (let payload = 1; payload <= 100; payload += 1)
    await other.query('select pg_notify($1, $2)', [channel, `${payload}`])
  while (heard.length === 0) await turn()
  // No time has passed since the first.
  expect(heard).toEqual(['*'])
  await hints(2)
  expect(heard).toEqual(['*', '*'])
  await other.end()
  after.mockRestore()
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
  // Taken before, or what comes at once would be waited for ever.
  const told = next()
  await theirs.createRun(long)
  expect(await told).toBe('*')
  const channel = `querent ${schema}`
  const named = JSON.stringify(['somebody', ...Array.from({ length: 101 }, (_, index) => `run_${index}`)])
  const toldAgain = next()
  await onDatabase(url, `select pg_notify('${channel}', '${named}')`)
  expect(await toldAgain).toBe('*')
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

test('what is committed while the connection is being made is told, though others write all the while', async () => {
  const { url, schema, drop } = newSchema()
  const [ours, theirs, others] = [postgres(url, { schema }), postgres(url, { schema }), postgres(url, { schema })]
  const [quiet, loud] = [newRun(), newRun()]
  await theirs.createRun(quiet)
  await theirs.createRun(loud)
  let isOver = false
  const writing = (async () => {
    while (!isOver) await others.addMessage({ run: loud.id, from: 'person', content: 'again' })
  })()
  for (let time = 0; time < 40; time++) {
    const told = Promise.withResolvers<void>()
    const stop = ours.onChange((run) => {
      if (run === quiet.id || run === '*') told.resolve()
    })
    await theirs.addMessage({ run: quiet.id, from: 'person', content: 'once' })
    await told.promise
    stop()
  }
  isOver = true
  await writing
  await Promise.all([ours.close(), theirs.close(), others.close()])
  await drop()
})
