import { changeCases } from './cases/changes.ts'
import { childCases } from './cases/children.ts'
import { claimCases } from './cases/claims.ts'
import { countCases } from './cases/counts.ts'
import { eraseCases } from './cases/erase.ts'
import { expiryCases } from './cases/expiry.ts'
import { finishCases } from './cases/finish.ts'
import { keyCases } from './cases/keys.ts'
import { listCases } from './cases/lists.ts'
import { logCases } from './cases/log.ts'
import { messageCases } from './cases/messages.ts'
import { outboxCases } from './cases/outbox.ts'
import { parkCases } from './cases/park.ts'
import { settleCases } from './cases/settle.ts'
import { stopCases } from './cases/stop.ts'
import type { StoreCase } from './store-case.ts'

/**
 * What every store must do, by topic: the table of transitions, case by case. Run each with `runStoreCase`, in whatever
 * test runner you use:
 *
 * ```ts
 * for (const each of storeCases) test(`${each.topic}: ${each.name}`, () => runStoreCase(each, open))
 * ```
 */
export const storeCases: readonly StoreCase[] = [
  ...claimCases,
  ...logCases,
  ...parkCases,
  ...settleCases,
  ...messageCases,
  ...finishCases,
  ...stopCases,
  ...expiryCases,
  ...keyCases,
  ...listCases,
  ...countCases,
  ...childCases,
  ...outboxCases,
  ...eraseCases,
  ...changeCases,
]
