import { sql } from 'kysely'
import { query, type Transition } from '../query.ts'
import type { OutboxTable, Tables } from '../tables.ts'

/*
 * A notifier's cursor is the last id it has seen, so ids must become visible in their order. A number that Postgres gives
 * at the insert does not: the transaction with the lower one may commit later, and its entry would never be told. So
 * entries arrive without an id, and get one when they are next taken, after their commit, by one caller at a time.
 */

interface PgTables extends Tables {
  outbox: OutboxTable & { arrival: number }
}

// Any number, so long as nothing else in the database takes the same.
const lockId = 4_072_019_631

const lockOutbox = query((db) => db.selectNoFrom(sql<string>`pg_advisory_xact_lock(${sql.lit(lockId)})`.as('locked')))

const numberNew = query((db) => {
  const tables = db.withTables<Pick<PgTables, 'outbox'>>()
  const last = sql<number>`greatest(
    (select coalesce(max(id), 0) from ${sql.table('outbox')}),
    (select coalesce(max(acked), 0) from ${sql.table('notifiers')})
  )`
  return tables
    .with('fresh', (cte) =>
      cte
        .selectFrom('outbox')
        .select(['arrival', sql<number>`row_number() over (order by arrival)`.as('place')])
        .where('id', 'is', null),
    )
    .updateTable('outbox')
    .from('fresh')
    .set({ id: sql<number>`fresh.place + ${last}` })
    .whereRef('outbox.arrival', '=', 'fresh.arrival')
})

/** Gives an id to what has arrived since the last time. Before anything reads ids. */
export function* numberOutbox(): Transition<void> {
  yield* lockOutbox({})
  yield* numberNew({})
}
