import type { Clock } from '../../core/ambient.ts'
import { QuerentError } from '../../core/error.ts'
import type { Transition } from '../query.ts'
import type { ChangeListener, SchemaVersion } from '../store.ts'
import type { TransitionRunner } from '../store-on.ts'
import type { Context } from '../transitions/context.ts'
import { Changes } from './changes.ts'
import { Connection } from './connection.ts'
import { faultOf } from './faults.ts'
import { migrate, schemaVersionOf } from './migrate.ts'
import { untilFree } from './until-free.ts'
import { Writer } from './writer.ts'

/** The file with its two connections, opened at the first use. */
export class Database implements TransitionRunner {
  readonly #path: string
  readonly #clock: Clock
  readonly #durability: 'full' | 'relaxed'
  readonly #writer: Writer
  readonly #changes = new Changes(() => this.#writing)
  #writing: Connection | undefined
  #reading: Connection | undefined
  #opening: Promise<Connection> | undefined
  #closing: Promise<void> | undefined

  constructor(path: string, { clock, durability }: { clock: Clock; durability: 'full' | 'relaxed' }) {
    this.#path = path
    this.#clock = clock
    this.#durability = durability
    this.#writer = new Writer({
      path,
      clock,
      open: () => this.#opened(),
      tell: (runs) => this.#changes.tell(runs),
    })
  }

  async open(): Promise<void> {
    this.#refuseClosed()
    await this.#opened()
  }

  async schemaVersion(): Promise<SchemaVersion> {
    this.#refuseClosed()
    return untilFree(this.#path, () => schemaVersionOf(this.#path))
  }

  async write<T>(start: (context: Context) => Transition<T>): Promise<T> {
    this.#refuseClosed()
    return this.#writer.write(start)
  }

  async read<T>(start: () => Transition<T>): Promise<T> {
    this.#refuseClosed()
    await this.#opened()
    try {
      return await untilFree(this.#path, () => {
        this.#refuseClosed()
        return this.#reader().run(start())
      })
    } catch (error) {
      throw faultOf(error, this.#path)
    }
  }

  async now(): Promise<number> {
    return this.#clock.now()
  }

  onChange(listener: ChangeListener): () => void {
    if (this.#closing) return () => {}
    const stop = this.#changes.listen(listener)
    // Only an open file can be watched. Where it cannot be opened, the next call that needs it says why.
    this.#opened().catch(() => {})
    return stop
  }

  /** Waits for what was accepted, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#changes.close()
    await this.#writer.idle()
    // A failed opening was told to whoever asked for it.
    await this.#opening?.catch(() => {})
    this.#reading?.close()
    this.#writing?.close()
  }

  #refuseClosed(): void {
    if (!this.#closing) return
    throw new QuerentError(
      'T1008',
      `The store of ${JSON.stringify(this.#path)} is closed. Make a new one with sqlite(path).`,
    )
  }

  /** The writing connection. An opening that failed is tried again by the next who asks. */
  #opened(): Promise<Connection> {
    this.#opening ??= this.#openFile().catch((error: unknown) => {
      this.#opening = undefined
      throw faultOf(error, this.#path)
    })
    return this.#opening
  }

  async #openFile(): Promise<Connection> {
    const connection = new Connection(this.#path, { readOnly: false })
    try {
      await untilFree(this.#path, () => {
        connection.execute('pragma journal_mode = wal')
        connection.execute(`pragma synchronous = ${this.#durability === 'full' ? 'full' : 'normal'}`)
        migrate(connection)
      })
    } catch (error) {
      connection.close()
      throw error
    }
    this.#writing = connection
    return connection
  }

  #reader(): Connection {
    this.#reading ??= new Connection(this.#path, { readOnly: true })
    return this.#reading
  }
}
