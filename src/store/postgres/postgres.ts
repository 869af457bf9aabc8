import type { Clock } from '../../core/ambient.ts'
import { QuerentError } from '../../core/error.ts'
import type { Store } from '../store.ts'
import { storeOn } from '../store-on.ts'
import { addNotifier, takeOutbox } from '../transitions/outbox.ts'
import { Connections, type PostgresConfig } from './connections.ts'
import { Database } from './database.ts'
import { numberOutbox } from './outbox.ts'
import type { PgPool } from './pg.ts'

export interface PostgresOptions {
  /** Connections at most, besides one that is there while somebody listens. Default 10. A pool that is handed in has its own limit. */
  connections?: number
  /** The schema that the tables are in; it is made if it is not there. Default `querent`. */
  schema?: string
  /**
   * Prepares statements on the server, once for each connection. Default true. Behind a pooler in transaction mode that
   * does not follow prepared statements the store finds out and stops; `false` spares it the try.
   */
  prepare?: boolean
  /** For tests: the clock that leases and deadlines live by. Default: the database's. */
  clock?: Clock
}

/**
 * A store on Postgres 14 or later, for many workers on many machines. Give a URL, the configuration of `pg`, or a pool of
 * your own, which stays yours to end. The tables are made, and brought to this code's schema, at the first use. Needs the
 * package `pg`.
 *
 * Every method rejects with T1003 where the database cannot be reached as it was given or refuses what is needed, T1007
 * where `pg` is missing, T3002 where newer code made it, T3003 where it cannot be used just now, T1008 after `close`.
 * @throws QuerentError T1003 for options that name no database.
 */
export function postgres(database: string | PostgresConfig | { pool: PgPool }, options: PostgresOptions = {}): Store {
  const { connections = 10, schema = 'querent', prepare = true, clock } = options
  refuseOptions(database, { connections, schema })
  const given = typeof database === 'string' ? { connectionString: database } : database
  const opened = new Database(new Connections(given, { max: connections }), { schema, prepare, clock })
  return {
    ...storeOn(opened, 'postgres'),
    addNotifier: (name) =>
      opened.write(function* () {
        yield* numberOutbox()
        yield* addNotifier(name)
      }),
    takeOutbox: (notifier, limit, leaseMs) =>
      opened.write(function* (context) {
        yield* numberOutbox()
        return yield* takeOutbox(context, { notifier, limit, leaseMs })
      }),
  }
}

function refuseOptions(database: unknown, { connections, schema }: { connections: number; schema: string }): void {
  const wrong = (message: string) => new QuerentError('T1003', `postgres(): ${message}`)
  if (
    typeof database === 'string' ? !/^postgres(ql)?:\/\//.test(database) : typeof database !== 'object' || !database
  ) {
    throw wrong('give a URL such as postgres://user:password@host:5432/database, a configuration of pg, or { pool }.')
  }
  if (!Number.isSafeInteger(connections) || connections < 1) {
    throw wrong(`"connections" is ${connections}. Give a whole number from 1.`)
  }
  // The server would cut a longer name without a word, and two could become one.
  if (schema === '' || Buffer.byteLength(schema) > 50 || schema.includes('\0') || schema.startsWith('pg_')) {
    throw wrong(`"schema" is ${JSON.stringify(schema)}. Give a name of at most 50 bytes that does not begin with pg_.`)
  }
}
