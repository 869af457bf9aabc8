import { type Clock, jittered, keepAlive, pause, systemClock } from '../../core/ambient.ts'
import { QuerentError } from '../../core/error.ts'
import { refuseNewer } from '../migrations.ts'
import type { Transition } from '../query.ts'
import type { ChangeListener, SchemaVersion } from '../store.ts'
import type { TransitionRunner } from '../store-on.ts'
import { type Context, contextAt } from '../transitions/context.ts'
import { Changes } from './changes.ts'
import { type Compile, compilerFor, statementName } from './compile.ts'
import { type Connections, statementWithinMs } from './connections.ts'
import { faultOf, isLost, isPassing, isPreparedElsewhere, unknownOutcome } from './faults.ts'
import { migrate, newestSchema, schemaVersionOf } from './migrate.ts'
import { type PgPooledClient, quoted } from './pg.ts'
import { Statements, types } from './statements.ts'

/** How long a call is tried again while the server restarts, or rivals send it back. */
const triedForMs = 10_000
const pauseMs = 50

/** Runs SQL in the transaction of a transition. The shape is that of pg-boss. */
export interface TransactionSql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface DatabaseOptions {
  schema: string
  prepare: boolean
  /** Instead of the database's clock. */
  clock: Clock | undefined
  /** Wakes who works on the runs that a transition readied (agents by run), in its transaction. */
  wake?: (sql: TransactionSql, readied: ReadonlyMap<string, string>) => Promise<void>
}

const millisecondsNow = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** One schema of a database: transitions on the connections of a pool. Opened, and brought up to date, at the first use. */
export class Database implements TransitionRunner {
  readonly #connections: Connections
  readonly #options: DatabaseOptions
  readonly #compile: Compile
  readonly #settings: { text: string; name: string }
  readonly #changes: Changes
  readonly #busy = new Set<Promise<unknown>>()
  readonly #newest = newestSchema()
  #prepare: boolean
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(connections: Connections, options: DatabaseOptions) {
    this.#connections = connections
    this.#options = options
    this.#compile = compilerFor(options.schema)
    this.#prepare = options.prepare
    this.#settings = settingsOf(options.schema)
    this.#changes = new Changes({
      channel: `querent ${options.schema}`,
      connect: () => connections.connect(),
      notify: (channel, payload) => this.#notify(channel, payload),
    })
  }

  async open(): Promise<void> {
    this.#refuseClosed()
    await this.#opened()
  }

  schemaVersion(): Promise<SchemaVersion> {
    this.#refuseClosed()
    return this.#again((client) => schemaVersionOf(client, this.#options.schema))
  }

  /** Runs a transition as one transaction. Resolves when it is committed; rejects where nothing of it is there. */
  write<T>(start: (context: Context) => Transition<T>): Promise<T> {
    return this.#accept(() => this.#write(start))
  }

  async #write<T>(start: (context: Context) => Transition<T>): Promise<T> {
    const { value, changed } = await this.#again((client) => this.#transact(client, start))
    if (changed.size > 0) {
      this.#changes.announce(changed)
      // Before whoever waits for the write, and outside of it: what a listener throws is no failure of a write.
      queueMicrotask(() => this.#changes.tell(changed))
    }
    return value
  }

  /** Runs what only reads. */
  read<T>(start: () => Transition<T>): Promise<T> {
    return this.#accept(() => this.#again((client) => this.#statements(client).run(start())))
  }

  /** What the clock says that leases and deadlines live by. */
  now(): Promise<number> {
    return this.#accept(async () => this.#options.clock?.now() ?? this.#again(clockOf))
  }

  onChange(listener: ChangeListener): () => void {
    return this.#closing ? () => {} : this.#changes.listen(listener)
  }

  /** Waits for what was accepted, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#changes.clear()
    await Promise.allSettled(this.#busy)
    await this.#changes.idle()
    await this.#connections.end()
  }

  #refuseClosed(): void {
    if (!this.#closing) return
    throw new QuerentError(
      'T1008',
      `The store on ${this.#connections.place} is closed. Make a new one with postgres(url).`,
    )
  }

  /** Does what is asked for once the database is open. A close waits for it. */
  async #accept<T>(act: () => Promise<T>): Promise<T> {
    this.#refuseClosed()
    const accepted = this.#opened().then(act)
    this.#busy.add(accepted)
    try {
      return await accepted
    } finally {
      this.#busy.delete(accepted)
    }
  }

  /** An opening that failed is tried again by the next who asks. */
  #opened(): Promise<void> {
    this.#opening ??= this.#again((client) => migrate(client, this.#options.schema)).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Does something until it succeeds or fails for good. It must leave nothing behind where it fails. */
  async #again<T>(act: (client: PgPooledClient) => Promise<T>): Promise<T> {
    const giveUpAt = systemClock.now() + triedForMs
    // Without this a command line that waits for the server would end without a word.
    const letGo = keepAlive()
    try {
      for (;;) {
        try {
          return await this.#once(act)
        } catch (error) {
          if (isPreparedElsewhere(error)) this.#prepare = false
          const again = isPassing(error) && !this.#closing && systemClock.now() < giveUpAt
          if (!again) throw faultOf(error, this.#connections.place)
        }
        await pause(systemClock, jittered(pauseMs))
      }
    } finally {
      letGo()
    }
  }

  async #once<T>(act: (client: PgPooledClient) => Promise<T>): Promise<T> {
    const client = await this.#connections.borrow()
    let failed = true
    try {
      const result = await act(client)
      failed = false
      return result
    } finally {
      this.#connections.giveBack(client, failed)
    }
  }

  async #transact<T>(
    client: PgPooledClient,
    start: (context: Context) => Transition<T>,
  ): Promise<{ value: T; changed: Set<string> }> {
    const statements = this.#statements(client)
    let value: T
    let context: Context
    try {
      context = contextAt(await this.#beginAt(client))
      value = await statements.run(start(context))
      if (context.readied.size > 0) await this.#options.wake?.(sqlOf(client), context.readied)
    } catch (error) {
      throw await statements.firstFault(error)
    }
    try {
      await statements.commit()
    } catch (error) {
      throw isLost(error) ? unknownOutcome(error, this.#connections.place) : error
    }
    return { value, changed: context.changed }
  }

  /** Begins a transaction, refuses one that newer code has made impossible, and gives the moment it is at. */
  async #beginAt(client: PgPooledClient): Promise<number> {
    const begun = client.query({ text: begin })
    // Told by the statement behind it, which fails with it.
    begun.catch(() => {})
    // Sent behind it at once where the connection takes it, and prepared: parsed anew it takes as long as a write.
    if (!client.pipeline) await begun
    const { text, name } = this.#settings
    const answer = await client.query({ text, types, ...(this.#prepare ? { name } : {}) })
    const rows = answer.rows as { now: number; since: number }[]
    await begun
    const { now = 0, since = 0 } = rows[0] ?? {}
    refuseNewer({ applied: since, compatibleSince: since }, this.#newest)
    return this.#options.clock?.now() ?? now
  }

  #statements(client: PgPooledClient): Statements {
    return new Statements(client, { compile: this.#compile, prepare: this.#prepare })
  }

  async #notify(channel: string, payload: string): Promise<void> {
    await this.#once((client) => client.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] }))
  }
}

/** The guards need this level, whatever the default is. */
const begin = 'begin isolation level read committed read write'

/**
 * The settings of a transaction stand in it, not in the session: a pooler may give the next one another session. A worker
 * that is frozen in the middle of a transaction must not keep its locks: others wait for the run.
 */
function settingsOf(schema: string): { text: string; name: string } {
  const within = `'${statementWithinMs}', true`
  const text = `select ${millisecondsNow} as now, (select max(compatible_since) from ${quoted(schema)}.migrations) as since,
    set_config('statement_timeout', ${within}), set_config('idle_in_transaction_session_timeout', ${within})`
  return { text, name: statementName(text) }
}

async function clockOf(client: PgPooledClient): Promise<number> {
  const { rows } = await client.query({ text: `select ${millisecondsNow} as now`, types })
  return (rows as { now: number }[])[0]?.now ?? 0
}

function sqlOf(client: PgPooledClient): TransactionSql {
  return { executeSql: (text, values) => client.query({ text, ...(values ? { values } : {}) }) }
}
