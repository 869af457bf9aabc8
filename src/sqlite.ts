export { type SqliteOptions, sqlite } from './store/sqlite/sqlite.ts'
