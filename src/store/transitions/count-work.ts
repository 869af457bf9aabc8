import type { WorkCounts } from '../../core/telemetry.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { open } from './asks.ts'

// Counted within the indexes of what is open and due: a million runs that are over cost nothing here.

const countOpenAsks = query((db, $: Slots<{ now: number }>) =>
  db
    .selectFrom('asks')
    .select((eb) => [eb.fn.countAll<number>().as('asks'), eb.fn.min<number | null>('number').as('oldest')])
    .where('state', '=', open)
    .where('until_at', '>=', $.now),
)

const selectSince = query((db, $: Slots<{ number: number }>) =>
  db.selectFrom('asks').select('since').where('number', '=', $.number),
)

const countAsking = query((db) =>
  db
    .selectFrom('asks')
    .select((eb) => eb.fn.count<number>('owner').distinct().as('runs'))
    .where('state', '=', open),
)

const countDue = query((db, $: Slots<{ status: string }>) =>
  db
    .selectFrom('runs')
    .select((eb) => [eb.fn.countAll<number>().as('runs'), eb.fn.min<number | null>('due_at').as('oldest')])
    .where('status', '=', $.status)
    .where('due_at', 'is not', null),
)

/** Counts what is open and under way in the whole store. */
export function* countWork(now: number): Transition<WorkCounts> {
  const [asks] = yield* countOpenAsks({ now })
  const [oldest] = asks?.oldest == null ? [] : yield* selectSince({ number: asks.oldest })
  const [asking] = yield* countAsking({})
  const [ready] = yield* countDue({ status: 'ready' })
  const [working] = yield* countDue({ status: 'working' })
  const ageMs = (since: number | null | undefined) => (since == null ? 0 : Math.max(now - since, 0))
  return {
    openAsks: asks?.asks ?? 0,
    oldestAskMs: ageMs(oldest?.since),
    ready: ready?.runs ?? 0,
    oldestReadyMs: ageMs(ready?.oldest),
    working: working?.runs ?? 0,
    asking: asking?.runs ?? 0,
  }
}
