import { sql } from '../kysely.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { askRowOf } from '../rows.ts'
import type { OutboxEntry } from '../store.ts'
import type { Context } from './context.ts'

const insertEntry = query((db, $: Slots<{ at: number; type: string; ask: number }>) =>
  db
    .insertInto('outbox')
    .columns(['at', 'type', 'ask'])
    .expression(
      db
        .selectNoFrom([$.at.as('at'), $.type.as('type'), $.ask.as('ask')])
        .where((where) => where.exists(where.selectFrom('notifiers').select('name'))),
    ),
)

const insertNotifier = query((db, $: Slots<{ name: string }>) =>
  db
    .insertInto('notifiers')
    .columns(['name', 'acked', 'leased_until'])
    .expression(
      db
        .selectNoFrom((from) => [
          $.name.as('name'),
          from.fn
            .coalesce(
              from.selectFrom('outbox').select((max) => max.fn.max('id').as('id')),
              sql.lit(0),
            )
            .as('acked'),
          sql.lit(0).as('leased_until'),
        ])
        // Without a "where", SQLite reads the "on" of "on conflict" as that of a join.
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

const selectNotifier = query((db, $: Slots<{ name: string }>) =>
  db.selectFrom('notifiers').selectAll().where('name', '=', $.name).forUpdate(),
)

const selectEntries = query((db, $: Slots<{ after: number; limit: number }>) =>
  db
    .selectFrom('outbox')
    .innerJoin('asks', 'asks.number', 'outbox.ask')
    .innerJoin('runs as owners', 'owners.number', 'asks.owner')
    .innerJoin('runs as roots', 'roots.number', 'asks.run')
    .selectAll('asks')
    .select(['owners.id as owner_id', 'owners.agent', 'roots.id as run_id'])
    .select(['outbox.id as entry', 'outbox.at as entry_at', 'outbox.type as entry_type'])
    .where('outbox.id', '>', $.after)
    .orderBy('outbox.id')
    .limit($.limit),
)

const leaseNotifier = query((db, $: Slots<{ name: string; now: number; until: number }>) =>
  db
    .updateTable('notifiers')
    .set({ leased_until: $.until })
    .where('name', '=', $.name)
    .where('leased_until', '<=', $.now)
    .returning('name'),
)

const ackNotifier = query((db, $: Slots<{ name: string; upTo: number }>) =>
  db
    .updateTable('notifiers')
    .set({ acked: $.upTo, leased_until: 0 })
    .where('name', '=', $.name)
    .where('acked', '<', $.upTo),
)

const deleteNotifier = query((db, $: Slots<{ name: string }>) =>
  db.deleteFrom('notifiers').where('name', '=', $.name).returning('name'),
)

const purgeAll = query((db) =>
  db.deleteFrom('outbox').where((where) => where.not(where.exists(where.selectFrom('notifiers').select('name')))),
)

const purgeEntries = query((db) =>
  db
    .deleteFrom('outbox')
    .where('id', '<=', (from) => from.selectFrom('notifiers').select((min) => min.fn.min('acked').as('acked'))),
)

/** Puts a change of an ask into the outbox, if anybody is to be told: a store without notifiers grows no outbox. */
export function* announce(context: Context, type: OutboxEntry['type'], ask: number): Transition<void> {
  yield* insertEntry({ at: context.now, type, ask })
}

export function* addNotifier(name: string): Transition<void> {
  yield* insertNotifier({ name })
}

/** What a notifier has not acknowledged, leased to the caller. Nothing while another caller has its lease. */
export function* takeOutbox(
  context: Context,
  { notifier, limit, leaseMs }: { notifier: string; limit: number; leaseMs: number },
): Transition<OutboxEntry[]> {
  const [known] = yield* selectNotifier({ name: notifier })
  if (!known) return []
  const rows = yield* selectEntries({ after: known.acked, limit })
  if (rows.length === 0) return []
  const leased = yield* leaseNotifier({ name: notifier, now: context.now, until: context.now + leaseMs })
  if (leased.length === 0) return []
  return rows.map((row) => ({
    id: row.entry,
    at: row.entry_at,
    type: row.entry_type as OutboxEntry['type'],
    ask: askRowOf(row),
  }))
}

/** Moves a notifier's cursor, ends its lease, and removes what every notifier has acknowledged. */
export function* ackOutbox(notifier: string, upTo: number): Transition<void> {
  yield* ackNotifier({ name: notifier, upTo })
  yield* purgeEntries({})
}

/** Forgets a notifier, and removes what was kept for it alone. Gives whether it was known. */
export function* removeNotifier(name: string): Transition<boolean> {
  const removed = yield* deleteNotifier({ name })
  yield* purgeEntries({})
  yield* purgeAll({})
  return removed.length > 0
}
