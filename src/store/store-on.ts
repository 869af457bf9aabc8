import type { Transition } from './query.ts'
import type { ChangeListener, SchemaVersion, Store } from './store.ts'
import { addMessage } from './transitions/add-message.ts'
import { getAsk } from './transitions/asks.ts'
import { claimRun, giveBack, listClaims, listOwners, readyAgents, renewClaim } from './transitions/claim-run.ts'
import type { Context } from './transitions/context.ts'
import { countWork } from './transitions/count-work.ts'
import { createRun } from './transitions/create-run.ts'
import { eraseEnded, eraseRun } from './transitions/erase-run.ts'
import { readEvents } from './transitions/events.ts'
import { findAsks, getRun, listAsks, listRuns, nextDeadline } from './transitions/lists.ts'
import { ackOutbox, addNotifier, removeNotifier, takeOutbox } from './transitions/outbox.ts'
import { retryRun } from './transitions/retry-run.ts'
import { expireAsks, settleAsk } from './transitions/settle-ask.ts'
import { stopRun } from './transitions/stop-run.ts'
import { append, finishRun, parkRun } from './transitions/write-run.ts'

/** What runs transitions: one file, or one server. */
export interface TransitionRunner {
  open(): Promise<void>
  /** How far the schema is; changes nothing. */
  schemaVersion(): Promise<SchemaVersion>
  /** One transaction. Resolves when it is on disk. */
  write<T>(start: (context: Context) => Transition<T>): Promise<T>
  read<T>(start: () => Transition<T>): Promise<T>
  /** The clock that leases and deadlines live by. */
  now(): Promise<number>
  onChange(listener: ChangeListener): () => void
  close(): Promise<void>
}

/** The store that a runner makes of the transitions. */
export function storeOn(database: TransitionRunner, name: string): Store {
  const write = <T>(start: (context: Context) => Transition<T>) => database.write(start)
  const read = <T>(start: () => Transition<T>) => database.read(start)
  return {
    name,
    schemaVersion: () => database.schemaVersion(),
    migrate: () => database.open(),
    createRun: (run) => write((context) => createRun(context, run)),
    claimRun: (request) => write((context) => claimRun(context, request)),
    renewClaim: (held, leaseMs) => write((context) => renewClaim(context, held, leaseMs)),
    append: (held, entry) => write((context) => append(context, held, entry)),
    parkRun: (held, entry) => write((context) => parkRun(context, held, entry)),
    giveBack: (held) => write((context) => giveBack(context, held)),
    finishRun: (held, entry, end) => write((context) => finishRun(context, held, { write: entry, end })),
    settleAsk: (settle) => write((context) => settleAsk(context, settle)),
    expireAsks: (limit) => write((context) => expireAsks(context, limit)),
    async untilDeadline() {
      const deadline = await read(() => nextDeadline())
      return deadline === undefined ? undefined : deadline - (await database.now())
    },
    addMessage: (message) => write((context) => addMessage(context, message)),
    stopRun: (stop) => write((context) => stopRun(context, stop)),
    retryRun: (run) => write((context) => retryRun(context, run)),
    eraseRun: (run) => write((context) => eraseRun(context, run)),
    eraseEnded: (keptMs, limit) => write((context) => eraseEnded(context, { keptMs, limit })),
    readEvents: (run, after, limit = Number.MAX_SAFE_INTEGER) => read(() => readEvents(run, after, limit)),
    getRun: (run) => read(() => getRun(run)),
    getAsk: (ask) => read(() => getAsk(ask)),
    findAsks: (run, step) => read(() => findAsks(run, step)),
    listRuns: (list) => read(() => listRuns(list)),
    async listAsks(list) {
      const now = await database.now()
      return read(() => listAsks(now, list))
    },
    listClaims: (owner) => read(() => listClaims(owner)),
    listOwners: (host) => read(() => listOwners(host)),
    readyAgents: () => read(() => readyAgents()),
    async countWork() {
      const now = await database.now()
      return read(() => countWork(now))
    },
    addNotifier: (notifier) => write(() => addNotifier(notifier)),
    removeNotifier: (notifier) => write(() => removeNotifier(notifier)),
    takeOutbox: (notifier, limit, leaseMs) => write((context) => takeOutbox(context, { notifier, limit, leaseMs })),
    ackOutbox: (notifier, upTo) => write(() => ackOutbox(notifier, upTo)),
    onChange: (listener) => database.onChange(listener),
    close: () => database.close(),
  }
}
