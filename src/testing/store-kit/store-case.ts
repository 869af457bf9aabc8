import type { Clock } from '../../core/ambient.ts'
import type { Store } from '../../store/store.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'

/** What a case works with: two handles on one new, empty database, and the clock that both live by. */
export interface StoreBench {
  first: Store
  second: Store
  clock: FakeClock
}

/** One thing that every store must do. `run` throws where it does not. */
export interface StoreCase {
  topic: string
  name: string
  run(bench: StoreBench): Promise<void>
}

/** Opens two handles on one new, empty database. `close` closes both and removes the database. */
export type OpenStores = (clock: Clock) => Promise<{ first: Store; second: Store; close(): Promise<void> }>

/**
 * Runs one case against a store.
 * @throws what the case throws: an `AssertionError` of `node:assert` where the store does not do what it must.
 */
export async function runStoreCase(storeCase: StoreCase, open: OpenStores): Promise<void> {
  const clock = fakeClock()
  const { first, second, close } = await open(clock)
  try {
    await storeCase.run({ first, second, clock })
  } finally {
    await close()
  }
}
