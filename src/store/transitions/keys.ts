import type { Starter } from '../../core/event.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { starterText } from '../rows.ts'

const insertKey = query((db, $: Slots<{ scope: string; key: string; hash: string; run: string }>) =>
  db
    .insertInto('keys')
    .values({ scope: $.scope, key: $.key, hash: $.hash, run: $.run })
    .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
    .returning('run'),
)

const selectKey = query((db, $: Slots<{ scope: string; key: string }>) =>
  db.selectFrom('keys').select(['hash', 'run']).where('scope', '=', $.scope).where('key', '=', $.key),
)

/** The scope of the keys with which a starter creates runs of an agent. */
export function startScope(agent: string, starter: Starter): string {
  return `start/${agent}/${starterText(starter)}`
}

/** Takes an idempotency key for a run, or says which run has it, and whether with the same input. */
export function* takeKey(key: {
  scope: string
  key: string
  hash: string
  run: string
}): Transition<{ case: 'new' } | { case: 'same' | 'reused'; run: string }> {
  for (;;) {
    const inserted = yield* insertKey(key)
    if (inserted.length > 0) return { case: 'new' }
    const [taken] = yield* selectKey({ scope: key.scope, key: key.key })
    if (taken) return { case: taken.hash === key.hash ? 'same' : 'reused', run: taken.run }
    // Whoever had it was erased in between: it is free.
  }
}
