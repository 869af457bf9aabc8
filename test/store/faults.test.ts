import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/core/ambient.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { Writer } from '../../src/store/sqlite/writer.ts'
import type { Store } from '../../src/store/store.ts'
import { createRun } from '../../src/store/transitions/create-run.ts'
import { newRun } from '../../src/testing/store-kit/fixtures.ts'
import { newFolder } from './open.ts'

let folder: string
let path: string
let remove: () => Promise<void>
const opened: Store[] = []

beforeEach(async () => {
  const made = await newFolder()
  folder = made.folder
  path = join(folder, 'querent.db')
  remove = made.remove
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
  await remove()
})

function open(file = path): Store {
  const store = sqlite(file)
  opened.push(store)
  return store
}

test('no path, and memory, are refused at once', () => {
  expect(() => sqlite('')).toThrow(expect.objectContaining({ code: 'T1003' }))
  expect(() => sqlite(':memory:')).toThrow(/file/)
})

test('a folder that is not there, and a file that is no database, are said so', async () => {
  await expect(open(join(folder, 'missing', 'querent.db')).migrate()).rejects.toMatchObject({
    code: 'T1003',
    message: expect.stringContaining('folder'),
  })
  const text = join(folder, 'notes.txt')
  await writeFile(text, 'These are notes, and no database at all. '.repeat(50))
  await expect(open(text).createRun(newRun())).rejects.toMatchObject({
    code: 'T1003',
    message: expect.stringContaining('no SQLite database'),
  })
})

test('an opening that failed is tried again by the next call', async () => {
  const late = join(folder, 'late', 'querent.db')
  const store = open(late)
  await expect(store.getRun('none')).rejects.toMatchObject({ code: 'T1003' })
  await mkdir(join(folder, 'late'))
  expect(await store.getRun('none')).toBeUndefined()
  expect(await store.createRun(newRun())).toEqual({ case: 'created' })
})

test('a read-only file is said so, and nothing is there', async () => {
  await open().migrate()
  await chmod(path, 0o444)
  await chmod(folder, 0o555)
  const store = open()
  await withoutPrivileges(async () => {
    await expect(store.createRun(newRun())).rejects.toMatchObject({
      code: 'T1003',
      message: expect.stringMatching(/read-only|may write/),
    })
  })
  await chmod(folder, 0o755)
  await chmod(path, 0o644)
  expect((await open().listRuns({})).items).toEqual([])
})

test('a full disk refuses what does not fit, keeps what was acknowledged, and writes again when there is room', async () => {
  const connection = new Connection(path, { readOnly: false })
  connection.execute('pragma journal_mode = wal')
  migrate(connection)
  const writer = new Writer({ path, clock: systemClock, open: async () => connection, tell: () => {} })
  const create = (title: string) => writer.write((context) => createRun(context, newRun({ title })))
  const [{ page_count: pages }] = connection.execute('pragma page_count') as [{ page_count: number }]
  connection.execute(`pragma max_page_count = ${pages + 8}`)
  let acknowledged = 0
  let refused: unknown
  while (refused === undefined) {
    const batch = await Promise.allSettled([create('x'.repeat(2000)), create('y'.repeat(2000))])
    for (const result of batch) {
      if (result.status === 'fulfilled') acknowledged += 1
      else refused = result.reason
    }
  }
  expect(String(refused)).toContain('the disk is full')
  expect(acknowledged).toBeGreaterThan(0)
  const other = new DatabaseSync(path)
  expect(other.prepare('select count(*) as runs from runs').get()).toEqual({ runs: acknowledged })
  connection.execute('pragma max_page_count = 100000')
  expect(await create('there is room again')).toEqual({ case: 'created' })
  expect(other.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  other.close()
  connection.close()
})

test('a busy file holds a write up, not the event loop, and reads go on', async () => {
  const store = open()
  await store.migrate()
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const run = newRun()
  let written = false
  const write = store.createRun(run).then(() => {
    written = true
  })
  for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate)
  expect(await store.getRun(run.id)).toBeUndefined()
  expect(written).toBe(false)
  other.exec('rollback')
  other.close()
  await write
  expect(await store.getRun(run.id)).toMatchObject({ status: 'ready' })
})

/** Runs something as a user who owns nothing, where this process could do everything. */
async function withoutPrivileges(act: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    await act()
  } finally {
    process.seteuid?.(0)
  }
}
