import { keepAlive, pause, randomId, systemClock } from '../../core/ambient.ts'
import type { ChangeListener } from '../store.ts'
import { type PgOwnClient, quoted } from './pg.ts'
import { types } from './statements.ts'

/** How often to look whether anything was committed, where notifications do not come through. */
const pollMs = 250
/** How often to see whether notifications come through, and the connection is there. */
const heartbeatMs = 10_000
const beatsEvery = heartbeatMs / pollMs
/** Bytes of a notification: Postgres takes less than 8,000. */
const maxPayload = 7_900
/** Beyond that many runs at once whoever is told might as well look at its own. */
const maxNamed = 100
/** Others may write a thousand times a second; whoever is told looks at the database. */
const othersEveryMs = 50

// It changes with every commit in the cluster, and with nothing else that matters here. It touches no table.
const snapshot = 'select pg_current_snapshot()::text as seen'

export interface ChangesOptions {
  channel: string
  /** Makes a connection of its own. */
  connect(): Promise<PgOwnClient>
  /** Sends a notification on any connection. */
  notify(channel: string, payload: string): Promise<void>
}

/**
 * Who wants to hear of changes. Commits of this store are told at once. Those of others come as notifications, on a
 * connection of its own that is there only while somebody listens. Behind a pooler that shares connections none come:
 * then it looks four times a second whether anything was committed.
 *
 * Notifications are sent after the commit, not in it: a transaction that notifies holds a lock over its commit which only
 * one in the whole cluster can have. One that gets lost so costs time, never an answer.
 */
export class Changes {
  readonly #options: ChangesOptions
  readonly #self = randomId('store')
  readonly #listeners = new Set<ChangeListener>()
  readonly #following = new Set<Promise<void>>()
  #stop: AbortController | undefined
  #letGo: (() => void) | undefined
  #sending: Promise<void> | undefined
  #unsent = new Set<string>()
  #cooling: (() => void) | undefined
  #others = new Set<string>()

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  listen(listener: ChangeListener): () => void {
    // Wrapped, so that the same function may listen twice and each `stop` ends one.
    const entry: ChangeListener = (run, elsewhere) => listener(run, elsewhere)
    this.#listeners.add(entry)
    if (!this.#stop) this.#start()
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.#end()
    }
  }

  tell(runs: Iterable<string>, elsewhere = false): void {
    for (const run of runs) for (const listener of this.#listeners) listener(run, elsewhere)
  }

  /** Lets other processes know which runs changed. What comes while a notification is on its way shares the next. */
  announce(runs: Iterable<string>): void {
    for (const run of runs) this.#unsent.add(run)
    this.#sending ??= this.#sendUnsent().finally(() => {
      this.#sending = undefined
      if (this.#unsent.size > 0) this.announce([])
    })
  }

  /** Nobody listens any more. */
  clear(): void {
    this.#listeners.clear()
    this.#end()
  }

  /** Resolves when what was announced is sent, and no connection is left of those who listened. */
  async idle(): Promise<void> {
    while (this.#sending) await this.#sending
    await Promise.all(this.#following)
  }

  #start(): void {
    const stop = new AbortController()
    this.#stop = stop
    // Who waits for another process to answer, or for work, means to be there when it comes.
    this.#letGo = keepAlive()
    const following = this.#follow(stop.signal).finally(() => this.#following.delete(following))
    this.#following.add(following)
  }

  #end(): void {
    this.#stop?.abort()
    this.#stop = undefined
    this.#letGo?.()
    this.#letGo = undefined
    this.#cooling?.()
    this.#cooling = undefined
    this.#others.clear()
  }

  /** Who waits for one run need not look at it whenever anybody writes anything. */
  async #sendUnsent(): Promise<void> {
    const named = JSON.stringify([this.#self, ...this.#unsent])
    const fits = this.#unsent.size <= maxNamed && Buffer.byteLength(named) <= maxPayload
    this.#unsent.clear()
    await this.#send(fits ? named : JSON.stringify([this.#self, '*']))
  }

  async #send(payload: string): Promise<void> {
    // Whatever is wrong with the database, whoever reads or writes next is told. A hint has nobody to tell.
    await this.#options.notify(this.#options.channel, payload).catch(() => {})
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A connection that is lost, or cannot be had, is tried again for as long as somebody listens.
      await this.#followOn(signal).catch(() => {})
      await pause(systemClock, pollMs, signal).catch(() => {})
    }
  }

  async #followOn(signal: AbortSignal): Promise<void> {
    const client = await this.#options.connect()
    const probe = `probe ${this.#self}`
    let heard = false
    client.on('notification', ({ payload = '' }) => {
      heard = true
      if (payload.startsWith('probe')) return
      const [writer, ...runs] = readPayload(payload)
      if (writer !== this.#self) this.#tellOfOthers(signal, runs)
    })
    try {
      await client.query({ text: `listen ${quoted(this.#options.channel)}` })
      let comesThrough = false
      let seen: string | undefined
      for (let beat = 0; !signal.aborted; beat += 1) {
        if (beat % beatsEvery === 0) {
          comesThrough = heard
          heard = false
          void this.#send(probe)
        } else comesThrough ||= heard
        if (!comesThrough || beat % beatsEvery === 0) {
          const now = await snapshotOf(client)
          // The first time, too: nobody told what was committed while there was no connection, whatever has come through since.
          if ((!comesThrough || seen === undefined) && now !== seen) this.#tellOfOthers(signal, ['*'])
          seen = now
        }
        await pause(systemClock, pollMs, signal)
      }
    } finally {
      await client.end().catch(() => {})
    }
  }

  #tellOfOthers(signal: AbortSignal, runs: string[]): void {
    if (signal.aborted) return
    for (const run of runs) this.#others.add(run)
    if (this.#cooling) return
    this.#cooling = systemClock.after(othersEveryMs, () => {
      this.#cooling = undefined
      if (this.#others.size > 0) this.#tellOfOthers(signal, [])
    })
    const told = this.#others.has('*') || this.#others.size > maxNamed ? ['*'] : [...this.#others]
    this.#others.clear()
    // Outside of this call: what a listener throws must not come between a connection and its answers.
    queueMicrotask(() => this.tell(told, true))
  }
}

/** Who wrote, and which runs. What is in another form was sent by another version: something, somewhere. */
function readPayload(payload: string): string[] {
  try {
    const read: unknown = JSON.parse(payload)
    if (Array.isArray(read) && read.every((each) => typeof each === 'string')) return read
  } catch {
    // As above.
  }
  return ['', '*']
}

/** A connection that does not answer is as good as lost. */
async function snapshotOf(client: PgOwnClient): Promise<string> {
  const answer = client.query({ text: snapshot, types })
  const late = new AbortController()
  const tooLate = pause(systemClock, heartbeatMs, late.signal).then(() => {
    throw new Error('The connection that listens does not answer.')
  })
  // Whichever comes second has nobody to tell.
  answer.catch(() => {})
  tooLate.catch(() => {})
  try {
    const { rows } = await Promise.race([answer, tooLate])
    return (rows as { seen: string }[])[0]?.seen ?? ''
  } finally {
    late.abort()
  }
}
