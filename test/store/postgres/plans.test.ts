import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compilerFor } from '../../../src/store/postgres/compile.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Call, Transition } from '../../../src/store/query.ts'
import type { ListAsks, ListRuns } from '../../../src/store/store.ts'
import { claimRun, listOwners } from '../../../src/store/transitions/claim-run.ts'
import { contextAt } from '../../../src/store/transitions/context.ts'
import { readEvents } from '../../../src/store/transitions/events.ts'
import { findAsks, listAsks, listRuns } from '../../../src/store/transitions/lists.ts'
import { expireAsks } from '../../../src/store/transitions/settle-ask.ts'
import { newSchema } from '../../setup/postgres-database.ts'

/* What the planner chooses where there is much: 40,000 runs of 2,000 people that are over, 4,000 that wait on an ask. */

let client: pg.Client
let schema: string
let url: string
let drop: () => Promise<void>

const fill = `
  insert into runs (id, agent, status, "trigger", starter, repeat, title, guarded, fence, last_seq, attempts,
      input_tokens, output_tokens, total_tokens, estimated, created_at, updated_at, ended_at)
    select 'run_' || n, 'asker', case when n % 11 = 0 then 'waiting' else 'done' end, 'chat',
      'person:' || n % 2000, 1, 'title', 0, 1, 3, 0, 0, 0, 0, 0, n, n, case when n % 11 = 0 then null else n end
    from generate_series(1, 44000) n;
  insert into asks (id, owner, run, step, starter, state, since, until_at, opened)
    select 'ask_' || number, number, number, 'question 1.1', starter,
      case when status = 'waiting' then 'open' else 'approved' end, number, 1000000 + number, '{}' from runs;
  insert into events (run, seq, at, type, v, data) select number, seq, 1, 'note', 1, '{}' from runs, generate_series(1, 3) seq;
  update runs set status = 'ready', ended_at = null, due_at = number where number % 4001 = 0;
  analyze`

beforeAll(async () => {
  const made = newSchema()
  schema = made.schema
  url = made.url
  drop = made.drop
  const store = postgres(made.url, { schema })
  await store.migrate()
  await store.close()
  client = new pg.Client(made.url)
  await client.connect()
  await client.query(`set search_path to ${schema}; ${fill}`)
})

afterAll(async () => {
  await client.end()
  await drop()
})

/** How Postgres finds the rows of each query of a transition, none of which it is given. */
async function plans(transition: Transition<unknown>): Promise<string[]> {
  const found: string[] = []
  for (let step = transition.next(); !step.done; step = transition.next([])) found.push(await planOf(step.value))
  return found
}

async function planOf(call: Call): Promise<string> {
  const { sql, fill: values } = compilerFor(schema)(call.query)
  const { rows } = await client.query(`explain ${sql}`, values(call.values))
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const ann = { type: 'person', id: '77' } as const
const context = contextAt(1)

describe('lists of runs are read from an index, in its order', () => {
  const lists: [ListRuns, string][] = [
    [{}, 'runs_pkey'],
    [{ starter: ann }, 'runs_of_starter'],
    [{ starter: ann, active: true }, 'runs_active_of_starter'],
    [{ active: true }, 'runs_active'],
    [{ status: 'failed' }, 'runs_over'],
  ]
  for (const [list, index] of lists) {
    test(JSON.stringify(list), async () => {
      const [plan] = await plans(listRuns(list))
      expect(plan).toContain(`${index} on runs`)
      expect(plan).not.toMatch(/Seq Scan|Sort/)
    })
  }
})

describe('lists of asks are read from an index', () => {
  const lists: [ListAsks, string][] = [
    [{}, 'asks_open on asks'],
    [{ starter: ann }, 'asks_open_of_starter on asks'],
    [{ run: 'run_22' }, 'asks_of_step on asks'],
    [{ run: 'run_22', open: false }, 'asks_of_step on asks'],
  ]
  for (const [list, index] of lists) {
    test(JSON.stringify(list), async () => {
      const [plan] = await plans(listAsks(1, list))
      expect(plan).toContain(index)
      expect(plan).not.toContain('Seq Scan')
    })
  }

  test('those of a step, and those that are overdue', async () => {
    expect((await plans(findAsks('run_22', 'question 1.1')))[0]).toContain('asks_of_step on asks')
    expect((await plans(expireAsks(context, 10)))[0]).toContain('asks_open on asks')
  })
})

test('a log is read by its run alone', async () => {
  const [plan] = await plans(readEvents('run_22', 0, 100))
  expect(plan).toContain('events_pkey on events')
  expect(plan).not.toMatch(/Seq Scan on (events|runs)/)
})

test('a claim looks at the index of what is due, never at other runs', async () => {
  const owner = { id: 'o', host: 'h', pid: 1, bornAt: '' }
  const found = await plans(claimRun(context, { owner, leaseMs: 1, agents: ['asker', 'helper'], dead: ['x'] }))
  expect(found).toHaveLength(6)
  for (const plan of [...found, ...(await plans(listOwners('h')))]) {
    expect(plan).toContain('runs_due on runs')
    expect(plan).not.toContain('Seq Scan')
  }
})

test('C46: lists read no row of a log, as the server counts them: 4,000 runs wait, of 44,000 with three events each', async () => {
  // On one connection, that can be told to report what it counted.
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const store = postgres({ pool }, { schema })
  try {
    const before = await rowsRead(pool)
    for (let n = 0; n < 50; n++) {
      const starter = { type: 'person', id: String(n * 40) } as const
      await store.listAsks({ starter, limit: 200 })
      await store.listRuns({ starter, limit: 200 })
      await store.listRuns({ starter, active: true })
    }
    await store.listAsks({ limit: 200 })
    await store.listRuns({ active: true, limit: 200 })
    const listed = await rowsRead(pool)
    expect(listed.events).toBe(before.events)
    // It does count: a list reads its rows of the other tables, and a log its own.
    expect(Number(listed.runs)).toBeGreaterThan(Number(before.runs))
    expect(await store.readEvents('run_22', 0)).toHaveLength(3)
    expect(Number((await rowsRead(pool)).events) - Number(listed.events)).toBe(3)
  } finally {
    await store.close()
    await pool.end()
  }
})

/** Rows that were read of each table since the server began, by scans and by indexes. */
async function rowsRead(pool: pg.Pool): Promise<Record<string, string>> {
  await pool.query('select pg_stat_force_next_flush()')
  // What is reported goes out at the end of that statement, and a later one sees it.
  await pool.query('select pg_stat_clear_snapshot()')
  const { rows } = await pool.query(
    `select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where schemaname = $1`,
    [schema],
  )
  return Object.fromEntries(rows.map(({ relname, read }) => [relname, read]))
}
