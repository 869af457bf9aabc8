import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { newRun } from '../../src/testing/store-kit/fixtures.ts'
import { newFolder } from './open.ts'

let path: string
let remove: () => Promise<void>

beforeEach(async () => {
  const made = await newFolder()
  path = join(made.folder, 'querent.db')
  remove = made.remove
})

afterEach(() => remove())

/** The schema as SQLite keeps it. */
function schema(): string {
  const db = new DatabaseSync(path)
  const rows = db.prepare('select sql from sqlite_schema where sql is not null order by type desc, name').all()
  db.close()
  return `${rows.map((row) => `${row.sql};`).join('\n\n')}\n`
}

test('the schema is the one in test/golden', async () => {
  const store = sqlite(path)
  await store.migrate()
  await store.close()
  await expect(schema()).toMatchFileSnapshot('../golden/schema-sqlite.sql')
})

test('the first use migrates, and a second time changes nothing', async () => {
  const first = sqlite(path)
  const run = newRun()
  await first.createRun(run)
  await first.close()
  const before = schema()
  const second = sqlite(path)
  await second.migrate()
  await second.migrate()
  expect(await second.getRun(run.id)).toMatchObject({ status: 'ready' })
  await second.close()
  expect(schema()).toBe(before)
})

test('a database that newer code made is refused, and left as it is', async () => {
  const old = sqlite(path)
  await old.migrate()
  await old.close()
  const db = new DatabaseSync(path)
  db.exec('insert into migrations (number, compatible_since) values (9999, 9999)')
  db.close()
  const store = sqlite(path)
  const t3002 = expect.objectContaining({ code: 'T3002', message: expect.stringContaining('9999') })
  await expect(store.migrate()).rejects.toEqual(t3002)
  await expect(store.createRun(newRun())).rejects.toEqual(t3002)
  await expect(store.getRun('none')).rejects.toEqual(t3002)
  await store.close()
  const after = new DatabaseSync(path)
  expect(after.prepare('select count(*) as runs from runs').get()).toEqual({ runs: 0 })
  after.close()
})

test('a database that newer code changed in a way that this code survives is used, and left as it is', async () => {
  const old = sqlite(path)
  await old.migrate()
  await old.close()
  const db = new DatabaseSync(path)
  db.exec('alter table runs add column colour text; insert into migrations (number, compatible_since) values (9999, 1)')
  db.close()
  const before = schema()
  const store = sqlite(path)
  const run = newRun()
  expect(await store.createRun(run)).toEqual({ case: 'created' })
  expect(await store.getRun(run.id)).toMatchObject({ status: 'ready' })
  await store.close()
  expect(schema()).toBe(before)
})
