import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { ann, finished, newAsk, newRun, note, offer, opening, working } from '../../src/testing/store-kit/fixtures.ts'
import { newFolder } from './open.ts'

let path: string
let store: Store
let other: DatabaseSync
let remove: () => Promise<void>

beforeEach(async () => {
  const made = await newFolder()
  path = join(made.folder, 'querent.db')
  remove = made.remove
  store = sqlite(path)
  await store.migrate()
  other = new DatabaseSync(path)
})

afterEach(async () => {
  vi.restoreAllMocks()
  other.close()
  await store.close()
  await remove()
})

/** Runs that another connection sees: what is committed, and nothing else. */
function committed(): unknown[] {
  return other
    .prepare('select id from runs order by number')
    .all()
    .map((row) => row.id)
}

/** Counts the statements that the store runs, by how they begin. */
function countStatements(): (prefix: string) => number {
  const seen: string[] = []
  const all = StatementSync.prototype.all
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
    seen.push(this.sourceSQL)
    return all.apply(this, values)
  })
  return (prefix) => seen.filter((sql) => sql.startsWith(prefix)).length
}

test('transitions that arrive together share one commit, and each is acknowledged after it', async () => {
  const statements = countStatements()
  const runs = Array.from({ length: 20 }, () => newRun())
  const seen = await Promise.all(
    runs.map(async (run) => {
      await store.createRun(run)
      return committed().length
    }),
  )
  expect(seen).toEqual(runs.map(() => 20))
  expect(statements('commit')).toBe(1)
  expect(committed()).toEqual(runs.map((run) => run.id))
})

test('a cycle of start, ask, answer and end is four commits', async () => {
  const statements = countStatements()
  const held = await working(store)
  const ask = newAsk()
  await store.parkRun(held, opening(2, ask))
  const settled = await store.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer })
  if (settled.case !== 'settled' || !settled.claim) throw new Error('not settled')
  await store.finishRun(settled.claim, { events: [finished(4)] }, { status: 'done' })
  expect(statements('commit')).toBe(4)
})

test('a hint is given after the commit', async () => {
  const hints: [string, unknown[]][] = []
  store.onChange((run) => hints.push([run, committed()]))
  const run = newRun()
  await store.createRun(run)
  expect(hints).toEqual([[run.id, [run.id]]])
})

test('a listener that throws refuses no write', async () => {
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const thrown = new Promise<unknown>((resolve) => process.once('uncaughtException', resolve))
  try {
    const stop = store.onChange(() => {
      throw new Error('a listener broke')
    })
    const first = store.createRun(newRun())
    const next = first.then(() => store.createRun(newRun()))
    expect(String(await thrown)).toBe('Error: a listener broke')
    stop()
    expect(await Promise.all([first, next])).toEqual([{ case: 'created' }, { case: 'created' }])
  } finally {
    for (const each of others) process.on('uncaughtException', each)
  }
})

test('one that fails takes back what it wrote, and no other', async () => {
  const held = await working(store)
  const hints: string[] = []
  store.onChange((run) => hints.push(run))
  const [before, after] = [newRun(), newRun()]
  const results = await Promise.allSettled([
    store.createRun(before),
    store.append(held, { events: [note(2), note(7)] }),
    store.createRun(after),
  ])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(committed()).toEqual([held.run, before.id, after.id])
  expect(await store.readEvents(held.run, 0)).toHaveLength(1)
  expect(hints).toEqual([before.id, after.id])
})

test('where the transaction is lost all are refused, none is there, no hint is given, and the next goes through', async () => {
  // What a full disk or a failing one does to SQLite: the whole transaction ends, in the middle of one statement.
  other.exec(`create trigger lose before insert on runs when new.title = 'lose it'
    begin select raise(rollback, 'the disk went away'); end`)
  const hints: string[] = []
  store.onChange((run) => hints.push(run))
  const runs = [newRun(), newRun({ title: 'lose it' }), newRun()]
  const results = await Promise.allSettled(runs.map((run) => store.createRun(run)))
  expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual(
    runs.map(() => 'Error: the disk went away'),
  )
  expect(committed()).toEqual([])
  expect(hints).toEqual([])
  const next = newRun()
  expect(await store.createRun(next)).toEqual({ case: 'created' })
  expect(committed()).toEqual([next.id])
  expect(hints).toEqual([next.id])
})

test('a commit that fails refuses all', async () => {
  const all = StatementSync.prototype.all
  const runs = [newRun(), newRun()]
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
    if (this.sourceSQL === 'commit') throw new Error('no commit')
    return all.apply(this, values)
  })
  const results = await Promise.allSettled(runs.map((run) => store.createRun(run)))
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected'])
  vi.restoreAllMocks()
  expect(committed()).toEqual([])
  await store.createRun(newRun())
  expect(committed()).toHaveLength(1)
})

test('more than fit one commit are written in several', async () => {
  const statements = countStatements()
  await Promise.all(Array.from({ length: 450 }, () => store.createRun(newRun())))
  expect(statements('commit')).toBe(3)
  expect(committed()).toHaveLength(450)
})

test('one that follows from the last of a commit is not forgotten', async () => {
  // Each is sent in the very moment in which the writer sees that nothing waits.
  for (let count = 0; count < 50; count += 1) await store.createRun(newRun())
  expect(committed()).toHaveLength(50)
})

test('synchronous is full, and normal where durability is relaxed', async () => {
  const statements = countStatements()
  const strict = sqlite(path)
  await strict.migrate()
  expect(statements('pragma synchronous = full')).toBe(1)
  const relaxed = sqlite(path, { durability: 'relaxed' })
  await relaxed.migrate()
  expect(statements('pragma synchronous = normal')).toBe(1)
  await Promise.all([strict.close(), relaxed.close()])
  expect(other.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
})
