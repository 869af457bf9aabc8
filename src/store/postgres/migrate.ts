import { QuerentError } from '../../core/error.ts'
import { type Migration, migrationsIn, refuseNewer, type SchemaState } from '../migrations.ts'
import type { SchemaVersion } from '../store.ts'
import { type PgClient, quoted } from './pg.ts'
import { types } from './statements.ts'

const folder = new URL('./migrations/', import.meta.url)
const oldestServer = 140_000

/** The newest schema that this code knows. */
export function newestSchema(): number {
  return migrationsIn(folder).at(-1)?.number ?? 0
}

/**
 * Brings a schema to what this code needs. Each step is one transaction that takes a lock first and its number next: of
 * twenty processes that start at once one applies it, and the others then find it there.
 * @throws QuerentError T3002 where newer code changed it so that this code cannot use it; T1003 for a server that is too
 * old, or a database that is not UTF-8.
 */
export async function migrate(client: PgClient, schema: string): Promise<void> {
  await refuseServer(client)
  const known = migrationsIn(folder)
  const newest = known.at(-1)?.number ?? 0
  for (const migration of known) {
    const state = await stateOf(client, schema)
    refuseNewer(state, newest)
    if (state.applied < migration.number) await apply(client, { migration, schema, newest })
  }
}

/** How far a schema is. One that is not there stays so. */
export async function schemaVersionOf(client: PgClient, schema: string): Promise<SchemaVersion> {
  const [state, newest] = [await stateOf(client, schema), newestSchema()]
  refuseNewer(state, newest)
  return { applied: state.applied, newest }
}

async function apply(
  client: PgClient,
  { migration, schema, newest }: { migration: Migration; schema: string; newest: number },
): Promise<void> {
  const { number, compatibleSince, sql } = migration
  await client.query({ text: 'begin isolation level read committed read write' })
  await client.query({ text: 'set local statement_timeout = 0; set local lock_timeout = 0' })
  await client.query({
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`querent schema ${schema}`],
  })
  const state = await stateOf(client, schema)
  refuseNewer(state, newest)
  if (state.applied < number) {
    if (state.applied === 0) await createSchema(client, schema)
    await client.query({ text: `set local search_path to ${quoted(schema)}` })
    await client.query({
      text: `create table if not exists migrations (number integer primary key, compatible_since integer not null);
        insert into migrations (number, compatible_since) values (${number}, ${compatibleSince})`,
    })
    await client.query({ text: sql })
  }
  await client.query({ text: 'commit' })
}

async function createSchema(client: PgClient, schema: string): Promise<void> {
  const [there] = await rowsOf(client, 'select 1 as there from pg_namespace where nspname = $1', [schema])
  // "if not exists" asks for the right to create one even where it is there.
  if (!there) await client.query({ text: `create schema ${quoted(schema)}` })
}

async function stateOf(client: PgClient, schema: string): Promise<SchemaState> {
  // Looked up in the catalog: a backend remembers of a name that there was no such table, over its wait for a lock.
  const [there] = await rowsOf(
    client,
    `select 1 as there from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = $1 and relname = 'migrations'`,
    [schema],
  )
  if (!there) return { applied: 0, compatibleSince: 0 }
  const [row] = await rowsOf(
    client,
    `select coalesce(max(number), 0) as applied, coalesce(max(compatible_since), 0) as since
      from ${quoted(schema)}.migrations`,
  )
  return { applied: Number(row?.applied), compatibleSince: Number(row?.since) }
}

async function refuseServer(client: PgClient): Promise<void> {
  const [server] = await rowsOf(
    client,
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
      current_setting('server_encoding') as encoding`,
  )
  if (Number(server?.number) < oldestServer) {
    throw new QuerentError('T1003', `The server is Postgres ${server?.version}. Use 14 or a later one.`)
  }
  if (server?.encoding !== 'UTF8') {
    throw new QuerentError('T1003', `The database is encoded in ${server?.encoding}. Create one in UTF8.`)
  }
}

async function rowsOf(client: PgClient, text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const { rows } = await client.query({ text, types, ...(values ? { values } : {}) })
  return rows as Record<string, unknown>[]
}
