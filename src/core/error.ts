/**
 * Every error code with its HTTP status, whether the same call may succeed later (`retry`), and what it says in
 * short. Each has a page: `docs/errors/<code>.md`.
 */
const codes = {
  T0001: { status: 404, retry: false, title: 'There is no such run for this caller.' },
  T0002: { status: 422, retry: false, title: 'The answer does not fit; the ask still waits.' },
  T0003: { status: 409, retry: false, title: 'This ask is settled already.' },
  T0004: { status: 409, retry: false, title: 'Several asks match; say which one.' },
  T0005: { status: 409, retry: false, title: 'This ask has expired.' },
  T0006: { status: 404, retry: false, title: 'There has never been an ask at that step of this run.' },
  T0007: { status: 403, retry: false, title: 'This caller may not do that.' },
  T0008: { status: 400, retry: false, title: 'The request cannot be read.' },
  T0009: { status: 503, retry: true, title: 'This process lacks the agent whose guards must see the answer.' },
  T0010: { status: 422, retry: false, title: 'The input of this approval may not be edited.' },
  T0011: { status: 409, retry: false, title: 'This run cannot go on.' },
  T0012: { status: 422, retry: false, title: 'A guard refused what was sent.' },
  T0013: { status: 429, retry: true, title: 'Too many in too short a time.' },
  T0014: { status: 409, retry: false, title: 'This key was used with another input.' },
  T1001: { status: 500, retry: false, title: 'The definition of an agent is wrong.' },
  T1002: { status: 500, retry: false, title: 'The definition of a tool is wrong.' },
  T1003: { status: 500, retry: false, title: 'The options of the engine are wrong.' },
  T1004: { status: 500, retry: false, title: 'A limit or a duration is wrong.' },
  T1005: { status: 500, retry: false, title: 'There is no agent of that name here.' },
  T1006: { status: 500, retry: false, title: 'The model is not one that can be used.' },
  T1007: { status: 500, retry: false, title: 'An optional package is missing.' },
  T1008: { status: 500, retry: false, title: 'The engine or store is closed.' },
  T1009: { status: 500, retry: false, title: 'A tool has a reserved name.' },
  T1010: { status: 500, retry: false, title: 'ctx.ask in a tool that may not be repeated.' },
  T2001: { status: 500, retry: false, title: 'The run failed: no model call is left in this round.' },
  T2002: { status: 500, retry: false, title: 'The run failed: its output tokens are used up.' },
  T2003: { status: 500, retry: false, title: 'The run failed: it may ask no more.' },
  T2004: { status: 500, retry: false, title: 'The run failed: nobody answered in time.' },
  T2005: { status: 500, retry: false, title: 'The run failed for good.' },
  T2006: { status: 500, retry: false, title: 'The run failed: the guards refused its text.' },
  T2007: { status: 500, retry: false, title: 'The run failed: its final answer does not fit.' },
  T3001: { status: 500, retry: true, title: 'The claim was lost: another worker holds the run.' },
  T3002: { status: 500, retry: false, title: 'The log or database is newer than this code.' },
  T3003: { status: 503, retry: true, title: 'The database cannot be used just now.' },
  T3004: { status: 503, retry: true, title: 'The server did not answer as it should.' },
  T3101: { status: 403, retry: false, title: 'Backend code may not answer for a person.' },
} as const

/** An error code, such as `'T0002'`. */
export type Code = keyof typeof codes

/** All codes by name: `error.is(code.T0002)`. */
export const code = Object.fromEntries(Object.keys(codes).map((name) => [name, name])) as { readonly [C in Code]: C }

/** One place where an answer does not fit: a JSON Pointer (RFC 6901) into it, `''` for the whole, and why. */
export interface Issue {
  path: string
  message: string
}

const brand = Symbol.for('querent.error')

/** What an error carries besides its message, by code: see its page. */
export interface ErrorData {
  issues?: Issue[]
  [key: string]: unknown
}

/**
 * The one error class. `message` says what was seen and what to do; `code` names the page `docs/errors/<code>.md`;
 * `status` is the HTTP status; `retry` says whether the same call may succeed later. Expected outcomes inside the
 * library are values: this is thrown at its edges only.
 */
export class QuerentError extends Error {
  readonly code: Code
  readonly status: number
  readonly retry: boolean
  readonly data: ErrorData

  constructor(code: Code, message: string, options: { data?: ErrorData; status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'QuerentError'
    this.code = code
    this.status = options.status ?? codes[code].status
    this.retry = codes[code].retry
    this.data = options.data ?? {}
    Object.defineProperty(this, brand, { value: true })
  }

  /** Whether this error has that code. */
  is(wanted: Code): boolean {
    return this.code === wanted
  }

  // instanceof works across copies of the package: a client bundle and a server may each have their own.
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** The short sentence of a code, as its page begins. */
export function titleOf(wanted: Code): string {
  return codes[wanted].title
}
