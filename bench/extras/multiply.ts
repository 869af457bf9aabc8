import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What stands in a column of a copy, where it is not what the pattern has. `i` counts the copies. */
type Columns = Record<string, string>

/** How a database says what is needed here. */
interface Dialect {
  id(prefix: string): string
  series(from: number, to: number): string
  overriding: string
}

const onSqlite: Dialect = {
  id: (prefix) => `'${prefix}_' || lower(hex(randomblob(16)))`,
  series: (from, to) =>
    `(with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select i from n)`,
  overriding: '',
}
const onPostgres: Dialect = {
  id: (prefix) => `'${prefix}_' || replace(gen_random_uuid()::text, '-', '')`,
  series: (from, to) => `generate_series(${from}, ${to}) as n(i)`,
  overriding: ' overriding system value',
}

const batch = 50_000
const made = 10

/**
 * Copies the one parked run of a database (number 1) until there are `count` more, of `people` people, straight into the
 * tables: through the engine a million would take an hour.
 */
export async function multiply(place: string, { count, people }: { count: number; people: number }): Promise<void> {
  const isPostgres = place.startsWith('postgres:')
  const { run, close } = isPostgres ? await postgresAt(place) : sqliteAt(place)
  const dialect = isPostgres ? onPostgres : onSqlite
  const starter = `'person:p' || (i % ${people})`
  // Behind those that the engine made.
  const number = `i + ${made}`
  const tables: [string, string, Columns][] = [
    ['runs', 'number', { number, id: dialect.id('run'), starter }],
    ['asks', 'number', { number, id: dialect.id('ask'), owner: number, run: number, starter }],
    ['events', 'run', { run: number, ask: `case when ask is null then null else ${number} end` }],
  ]
  for (const [table, key, columns] of tables) {
    const rows = await run(`select * from ${table} where ${key} = 1 limit 1`)
    const names = Object.keys(rows[0] ?? {}).map((name) => `"${name}"`)
    const values = Object.keys(rows[0] ?? {}).map((name) => columns[name] ?? `pattern."${name}"`)
    for (let from = 1; from <= count; from += batch) {
      const series = dialect.series(from, Math.min(from + batch - 1, count))
      const pattern = `(select * from ${table} where ${key} = 1) as pattern`
      const order = table === 'events' ? ' order by i, seq' : ''
      await run(
        `insert into ${table} (${names})${dialect.overriding} select ${values} from ${series} cross join ${pattern}${order}`,
      )
    }
  }
  if (isPostgres) {
    for (const table of ['runs', 'asks']) {
      await run(`select setval(pg_get_serial_sequence('querent.${table}', 'number'), ${count + made})`)
    }
    await run('analyze')
  }
  await close()
}

function sqliteAt(path: string) {
  const db = new DatabaseSync(path)
  db.exec('pragma synchronous = off')
  return {
    run: async (sql: string) => db.prepare(sql).all(),
    close: async () => {
      db.exec('pragma wal_checkpoint(truncate)')
      db.close()
    },
  }
}

async function postgresAt(url: string) {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=querent' })
  await client.connect()
  return {
    run: async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows,
    close: () => client.end(),
  }
}
