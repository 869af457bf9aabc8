import pg from 'pg'

let count = 0
const { query } = pg.Client.prototype
// Each is a round trip, whoever sends it: both ways go through this package.
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  count += 1
  return Reflect.apply(query, this, args)
} as typeof query

/** How many statements this process has sent to Postgres. */
export function countedQueries(): number {
  return count
}
