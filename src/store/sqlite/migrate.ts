import { readdirSync, readFileSync } from 'node:fs'
import { QuerentError } from '../../core/error.ts'
import type { Connection } from './connection.ts'

const folder = new URL('./migrations/', import.meta.url)

interface Migration {
  number: number
  file: string
}

function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .sort()
    .map((file) => ({ number: Number(file.slice(0, 4)), file }))
}

/**
 * Brings a database to the schema of this code. Each migration is one transaction that takes the write lock first and
 * its number next: of twenty processes that start at once one applies it, and the others then find it there.
 * @throws QuerentError T3002 where the database was made by newer code. SQLite's error where the file is busy: try again.
 */
export function migrate(connection: Connection): void {
  const known = migrations()
  const newest = known.at(-1)?.number ?? 0
  refuseNewer(appliedIn(connection), newest)
  for (const migration of known) {
    if (migration.number > appliedIn(connection)) apply(connection, { migration, newest })
  }
}

function apply(connection: Connection, { migration, newest }: { migration: Migration; newest: number }): void {
  connection.execute('begin immediate')
  try {
    const applied = appliedIn(connection)
    refuseNewer(applied, newest)
    if (applied < migration.number) {
      connection.script(`create table if not exists migrations (number integer primary key) strict;
        insert into migrations (number) values (${migration.number})`)
      connection.script(readFileSync(new URL(migration.file, folder), 'utf8'))
    }
    connection.execute('commit')
  } finally {
    if (connection.isTransaction) connection.execute('rollback')
  }
}

function appliedIn(connection: Connection): number {
  const [table] = connection.execute(`select 1 from sqlite_schema where type = 'table' and name = 'migrations'`)
  if (table === undefined) return 0
  const [row] = connection.execute('select max(number) as number from migrations') as { number: number | null }[]
  return row?.number ?? 0
}

function refuseNewer(applied: number, newest: number): void {
  if (applied <= newest) return
  throw new QuerentError(
    'T3002',
    `The database has the schema ${applied}, and this code knows ${newest} at most. Run the newer version of querent.`,
  )
}
