import pg from 'pg'
import { expect, test } from 'vitest'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { ann, finished, newAsk, newRun, offer, opening } from '../../../src/testing/store-kit/fixtures.ts'
import { newSchema } from '../../setup/postgres-database.ts'

let sent = 0
let answered = 0
let roundTrips = 0
let commits = 0

/** Counts how often the store waits for an answer before it sends more. */
class Counting extends pg.Client {
  override query = ((statement: pg.QueryConfig) => {
    const result = super.query(statement) as Promise<pg.QueryResult>
    // Hints after a commit are nobody's wait.
    if (statement.text.includes('pg_notify')) return result
    if (sent === answered) roundTrips += 1
    sent += 1
    if (statement.text === 'commit') commits += 1
    const done = () => {
      answered += 1
    }
    result.then(done, done)
    return result
  }) as pg.Client['query']
}

async function counted<T>(act: () => Promise<T>): Promise<{ value: T; roundTrips: number; commits: number }> {
  const before = { roundTrips, commits }
  const value = await act()
  return { value, roundTrips: roundTrips - before.roundTrips, commits: commits - before.commits }
}

test('start, ask, answer, end: four transactions, and how often each waits for the server', async () => {
  const { url, schema, drop } = newSchema()
  const pool = new pg.Pool({ connectionString: url, Client: Counting, pipeline: true, max: 1 })
  const store = postgres({ pool }, { schema })
  await store.migrate()
  const created = await counted(() => store.createRun(newRun({ claim: offer })))
  if (created.value.case !== 'created' || !created.value.claim) throw new Error('not created')
  const held = created.value.claim
  const ask = newAsk()
  const parked = await counted(() => store.parkRun(held, opening(2, ask)))
  const answer = { ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer } as const
  const settled = await counted(() => store.settleAsk(answer))
  if (settled.value.case !== 'settled' || !settled.value.claim) throw new Error('not settled')
  const claim = settled.value.claim
  const ended = await counted(() => store.finishRun(claim, { events: [finished(4)] }, { status: 'done' }))
  const steps = { created, parked, settled, ended }
  const table = Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [name, `${step.roundTrips} round trips, ${step.commits} commit`]),
  )
  expect(table).toEqual({
    created: '3 round trips, 1 commit',
    parked: '5 round trips, 1 commit',
    settled: '7 round trips, 1 commit',
    ended: '5 round trips, 1 commit',
  })
  await store.close()
  await pool.end()
  await drop()
})
