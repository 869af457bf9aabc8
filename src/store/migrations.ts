import { readdirSync, readFileSync } from 'node:fs'
import { QuerentError } from '../core/error.ts'

/** One step of a schema: `NNNN-name.sql`. */
export interface Migration {
  number: number
  /**
   * The lowest schema that code must know to work on the database after it. A step that old code survives keeps the
   * number of the step before; one that it does not (a column is gone, a meaning changed) names itself.
   */
  compatibleSince: number
  sql: string
}

/** How far a database is: its last step, and the lowest schema that code must know. */
export interface SchemaState {
  applied: number
  compatibleSince: number
}

/** The steps in a folder, in order. */
export function migrationsIn(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}-.+\.sql$/.test(file))
  return files.sort().map((file) => {
    const sql = readFileSync(new URL(file, folder), 'utf8')
    const since = /^-- Compatible since: (\d+)\n/.exec(sql)?.[1]
    if (since === undefined) throw new Error(`${file} must begin with "-- Compatible since: N".`)
    return { number: Number(file.slice(0, 4)), compatibleSince: Number(since), sql }
  })
}

/**
 * Refuses a database that newer code changed so that this code would write it wrong.
 * @throws QuerentError T3002.
 */
export function refuseNewer({ applied, compatibleSince }: SchemaState, newest: number): void {
  if (compatibleSince <= newest) return
  throw new QuerentError(
    'T3002',
    `The database has the schema ${applied}, which needs code that knows ${compatibleSince} at least, and this code ` +
      `knows ${newest}. Run the newer version of querent.`,
  )
}
