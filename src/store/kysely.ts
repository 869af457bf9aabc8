/*
 * As much of Kysely as compiles queries. What is built has it in this one file: the package is four hundred, and to load
 * them all would take longer than everything else.
 */

export type {
  Compilable,
  DatabaseIntrospector,
  Dialect,
  ExpressionBuilder,
  Generated,
  LimitNode,
  RawBuilder,
  Selectable,
  SelectModifierNode,
} from 'kysely'
export {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
