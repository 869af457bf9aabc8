import { QuerentError } from '../../core/error.ts'

/* What SQLite says when something is wrong with the file, in words that say what to do. */

// https://www.sqlite.org/rescode.html; the low byte is the primary code.
const primary = { busy: 5, locked: 6, readOnly: 8, io: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 }

function primaryCode(error: unknown): number | undefined {
  const known = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
  return known ? (error.errcode as number) & 0xff : undefined
}

/** Whether another connection has the file just now: the same again may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === primary.busy || code === primary.locked
}

/** An error of SQLite in words; whatever else it is comes back as it was. */
export function faultOf(error: unknown, path: string): unknown {
  const code = primaryCode(error)
  const file = JSON.stringify(path)
  switch (code) {
    case primary.cannotOpen:
      return wrongPath(
        `The database ${file} cannot be opened. Make its folder first, and check that this process may write there.`,
        error,
      )
    case primary.notADatabase:
      return wrongPath(`The file ${file} is no SQLite database. Give another path.`, error)
    case primary.readOnly:
      return wrongPath(`The database ${file} is read-only. Let this process write the file and its folder.`, error)
    case primary.full:
      return unusable(`The database ${file} could not grow: the disk is full. Nothing of this write is there.`, error)
    case primary.io:
      return unusable(`The database ${file} could not be read or written. Nothing of this write is there.`, error)
    case primary.corrupt:
      return unusable(`The database ${file} is damaged. Restore it from a copy.`, error)
    default:
      return error
  }
}

function wrongPath(message: string, cause: unknown): QuerentError {
  return new QuerentError('T1003', message, { cause })
}

/** The error for a database that may be usable again. */
export function unusable(message: string, cause: unknown): QuerentError {
  return new QuerentError('T3003', message, { cause })
}
