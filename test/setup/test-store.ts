import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Clock } from 'querent'
import { postgres } from 'querent/postgres'
import { sqlite } from 'querent/sqlite'
import type { Store } from 'querent/testing'
import { afterAll, inject } from 'vitest'
import { borrowSchema } from './postgres-database.ts'
import { onDatabase } from './postgres-server.ts'

/** A new, empty place for runs: a SQLite file, or a Postgres schema in the project that runs the tests on Postgres. */
export interface TestStore {
  /** Of the file. On Postgres of one that is not there: what must be SQLite may make it. */
  path: string
  /** A handle on it, as a process has one. `connections`: of its own, so many. */
  open(options?: { clock?: Clock; connections?: number }): Store
  /** Runs SQL behind the back of all handles. */
  execute(sql: string): Promise<void>
  /** Removes it. Every handle must be closed. */
  remove(): Promise<void>
}

export const onPostgres = process.env.QUERENT_TEST_STORE === 'postgres'

export function newTestStore(): TestStore {
  const folder = mkdtempSync(join(tmpdir(), 'querent-'))
  const path = join(folder, 'querent.db')
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  if (onPostgres) return { ...postgresStore(removeFolder), path }
  return {
    path,
    // Tests kill no machine, so nothing waits for the disk.
    open: ({ clock } = {}) => sqlite(path, { clock, durability: 'relaxed' }),
    async execute(sql) {
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
    },
    async remove() {
      removeFolder()
    },
  }
}

let pool: pg.Pool | undefined

afterAll(() => pool?.end())

/** One for all handles of this file: a connection takes a server longer than most tests. */
function sharedPool(): pg.Pool {
  pool ??= new pg.Pool({
    connectionString: inject('postgres'),
    pipeline: true,
    max: 20,
    connectionTimeoutMillis: 10_000,
  })
  return pool
}

function postgresStore(removeFolder: () => void): Omit<TestStore, 'path'> {
  const { url, schema, drop } = borrowSchema()
  return {
    open: ({ clock, connections } = {}) =>
      postgres(connections === undefined ? { pool: sharedPool() } : url, { schema, clock, connections }),
    async execute(sql) {
      await onDatabase(url, `set search_path to ${schema}; ${sql}`)
    },
    async remove() {
      removeFolder()
      await drop()
    },
  }
}
