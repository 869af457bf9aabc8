import { existsSync } from 'node:fs'
import { type Migration, migrationsIn, refuseNewer, type SchemaState } from '../migrations.ts'
import type { SchemaVersion } from '../store.ts'
import { Connection } from './connection.ts'

const folder = new URL('./migrations/', import.meta.url)

const createMigrations =
  'create table if not exists migrations (number integer primary key, compatible_since integer not null) strict'

/**
 * Brings a database to the schema of this code. Each migration is one transaction that takes the write lock first and
 * its number next: of twenty processes that start at once one applies it, and the others then find it there.
 * @throws QuerentError T3002 where newer code changed it so that this code cannot use it. SQLite's error where the file
 * is busy: try again.
 */
export function migrate(connection: Connection): void {
  const known = migrationsIn(folder)
  const newest = known.at(-1)?.number ?? 0
  refuseNewer(stateOf(connection), newest)
  for (const migration of known) {
    if (migration.number > stateOf(connection).applied) apply(connection, { migration, newest })
  }
}

/** How far a file is. One that is not there stays so. */
export function schemaVersionOf(path: string): SchemaVersion {
  const newest = migrationsIn(folder).at(-1)?.number ?? 0
  if (!existsSync(path)) return { applied: 0, newest }
  const connection = new Connection(path, { readOnly: true })
  try {
    const state = stateOf(connection)
    refuseNewer(state, newest)
    return { applied: state.applied, newest }
  } finally {
    connection.close()
  }
}

function apply(connection: Connection, { migration, newest }: { migration: Migration; newest: number }): void {
  const { number, compatibleSince, sql } = migration
  connection.execute('begin immediate')
  try {
    const state = stateOf(connection)
    refuseNewer(state, newest)
    if (state.applied < number) {
      connection.script(createMigrations)
      connection.script(`insert into migrations (number, compatible_since) values (${number}, ${compatibleSince})`)
      connection.script(sql)
    }
    connection.execute('commit')
  } finally {
    if (connection.isTransaction) connection.execute('rollback')
  }
}

function stateOf(connection: Connection): SchemaState {
  const [table] = connection.execute(`select 1 from sqlite_schema where type = 'table' and name = 'migrations'`)
  if (table === undefined) return { applied: 0, compatibleSince: 0 }
  const [row] = connection.execute(
    'select coalesce(max(number), 0) as applied, coalesce(max(compatible_since), 0) as since from migrations',
  ) as { applied: number; since: number }[]
  return { applied: row?.applied ?? 0, compatibleSince: row?.since ?? 0 }
}
