import pg from 'pg'
import { expect, test } from 'vitest'
import { Connections } from '../../../src/store/postgres/connections.ts'
import { Database, type TransactionSql } from '../../../src/store/postgres/database.ts'
import { storeOn } from '../../../src/store/store-on.ts'
import {
  ann,
  childOf,
  finished,
  newAsk,
  newRun,
  offer,
  opening,
  parked,
  working,
} from '../../../src/testing/store-kit/fixtures.ts'
import { newDatabase, newSchema } from '../../setup/postgres-database.ts'
import { onDatabase } from '../../setup/postgres-server.ts'

/** A store that writes a job for each run that was readied, and what the jobs are; `fails` makes it refuse. */
async function withJobs() {
  const { url, schema, drop } = newSchema()
  const state = { fails: false }
  const wake = async (sql: TransactionSql, readied: ReadonlyMap<string, string>) => {
    for (const [run, agent] of readied) {
      await sql.executeSql(`insert into ${schema}.jobs (run, agent) values ($1, $2)`, [run, agent])
    }
    if (state.fails) throw new Error('no job')
  }
  const database = new Database(new Connections({ connectionString: url }, { max: 4 }), {
    schema,
    prepare: true,
    clock: undefined,
    wake,
  })
  const store = storeOn(database, 'postgres')
  await store.migrate()
  await onDatabase(url, `create table ${schema}.jobs (number serial, run text, agent text)`)
  return {
    store,
    state,
    /** Runs that were woken since the last look. */
    async woken() {
      const jobs = await onDatabase(url, `delete from ${schema}.jobs returning run, agent`)
      return jobs.map(({ run, agent }) => `${agent} ${run}`)
    },
    async close() {
      await store.close()
      await drop()
    },
  }
}

test('whatever readies a run wakes its agent, in the same transaction; what claims it at once wakes nobody', async () => {
  const { store, woken, close } = await withJobs()
  const created = newRun()
  await store.createRun(created)
  expect(await woken()).toEqual([`asker ${created.id}`])
  await store.createRun(newRun({ claim: offer }))
  expect(await woken()).toEqual([])

  const { run, ask } = await parked(store)
  expect(await woken()).toEqual([])
  await store.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
  expect(await woken()).toEqual([`asker ${run}`])
  await store.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
  expect(await woken()).toEqual([])
  const claim = await store.claimRun({ ...offer, agents: ['asker'], run })
  if (!claim) throw new Error('not claimed')
  await store.giveBack(claim)
  expect(await woken()).toEqual([`asker ${run}`])

  const late = await parked(store, [newAsk({ waitMs: -1 })])
  await store.expireAsks(10)
  expect(await woken()).toEqual([`asker ${late.run}`])
  const said = await parked(store)
  await store.addMessage({ run: said.run, from: 'person', content: 'Hello?' })
  expect(await woken()).toEqual([`asker ${said.run}`])

  const failed = await working(store)
  await store.finishRun(failed, { events: [] }, { status: 'failed' })
  expect(await woken()).toEqual([])
  await store.retryRun(failed.run)
  expect(await woken()).toEqual([`asker ${failed.run}`])
  await close()
})

test('mail that came on the way wakes the run that would have rested; the end of a child wakes its parent', async () => {
  const { store, woken, close } = await withJobs()
  const held = await working(store)
  await store.addMessage({ run: held.run, from: 'person', content: 'Wait.' })
  expect(await woken()).toEqual([])
  expect(await store.parkRun(held, { events: [] })).toEqual({ case: 'ready' })
  expect(await woken()).toEqual([`asker ${held.run}`])

  const ending = await working(store)
  await store.addMessage({ run: ending.run, from: 'person', content: 'And?' })
  await store.finishRun(ending, { events: [finished(2)] }, { status: 'done' })
  expect(await woken()).toEqual([`asker ${ending.run}`])

  const parent = await working(store)
  const child = await working(store, { agent: 'helper', parent: childOf(parent.run) })
  await store.parkRun(parent, { events: [] })
  await store.finishRun(child, { events: [finished(2)] }, { status: 'done' })
  expect(await woken()).toEqual([`asker ${parent.run}`])
  await close()
})

test('a wake-up that fails takes the whole transition with it, and one that is taken back wakes nobody', async () => {
  const { store, state, woken, close } = await withJobs()
  const { ask, run } = await parked(store)
  state.fails = true
  await expect(store.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })).rejects.toThrow('no job')
  state.fails = false
  expect(await woken()).toEqual([])
  expect([(await store.getAsk(ask))?.state, (await store.getRun(run))?.status]).toEqual(['open', 'waiting'])
  const held = await working(store)
  await expect(store.parkRun(held, opening(7, newAsk()))).rejects.toThrow('cannot follow')
  expect(await woken()).toEqual([])
  await close()
})

test('a transition has its own isolation and time-outs, whatever the database has, and leaves none to a session', async () => {
  const { url, drop } = await newDatabase()
  await onDatabase(
    url,
    `do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database());
      execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  )
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const shown: unknown[] = []
  const settings = ['transaction_isolation', 'statement_timeout', 'idle_in_transaction_session_timeout']
  const database = new Database(new Connections({ pool }, { max: 1 }), {
    schema: 'querent',
    prepare: true,
    clock: undefined,
    async wake(sql) {
      for (const name of settings) shown.push(...(await sql.executeSql(`show ${name}`)).rows)
    },
  })
  const store = storeOn(database, 'postgres')
  await store.createRun(newRun())
  expect(shown).toEqual([
    { transaction_isolation: 'read committed' },
    { statement_timeout: '10s' },
    { idle_in_transaction_session_timeout: '10s' },
  ])
  expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
  await store.close()
  await pool.end()
  await drop()
})
