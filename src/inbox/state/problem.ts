import { type Code, code, QuerentError } from '../../protocol/core.ts'

/** What to tell a person of an error: in words of theirs where they can do something, else as the server said it. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof QuerentError)) return 'Something went wrong in this page. Reload it and try again.'
  return wordsOfCode(error.code, error.message)
}

/** The same, of an error that is told as data. */
export function wordsOfCode(seen: Code, message: string): string {
  switch (seen) {
    case code.T0001:
      return 'There is no such run, or it is not yours.'
    case code.T0007:
      return 'You may not do that. Sign in again, or ask whoever runs this server.'
    case code.T0013:
      return 'That was too much in too short a time. Wait a moment, then try again.'
    case code.T3004:
      return 'The server does not answer. What you wrote is kept: try again in a moment.'
    default:
      return message
  }
}

/** What somebody can do about a run that failed, by the code it failed with. */
export function remedyOf(failed: Code): string | undefined {
  switch (failed) {
    case code.T2001:
    case code.T2002:
    case code.T2003:
      return 'It used up what its agent may spend. A message of yours starts a new round with fresh steps, where the limits allow it.'
    case code.T2004:
      return 'Nobody answered in time. Write to it, and it asks again.'
    case code.T2005:
      return 'Write to it to try once more. If that fails too, whoever runs this server finds the cause in its log.'
    case code.T2006:
    case code.T2007:
      return 'Write to it and say what you need in other words.'
    default:
      return undefined
  }
}
