export type { PostgresConfig } from './store/postgres/connections.ts'
export type { PgPool } from './store/postgres/pg.ts'
export { type PostgresOptions, postgres } from './store/postgres/postgres.ts'
