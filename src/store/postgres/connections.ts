import { QuerentError } from '../../core/error.ts'
import { faultOf, firstFaultOf } from './faults.ts'
import { loadPg, type Pg, type PgOwnClient, type PgPool, type PgPooledClient } from './pg.ts'

/** Where the database is, as `pg` takes it. More of its options are passed on. */
export interface PostgresConfig {
  connectionString?: string
  host?: string
  port?: number
  user?: string
  password?: string | (() => string | Promise<string>)
  database?: string
  ssl?: boolean | object
  [option: string]: unknown
}

/** How long to wait for a connection, and for an answer to a statement. */
export const connectWithinMs = 10_000
export const statementWithinMs = 10_000
/** Longer than the server may take, so that its own word on a slow statement comes first. */
const answerWithinMs = statementWithinMs + 5_000

/** Without a listener the loss of an idle connection, at a restart of the server, would end the process. */
const ignore = () => {}

/** A pool, made of a configuration or somebody else's, and connections beside it. */
export class Connections {
  readonly #given: PostgresConfig | { pool: PgPool }
  readonly #max: number
  #pg: Pg | undefined
  #pool: PgPool | undefined
  #known = false
  /** User, host, port and database: never the password. */
  place = 'the database'

  constructor(given: PostgresConfig | { pool: PgPool }, options: { max: number }) {
    this.#given = given
    this.#max = options.max
  }

  /** A connection of the pool, for one transaction. */
  async borrow(): Promise<PgPooledClient> {
    const pool = await this.#opened()
    try {
      const client = await pool.connect()
      client.on('error', ignore)
      this.#known = true
      return client
    } catch (error) {
      throw this.#known ? error : firstFaultOf(error, this.place)
    }
  }

  /** Gives a connection back. One on which something failed is closed: the server takes back what was not committed. */
  giveBack(client: PgPooledClient, failed: boolean): void {
    client.off('error', ignore)
    client.release(failed)
  }

  /** A connection beside the pool. Whoever asks ends it. */
  async connect(): Promise<PgOwnClient> {
    const pool = await this.#opened()
    const client = this.#newClient(pool.options)
    client.on('error', ignore)
    try {
      await client.connect()
    } catch (error) {
      await client.end().catch(ignore)
      throw faultOf(error, this.place)
    }
    return client
  }

  async end(): Promise<void> {
    const pool = this.#pool
    if (!pool) return
    // A pool that was handed in is its owner's to end.
    if ('pool' in this.#given) pool.off('error', ignore)
    else await pool.end()
  }

  async #opened(): Promise<PgPool> {
    this.#pg ??= await loadPg()
    if (!this.#pool) {
      const pool = isPool(this.#given) ? this.#given.pool : this.#newPool(this.#pg, this.#given)
      this.place = placeOf(this.#newClient(pool.options))
      pool.on('error', ignore)
      this.#pool = pool
    }
    return this.#pool
  }

  #newPool(pg: Pg, config: PostgresConfig): PgPool {
    return new pg.Pool({
      connectionTimeoutMillis: connectWithinMs,
      query_timeout: answerWithinMs,
      keepAlive: true,
      // A process that has nothing else to do may end.
      allowExitOnIdle: true,
      fallback_application_name: 'querent',
      ...config,
      pipeline: true,
      max: this.#max,
    })
  }

  #newClient(options: object): PgOwnClient {
    if (!this.#pg) throw new Error('The pool is not open.')
    try {
      return new this.#pg.Client(options)
    } catch {
      // What pg says of it may have the password in it.
      throw new QuerentError(
        'T1003',
        'The URL of the database cannot be read: postgres://user:password@host:5432/database',
      )
    }
  }
}

function isPool(given: PostgresConfig | { pool: PgPool }): given is { pool: PgPool } {
  return 'pool' in given
}

function placeOf({ user = '', host, port, database = '' }: PgOwnClient): string {
  return `Postgres at ${user}@${host}:${port}/${database}`
}
