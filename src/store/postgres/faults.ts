import { QuerentError } from '../../core/error.ts'

/* What Postgres and the way to it can say, in words that say what to do. https://www.postgresql.org/docs/current/errcodes-appendix.html */

// Credentials, no such database, no such host, not allowed: the same again fails again.
const wrongCodes = [
  '28P01',
  '28000',
  '3D000',
  '42501',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]
// Sent back by a transaction that met another one, or by a server that is just starting or has no connection left.
const againCodes = ['40001', '40P01', '57P03', '53300']
const lostCodes = [
  '57P01',
  '57P02',
  '57P05',
  '25P03',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]
const preparedCodes = ['26000', '42P05']
const unusableCodes = ['25006', '57014', '55P03']

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function messageOf(error: unknown): string {
  // Where a host has several addresses, what was wrong with each stands below an error without a word.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}

/** Whether the connection is gone. What pg itself says of that has no code. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (lostCodes.includes(code) || code.startsWith('08')) return true
  return /^(Connection terminated|Client (has encountered|was closed)|Query read timeout)/.test(messageOf(error))
}

/** Whether no connection of a pool was free in time. */
function isExhausted(error: unknown): boolean {
  return messageOf(error).startsWith('timeout exceeded when trying to connect')
}

/** Whether the connection knows a prepared statement where it should not, or does not where it should: it is shared. */
export function isPreparedElsewhere(error: unknown): boolean {
  return preparedCodes.includes(codeOf(error))
}

/** Whether the same transaction may succeed in a moment, perhaps on another connection. */
export function isPassing(error: unknown): boolean {
  if (isLost(error) || isPreparedElsewhere(error) || againCodes.includes(codeOf(error))) return true
  // A column came while a statement was prepared; a standby that is about to be the primary.
  return (codeOf(error) === '0A000' && messageOf(error).includes('cached plan')) || codeOf(error) === '25006'
}

/** An error of the first connection in words: the options are the first to be looked at. */
export function firstFaultOf(error: unknown, place: string): unknown {
  // A server that is about to be there, or has no connection left, and a pool that has none.
  if (['57P03', '53300'].includes(codeOf(error)) || isExhausted(error)) return error
  return new QuerentError(
    'T1003',
    `No connection to ${place}: ${messageOf(error)}. Check the URL, and that the server runs and lets this process in.`,
    { cause: error },
  )
}

/** An error of Postgres in words; whatever else it is comes back as it was. */
export function faultOf(error: unknown, place: string): unknown {
  if (error instanceof QuerentError) return error
  const code = codeOf(error)
  const said = `${messageOf(error)}${code ? ` (${code})` : ''}`
  if (code === '42501') {
    return new QuerentError('T1003', `${place} refused: ${said}. Give this user the right, or use another.`, {
      cause: error,
    })
  }
  if (wrongCodes.includes(code)) {
    return new QuerentError('T1003', `No connection to ${place}: ${said}. Check the URL.`, { cause: error })
  }
  if (isExhausted(error)) {
    return unusable(
      `No connection to ${place} was free in time: all of the pool are in use. Nothing of this call is there.`,
      error,
    )
  }
  const passing = isPassing(error) || /timeout/.test(messageOf(error))
  if (passing || unusableCodes.includes(code) || /^(53|58|XX)/.test(code)) {
    return unusable(`${place} cannot be used just now: ${said}. Nothing of this call is there.`, error)
  }
  return error
}

/** The error where the connection was lost between the commit and its answer. */
export function unknownOutcome(error: unknown, place: string): QuerentError {
  return unusable(
    `The connection to ${place} was lost at the commit: ${messageOf(error)}. It is not known whether the write is there. ` +
      'Send the same again: with the same key or answerId it is done once.',
    error,
  )
}

function unusable(message: string, cause: unknown): QuerentError {
  return new QuerentError('T3003', message, { cause })
}
