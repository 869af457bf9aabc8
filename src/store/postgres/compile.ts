import { createHash } from 'node:crypto'
import { PostgresAdapter, PostgresQueryCompiler } from '../kysely.ts'
import { type Compiled, createCompiler, type Query } from '../query.ts'

/** A query as Postgres takes it. */
export interface PgCompiled extends Compiled {
  /** The name it is prepared under. */
  name: string
}

/**
 * A name for a statement, made of its text: behind a pooler that shares connections a name may be known already, and must
 * then stand for the same statement.
 */
export function statementName(sql: string): string {
  return `querent_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
}

export type Compile = (query: Query<never, unknown>) => PgCompiled

const compilers = new Map<string, Compile>()

/** Compiles queries for the tables of a schema, each once in this process. */
export function compilerFor(schema: string): Compile {
  let compile = compilers.get(schema)
  if (!compile) {
    compile = newCompiler(schema)
    compilers.set(schema, compile)
  }
  return compile
}

function newCompiler(schema: string): Compile {
  const compile = createCompiler(
    { createAdapter: () => new PostgresAdapter(), createQueryCompiler: () => new PostgresQueryCompiler() },
    { schema },
  )
  const named = new WeakMap<Compiled, PgCompiled>()
  return (query) => {
    const compiled = compile(query)
    let withName = named.get(compiled)
    if (!withName) {
      withName = { ...compiled, name: statementName(compiled.sql) }
      named.set(compiled, withName)
    }
    return withName
  }
}
