import { type ExpressionBuilder, sql } from '../kysely.ts'
import { query, type Transition } from '../query.ts'
import type { OutboxTable, Tables } from '../tables.ts'

/*
 * A notifier's cursor is the last id it has seen, so ids must become visible in their order. A number that Postgres gives
 * at the insert does not: the transaction with the lower one may commit later, and its entry would never be told. So
 * entries arrive without an id, and get one when they are next taken, after their commit, by one caller at a time.
 */

type Arriving = { outbox: OutboxTable & { arrival: number } }

// Any number, so long as nothing else in the database takes the same.
const lockId = 4_072_019_631

const lockOutbox = query((db) => db.selectNoFrom(sql<string>`pg_advisory_xact_lock(${sql.lit(lockId)})`.as('locked')))

const numberArrived = query((db) =>
  db
    .withTables<Arriving>()
    .with('arrived', (cte) =>
      cte
        .selectFrom('outbox')
        .select(['arrival', sql<number>`row_number() over (order by arrival)`.as('place')])
        .where('id', 'is', null),
    )
    .updateTable('outbox')
    .from('arrived')
    .set((set) => ({ id: sql<number>`arrived.place + greatest(${lastKept(set)}, ${lastAcked(set)}, 0)` }))
    .whereRef('outbox.arrival', '=', 'arrived.arrival'),
)

function lastKept(from: ExpressionBuilder<Tables, 'outbox'>) {
  return from.selectFrom('outbox').select((max) => max.fn.max('id').as('id'))
}

/** What every notifier acknowledged is removed, and its ids must not come again. */
function lastAcked(from: ExpressionBuilder<Tables, 'outbox'>) {
  return from.selectFrom('notifiers').select((max) => max.fn.max('acked').as('acked'))
}

/** Gives an id to what has arrived since the last time. Before anything reads ids. */
export function* numberOutbox(): Transition<void> {
  yield* lockOutbox({})
  yield* numberArrived({})
}
