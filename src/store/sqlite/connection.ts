import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type LimitNode, type SelectModifierNode, SqliteAdapter, SqliteQueryCompiler } from '../kysely.ts'
import { type Call, createCompiler, type Transition } from '../query.ts'

class Compiler extends SqliteQueryCompiler {
  /** SQLite has no row locks and needs none: the transaction that writes holds the whole file from its first line. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate' && node.modifier !== 'SkipLocked') super.visitSelectModifier(node)
  }

  /** A bare parameter here takes part in planning: each new value would have the statement prepared again, ten times its cost. */
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(' + 0')
  }
}

/** Compiles a query for SQLite, once. */
export const compile = createCompiler({
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new Compiler(),
})

/** One connection to a file, with its prepared statements. */
export class Connection {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** @throws Error of SQLite where the file cannot be opened. */
  constructor(path: string, options: { readOnly: boolean }) {
    // No busy handler: SQLite's own sleeps, and the event loop with it. Whoever writes retries instead.
    this.#db = new DatabaseSync(path, { readOnly: options.readOnly, timeout: 0, enableForeignKeyConstraints: false })
  }

  /** Whether a transaction is open. SQLite ends one by itself where a disk is full. */
  get isTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Runs one statement without parameters, such as `begin immediate`. Gives its rows. */
  execute(sql: string): unknown[] {
    return this.#prepare(sql).all()
  }

  /** Runs a script of several statements. */
  script(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs a transition to its end, here and now: nothing else gets between its statements. */
  run<T>(transition: Transition<T>): T {
    let step = transition.next()
    while (!step.done) step = transition.next(this.#rows(step.value))
    return step.value
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #rows(call: Call): unknown[] {
    const { sql, fill } = compile(call.query)
    return this.#prepare(sql).all(...fill(call.values))
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
