import { DatabaseSync } from 'node:sqlite'

/** As much of better-sqlite3 as the saver calls, on `node:sqlite`. */
export function betterSqlite(path: string, synchronous: 'full' | 'normal') {
  const db = new DatabaseSync(path)
  db.exec(`pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = ${synchronous}`)
  return {
    pragma: (text: string) => db.prepare(`pragma ${text}`).all(),
    exec: (text: string) => db.exec(text),
    prepare: (text: string) => {
      const statement = db.prepare(text)
      return {
        get: (...values: unknown[]) => statement.get(...bound(values)),
        all: (...values: unknown[]) => statement.all(...bound(values)),
        run: (...values: unknown[]) => statement.run(...bound(values)),
      }
    },
    transaction:
      (work: (...values: unknown[]) => unknown) =>
      (...values: unknown[]) => {
        db.exec('begin')
        try {
          const result = work(...values)
          db.exec('commit')
          return result
        } catch (error) {
          db.exec('rollback')
          throw error
        }
      },
    close: () => db.close(),
  }
}

/** It takes `undefined` for NULL. */
function bound(values: unknown[]) {
  return values.map((value) => value ?? null)
}
