import type { Call, Transition, Value } from '../query.ts'
import type { Compile } from './compile.ts'
import type { PgClient, PgStatement } from './pg.ts'

const integers = new Set([20, 21, 23]) // int8, int2, int4

/** Whole numbers are numbers, of whatever width; all else is text as it came. No column holds more than 2^53. */
export const types: PgStatement['types'] = {
  getTypeParser: (oid) => (integers.has(oid) ? Number : (text: string) => text),
}

// Postgres keeps no NUL in a text. JSON escapes it; what is left are titles, keys and names.
function sendable(value: Value): Value {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * Runs transitions on one connection. A statement that gives no rows is not waited for, where the connection takes the
 * next one meanwhile: its fault is told by the end.
 */
export class Statements {
  readonly #client: PgClient
  readonly #compile: Compile
  readonly #prepare: boolean
  readonly #sent: Promise<unknown>[] = []

  constructor(client: PgClient, { compile, prepare }: { compile: Compile; prepare: boolean }) {
    this.#client = client
    this.#compile = compile
    this.#prepare = prepare
  }

  async run<T>(transition: Transition<T>): Promise<T> {
    let step = transition.next()
    while (!step.done) step = transition.next(await this.#rows(step.value))
    return step.value
  }

  /** Commits. Rejects where an earlier statement failed, too: then nothing is there. */
  async commit(): Promise<void> {
    const committed = this.#client.query({ text: 'commit' })
    committed.catch(() => {})
    await Promise.all(this.#sent)
    const { command } = await committed
    // What Postgres answers to the commit of a transaction that had failed.
    if (command !== 'COMMIT') throw new Error(`The commit was answered with ${command}.`)
  }

  /** The fault that another one followed from: of the first statement that failed. */
  async firstFault(seen: unknown): Promise<unknown> {
    const results = await Promise.allSettled(this.#sent)
    const first = results.find((result) => result.status === 'rejected')
    return first ? first.reason : seen
  }

  async #rows(call: Call): Promise<unknown[]> {
    const { sql, name, givesRows, fill } = this.#compile(call.query)
    const values = fill(call.values).map(sendable)
    const answer = this.#client.query({ text: sql, values, types, ...(this.#prepare ? { name } : {}) })
    if (givesRows || !this.#client.pipeline) return (await answer).rows
    answer.catch(() => {})
    this.#sent.push(answer)
    return []
  }
}
