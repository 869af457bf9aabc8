import { QuerentError } from '../../core/error.ts'

/* As much of `pg` as is used here. The package is an optional peer: its types must not be needed to use ours. */

/** A statement with its values. `types` reads the columns, whatever parsers an application has set. */
export interface PgStatement {
  text: string
  values?: unknown[]
  /** Prepared under this name once for each connection. */
  name?: string
  types?: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
}

export interface PgResult {
  command: string
  rows: unknown[]
}

/** One connection. */
export interface PgClient {
  /** Statements are sent without waiting for the ones before. */
  readonly pipeline?: boolean
  query(statement: PgStatement): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export interface PgPooledClient extends PgClient {
  /** Back into the pool; with an error, the connection is closed instead. */
  release(error?: Error | boolean): void
}

/** A connection outside of a pool. */
export interface PgOwnClient extends PgClient {
  readonly user?: string
  readonly host: string
  readonly port: number
  readonly database?: string
  connect(): Promise<unknown>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: { payload?: string }) => void): unknown
}

/** A `Pool` of `pg`, or what looks like one. */
export interface PgPool {
  readonly options: object
  connect(): Promise<PgPooledClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export interface Pg {
  Pool: new (config: object) => PgPool
  Client: new (config: object) => PgOwnClient
}

/** An identifier as SQL writes it. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** @throws QuerentError T1007 where the package is not installed. */
export async function loadPg(): Promise<Pg> {
  try {
    const { default: pg } = await import('pg')
    return pg as unknown as Pg
  } catch (cause) {
    throw new QuerentError('T1007', 'A store on Postgres needs the package "pg". Install it: npm install pg@8', {
      cause,
    })
  }
}
