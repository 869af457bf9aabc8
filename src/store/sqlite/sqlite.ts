import { type Clock, systemClock } from '../../core/ambient.ts'
import { QuerentError } from '../../core/error.ts'
import type { Transition } from '../query.ts'
import type { Store } from '../store.ts'
import { addMessage } from '../transitions/add-message.ts'
import { getAsk } from '../transitions/asks.ts'
import { claimRun, giveBack, listOwners, readyAgents, renewClaim } from '../transitions/claim-run.ts'
import type { Context } from '../transitions/context.ts'
import { countWork } from '../transitions/count-work.ts'
import { createRun } from '../transitions/create-run.ts'
import { eraseEnded, eraseRun } from '../transitions/erase-run.ts'
import { readEvents } from '../transitions/events.ts'
import { findAsks, getRun, listAsks, listRuns, nextDeadline } from '../transitions/lists.ts'
import { ackOutbox, addNotifier, removeNotifier, takeOutbox } from '../transitions/outbox.ts'
import { retryRun } from '../transitions/retry-run.ts'
import { expireAsks, settleAsk } from '../transitions/settle-ask.ts'
import { stopRun } from '../transitions/stop-run.ts'
import { append, finishRun, parkRun } from '../transitions/write-run.ts'
import { Database } from './database.ts'

export interface SqliteOptions {
  /** The clock that leases and deadlines live by. Default: the system's. */
  clock?: Clock
  /**
   * `'full'` (default): an acknowledged write survives a power cut. `'relaxed'`: it survives the end of the process; a
   * power cut may take the last moments.
   */
  durability?: 'full' | 'relaxed'
}

/**
 * A store in one SQLite file. The file is opened, made if it is not there, and brought to this code's schema at the
 * first use. Several processes may share it, on one machine: not over a network file system.
 *
 * Every method rejects with T1003 where the file cannot be opened or written, T3002 where newer code made it, T1008
 * after `close`.
 * @throws QuerentError T1003 for a path that names no file.
 */
export function sqlite(path: string, options: SqliteOptions = {}): Store {
  if (typeof path !== 'string' || path === '' || path === ':memory:') {
    throw new QuerentError(
      'T1003',
      `The path of the database is ${JSON.stringify(path)}. Give the path of a file: a run that parks must outlive its process.`,
    )
  }
  const { clock = systemClock, durability = 'full' } = options
  const database = new Database(path, { clock, durability })
  const write = <T>(start: (context: Context) => Transition<T>) => database.write(start)
  const read = <T>(start: () => Transition<T>) => database.read(start)
  return {
    name: 'sqlite',
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
    nextDeadline: () => read(() => nextDeadline()),
    addMessage: (message) => write((context) => addMessage(context, message)),
    stopRun: (stop) => write((context) => stopRun(context, stop)),
    retryRun: (run) => write((context) => retryRun(context, run)),
    eraseRun: (run) => write((context) => eraseRun(context, run)),
    eraseEnded: (endedBefore, limit) => write((context) => eraseEnded(context, { endedBefore, limit })),
    readEvents: (run, after, limit = Number.MAX_SAFE_INTEGER) => read(() => readEvents(run, after, limit)),
    getRun: (run) => read(() => getRun(run)),
    getAsk: (ask) => read(() => getAsk(ask)),
    findAsks: (run, step) => read(() => findAsks(run, step)),
    listRuns: (list) => read(() => listRuns(list)),
    listAsks: (list) => read(() => listAsks(clock.now(), list)),
    listOwners: (host) => read(() => listOwners(host)),
    readyAgents: () => read(() => readyAgents()),
    countWork: () => read(() => countWork(clock.now())),
    addNotifier: (name) => write(() => addNotifier(name)),
    removeNotifier: (name) => write(() => removeNotifier(name)),
    takeOutbox: (notifier, limit, leaseMs) => write((context) => takeOutbox(context, { notifier, limit, leaseMs })),
    ackOutbox: (notifier, upTo) => write(() => ackOutbox(notifier, upTo)),
    onChange: (listener) => database.onChange(listener),
    close: () => database.close(),
  }
}
