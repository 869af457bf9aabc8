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

/**
 * The file, opened at the first use. One connection writes and reads: nothing is awaited within a transaction, so a read
 * meets none, and what was just written need not be fetched from the file again.
 */
export class Database implements TransitionRunner {
  readonly #path: string
  readonly #clock: Clock
  readonly #durability: 'full' | 'relaxed'
  readonly #writer: Writer
  readonly #changes = new Changes(() => this.#connection)
  #connection: Connection | undefined
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
    const connection = await this.#opened()
    try {
      return await untilFree(this.#path, () => {
        this.#refuseClosed()
        return connection.run(start())
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
    this.#connection?.close()
  }

  #refuseClosed(): void {
    if (!this.#closing) return
    throw new QuerentError(
      'T1008',
      `The store of ${JSON.stringify(this.#path)} is closed. Make a new one with sqlite(path).`,
    )
  }

  /** The connection. An opening that failed is tried again by the next who asks. */
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
        // Of a file that is made now. A commit writes whole pages, a few hundred bytes in each of a dozen: with pages of half
        // the usual size it has half as much to bring to the disk.
        connection.execute('pragma page_size = 2048')
        connection.execute('pragma journal_mode = wal')
        // The usual 4 MB.
        connection.execute('pragma wal_autocheckpoint = 2000')
        connection.execute(`pragma synchronous = ${this.#durability === 'full' ? 'full' : 'normal'}`)
        migrate(connection)
      })
    } catch (error) {
      connection.close()
      throw error
    }
    this.#connection = connection
    return connection
  }
}
