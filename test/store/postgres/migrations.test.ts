import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { code } from '../../../src/core/error.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { newRun, offer, parked } from '../../../src/testing/store-kit/fixtures.ts'
import { newDatabase, newSchema } from '../../setup/postgres-database.ts'
import { onDatabase } from '../../setup/postgres-server.ts'

/** Tables, their columns, and indexes, as Postgres tells them. */
async function schemaOf(url: string, schema: string): Promise<string> {
  const tables = await onDatabase(
    url,
    `select table_name as table, string_agg('  ' || column_name || ' ' || data_type
        || coalesce(' collate "' || collation_name || '"', '')
        || case when is_nullable = 'NO' then ' not null' else '' end
        || case when is_identity = 'YES' then ' generated ' || lower(identity_generation) || ' as identity' else '' end,
        E',\\n' order by ordinal_position) as columns
      from information_schema.columns where table_schema = '${schema}' group by table_name order by table_name`,
  )
  const indexes = await onDatabase(
    url,
    `select replace(indexdef, '${schema}.', '') as definition from pg_indexes
      where schemaname = '${schema}' order by tablename, indexname`,
  )
  const lines = tables.map(({ table, columns }) => `table ${table} (\n${columns}\n);\n`)
  return `${lines.join('\n')}\n${indexes.map(({ definition }) => `${definition};\n`).join('')}`
}

test('the schema is the one in test/golden', async () => {
  const { url, schema, drop } = newSchema()
  const store = postgres(url, { schema })
  await store.migrate()
  await store.close()
  await expect(await schemaOf(url, schema)).toMatchFileSnapshot('../../golden/schema-postgres.sql')
  await drop()
})

test('both databases have the same tables and columns, but for what one of them needs', () => {
  const columnsIn = (path: string) => {
    const sql = readFileSync(path, 'utf8').replaceAll('"', '')
    return Object.fromEntries(
      [...sql.matchAll(/^create table (\w+) \(\n(.*?)\n\)/gms)].map(([, table, body = '']) => [
        table,
        [...body.matchAll(/^ {2}(?!primary key)(\w+)/gm)].map(([, column]) => column).sort(),
      ]),
    )
  }
  const folder = (name: string) => `src/store/${name}/migrations`
  const [first] = readdirSync(folder('sqlite'))
  const sqlite = columnsIn(`${folder('sqlite')}/${first}`)
  expect(Object.keys(sqlite)).toHaveLength(8)
  sqlite.outbox = [...(sqlite.outbox ?? []), 'arrival'].sort()
  expect(columnsIn(`${folder('postgres')}/${first}`)).toEqual(sqlite)
})

test('the first use makes the schema, and a second time changes nothing; two schemas know nothing of each other', async () => {
  const [one, two] = [newSchema(), newSchema()]
  const first = postgres(one.url, { schema: one.schema })
  const run = newRun()
  await first.createRun(run)
  await first.close()
  const before = await schemaOf(one.url, one.schema)
  const [again, elsewhere] = [postgres(one.url, { schema: one.schema }), postgres(two.url, { schema: two.schema })]
  await again.migrate()
  await again.migrate()
  expect(await again.getRun(run.id)).toMatchObject({ status: 'ready' })
  expect(await elsewhere.getRun(run.id)).toBeUndefined()
  expect(await schemaOf(one.url, one.schema)).toBe(before)
  await Promise.all([again.close(), elsewhere.close()])
  await Promise.all([one.drop(), two.drop()])
})

test('a name that needs quotes is a schema like any other', async () => {
  const { url, drop } = await newDatabase()
  const store = postgres(url, { schema: 'My "own" schéma' })
  const { ask } = await parked(store)
  expect((await store.getAsk(ask))?.state).toBe('open')
  await store.close()
  await drop()
})

test('a newer schema that this code can use is used, by processes that run and by new ones', async () => {
  const { url, schema, drop } = newSchema()
  const running = postgres(url, { schema })
  await running.migrate()
  await onDatabase(
    url,
    `set search_path to ${schema}; alter table runs add column colour text;
      insert into migrations (number, compatible_since) values (9999, 1)`,
  )
  const before = await schemaOf(url, schema)
  const started = postgres(url, { schema })
  for (const store of [running, started]) {
    const run = newRun()
    expect(await store.createRun(run)).toEqual({ case: 'created' })
    expect(await store.claimRun({ ...offer, agents: ['asker'], run: run.id })).toMatchObject({ fence: 1 })
  }
  expect(await schemaOf(url, schema)).toBe(before)
  await Promise.all([running.close(), started.close()])
  await drop()
})

test('a newer schema that this code would write wrong is refused: at the start, and by the next write of who runs', async () => {
  const { url, schema, drop } = newSchema()
  const running = postgres(url, { schema })
  await running.migrate()
  await onDatabase(url, `insert into ${schema}.migrations (number, compatible_since) values (9999, 9999)`)
  const t3002 = expect.objectContaining({ code: code.T3002, message: expect.stringContaining('9999') })
  await expect(running.createRun(newRun())).rejects.toEqual(t3002)
  const started = postgres(url, { schema })
  await expect(started.migrate()).rejects.toEqual(t3002)
  await expect(started.getRun('none')).rejects.toEqual(t3002)
  expect(await onDatabase(url, `select count(*)::integer as runs from ${schema}.runs`)).toEqual([{ runs: 0 }])
  await Promise.all([running.close(), started.close()])
  await drop()
})

test('a database in another encoding is refused before anything is written', async () => {
  const { url, drop } = await newDatabase(`encoding 'LATIN1' locale 'C'`)
  const store = postgres(url)
  await expect(store.migrate()).rejects.toMatchObject({
    code: code.T1003,
    message: expect.stringMatching(/LATIN1.*UTF8/),
  })
  await store.close()
  await drop()
})
