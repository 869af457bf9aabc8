import { type Clock, nextTurn } from '../../core/ambient.ts'
import type { Transition } from '../query.ts'
import { type Context, contextAt } from '../transitions/context.ts'
import type { Connection } from './connection.ts'
import { faultOf } from './faults.ts'
import { untilFree } from './until-free.ts'

/** A transition that waits for its turn. */
interface Member {
  start(context: Context): Transition<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** How many transitions share a commit at most: beyond that the event loop would be held up for too long. */
const maxMembers = 200

/**
 * Group commit: transitions that arrive together run one after another as savepoints of one transaction, and share the
 * wait for the disk. Each is acknowledged, and what it changed is told, only after that transaction is on disk. One that
 * throws takes back its own savepoint; where the transaction itself is lost, all are refused.
 */
export class Writer {
  readonly #path: string
  readonly #clock: Clock
  readonly #open: () => Promise<Connection>
  readonly #tell: (runs: Iterable<string>) => void
  #waiting: Member[] = []
  #draining: Promise<void> | undefined

  constructor(options: {
    path: string
    clock: Clock
    open(): Promise<Connection>
    tell(runs: Iterable<string>): void
  }) {
    this.#path = options.path
    this.#clock = options.clock
    this.#open = options.open
    this.#tell = options.tell
  }

  /** Runs a transition in the next commit. Resolves when it is on disk; rejects where nothing of it is. */
  write<T>(start: (context: Context) => Transition<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ start, resolve: (value) => resolve(value as T), reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when nothing waits to be written. */
  async idle(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    do {
      // Others that arrive in the same breath come into the same commit.
      await nextTurn()
      await this.#writeNext()
      // Looked at and given up in one stroke: what is pushed in between would wait for ever.
    } while (this.#waiting.length > 0)
    this.#draining = undefined
  }

  async #writeNext(): Promise<void> {
    try {
      const connection = await this.#open()
      await untilFree(this.#path, () => this.#commit(connection))
    } catch (error) {
      refuse(this.#waiting.splice(0), faultOf(error, this.#path))
    }
  }

  /** Nothing is awaited in here: what is foreign to this transaction cannot get into it. Throws before it begins only. */
  #commit(connection: Connection): void {
    connection.execute('begin immediate')
    const members = this.#waiting.splice(0, maxMembers)
    const changed = new Set<string>()
    const acknowledge: (() => void)[] = []
    try {
      // One alone needs no savepoint: what takes it back is the rollback of the whole.
      const run = members.length === 1 ? this.#runAlone : this.#runMember
      for (const member of members) acknowledge.push(run.call(this, connection, member, changed))
      connection.execute('commit')
    } catch (error) {
      if (connection.isTransaction) connection.execute('rollback')
      refuse(members, faultOf(error, this.#path))
      return
    }
    for (const each of acknowledge) each()
    // Outside of this call: what a listener throws is no failure of a write, and must not refuse the next ones.
    queueMicrotask(() => this.#tell(changed))
  }

  #runAlone(connection: Connection, member: Member, changed: Set<string>): () => void {
    const context = contextAt(this.#clock.now())
    const value = connection.run(member.start(context))
    for (const run of context.changed) changed.add(run)
    return () => member.resolve(value)
  }

  /** Gives what to do once the commit is on disk. Throws where the whole transaction is lost. */
  #runMember(connection: Connection, member: Member, changed: Set<string>): () => void {
    const context = contextAt(this.#clock.now())
    connection.execute('savepoint member')
    try {
      const value = connection.run(member.start(context))
      connection.execute('release member')
      for (const run of context.changed) changed.add(run)
      return () => member.resolve(value)
    } catch (error) {
      if (!connection.isTransaction) throw error
      connection.execute('rollback to member')
      connection.execute('release member')
      return () => member.reject(faultOf(error, this.#path))
    }
  }
}

function refuse(members: Member[], error: unknown): void {
  for (const member of members) member.reject(error)
}
