import {
  type Compilable,
  type DatabaseIntrospector,
  DummyDriver,
  Kysely,
  type Dialect as KyselyDialect,
  type RawBuilder,
  sql,
} from './kysely.ts'
import type { Tables } from './tables.ts'

/*
 * Queries are written once, with Kysely, and compiled once for each database. Kysely only compiles: its own drivers
 * await between statements, and that would let the savepoints of two transitions of one commit mix.
 */

/** A place in a query for a value that is known when it runs. It travels through Kysely as a parameter. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** What a database takes as a parameter. */
export type Value = string | number | null

/** The slots of a query, by name. */
export type Slots<P> = { readonly [K in keyof P]: RawBuilder<P[K]> }

/** A query with its values. `yield*` it in a transition: that gives its rows. */
export class Call<R = unknown> {
  readonly query: Query<never, R>
  readonly values: Readonly<Record<string, Value>>

  constructor(query: Query<never, R>, values: Readonly<Record<string, Value>>) {
    this.query = query
    this.values = values
  }

  *[Symbol.iterator](): Generator<Call, R[], unknown[]> {
    return (yield this) as R[]
  }
}

/** A transition, or a part of one: yields queries and is given their rows. Whoever runs it decides how to wait. */
export type Transition<T> = Generator<Call, T, unknown[]>

/** Gives a query its values. */
export interface Query<P, R> {
  (values: P): Call<R>
  build(db: Kysely<Tables>): Compilable<R>
}

const slots = new Proxy({}, { get: (_, name) => sql`${new Slot(String(name))}` })

/** Defines a query: `query((db, $: Slots<{ run: string }>) => db.selectFrom('runs').where('id', '=', $.run))`. */
export function query<P extends { [K in keyof P]: Value }, R>(
  build: (db: Kysely<Tables>, $: Slots<P>) => Compilable<R>,
): Query<P, R> {
  const define = (values: P): Call<R> => new Call(defined as Query<never, R>, values)
  const defined: Query<P, R> = Object.assign(define, {
    build: (db: Kysely<Tables>) => build(db, slots as Slots<P>),
  })
  return defined
}

/** The parts of a Kysely dialect that compile. */
export type CompilerDialect = Pick<KyselyDialect, 'createAdapter' | 'createQueryCompiler'>

/** A query as one database takes it. */
export interface Compiled {
  sql: string
  /** Whether it gives rows. One that gives none need not be waited for before the next is sent. */
  givesRows: boolean
  /** The parameters, in order. */
  fill(values: Readonly<Record<string, Value>>): Value[]
}

/** Compiles queries for one database, each once; for the tables of `schema`, where it has several. */
export function createCompiler(
  dialect: CompilerDialect,
  options: { schema?: string } = {},
): (query: Query<never, unknown>) => Compiled {
  const anySchema = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (): DatabaseIntrospector => {
        throw new Error('Migrations are SQL files: nothing here looks into a schema.')
      },
    },
  })
  const db = options.schema === undefined ? anySchema : anySchema.withSchema(options.schema)
  const known = new WeakMap<Query<never, unknown>, Compiled>()
  return (query) => {
    let compiled = known.get(query)
    if (!compiled) {
      const { query: node, sql, parameters } = query.build(db).compile()
      const givesRows = node.kind === 'SelectQueryNode' || ('returning' in node && node.returning !== undefined)
      compiled = { sql, givesRows, fill: (values) => parameters.map((each) => filled(each, values)) }
      known.set(query, compiled)
    }
    return compiled
  }
}

function filled(parameter: unknown, values: Readonly<Record<string, Value>>): Value {
  if (!(parameter instanceof Slot)) return parameter as Value
  const value = values[parameter.name]
  // A value that was forgotten must not become NULL: a guard that compares with NULL lets nothing, or everything, pass.
  if (value === undefined) throw new Error(`A query was given no value for "${parameter.name}".`)
  return value
}
