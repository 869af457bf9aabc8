import { keepAlive, systemClock } from '../../core/ambient.ts'
import type { ChangeListener } from '../store.ts'
import type { Connection } from './connection.ts'

const pollMs = 50

/**
 * Who wants to hear of changes. Commits of this process are told at once. Those of others are noticed by asking SQLite
 * for its `data_version`, only while somebody listens: on the writing connection, where our own commits do not count.
 */
export class Changes {
  readonly #connection: () => Connection | undefined
  readonly #listeners = new Set<ChangeListener>()
  #version: number | undefined
  #cancelPoll: (() => void) | undefined
  #letGo: (() => void) | undefined

  constructor(connection: () => Connection | undefined) {
    this.#connection = connection
  }

  listen(listener: ChangeListener): () => void {
    // Wrapped, so that the same function may listen twice and each `stop` ends one.
    const entry: ChangeListener = (run, elsewhere) => listener(run, elsewhere)
    this.#listeners.add(entry)
    if (!this.#cancelPoll) {
      this.#version = this.#readVersion()
      this.#poll()
      // Who waits for another process to answer, or for work, means to be there when it comes.
      this.#letGo = keepAlive()
    }
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.#stopPolling()
    }
  }

  tell(runs: Iterable<string>): void {
    for (const run of runs) for (const listener of this.#listeners) listener(run, run === '*')
  }

  close(): void {
    this.#listeners.clear()
    this.#stopPolling()
  }

  #poll(): void {
    this.#cancelPoll = systemClock.after(pollMs, () => {
      this.#poll()
      const before = this.#version
      this.#version = this.#readVersion()
      // Where one of the two is not known, something may have happened: a hint too many costs a look, one too few a wait.
      if (this.#version !== undefined && this.#version !== before) this.tell(['*'])
    })
  }

  #stopPolling(): void {
    this.#cancelPoll?.()
    this.#cancelPoll = undefined
    this.#letGo?.()
    this.#letGo = undefined
  }

  #readVersion(): number | undefined {
    try {
      const [row] = (this.#connection()?.execute('pragma data_version') ?? []) as { data_version: number }[]
      return row?.data_version
    } catch {
      // Whatever is wrong with the file, whoever reads or writes next is told. A hint has nobody to tell.
      return undefined
    }
  }
}
