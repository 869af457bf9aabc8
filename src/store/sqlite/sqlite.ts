import { type Clock, systemClock } from '../../core/ambient.ts'
import { QuerentError } from '../../core/error.ts'
import type { Store } from '../store.ts'
import { storeOn } from '../store-on.ts'
import { Database } from './database.ts'

export interface SqliteOptions {
  /** The clock that leases and deadlines live by. Default: the system's. */
  clock?: Clock
  /**
   * `'full'` (default): an acknowledged write survives a power cut. `'relaxed'`: it survives the end of the process; a
   * power cut may take the last moments.
   */
  durability?: 'full' | 'relaxed'
}

/**
 * A store in one SQLite file. The file is opened, made if it is not there, and brought to this code's schema at the
 * first use. Several processes may share it, on one machine: not over a network file system.
 *
 * Every method rejects with T1003 where the file cannot be opened or written, T3002 where newer code made it, T1008
 * after `close`.
 * @throws QuerentError T1003 for a path that names no file.
 */
export function sqlite(path: string, options: SqliteOptions = {}): Store {
  if (typeof path !== 'string' || path === '' || path === ':memory:') {
    throw new QuerentError(
      'T1003',
      `The path of the database is ${JSON.stringify(path)}. Give the path of a file: a run that parks must outlive its process.`,
    )
  }
  const { clock = systemClock, durability = 'full' } = options
  return storeOn(new Database(path, { clock, durability }), 'sqlite')
}
