import type { AgentRecord } from '../core/agent.ts'
import type { Person } from '../core/agent-facts.ts'
import { type Clock, randomId, systemClock } from '../core/ambient.ts'
import type { Ask } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { RunEvent, RunStatus, Trigger } from '../core/event.ts'
import type { Answer, ListOptions, ListPage, PersonHandle, Refusal, RunFilter, Settling } from '../core/helper.ts'
import type { UserInput } from '../core/model.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { defaultTexts, type Texts } from '../core/texts.ts'
import { durationMs } from '../core/tool.ts'
import type { RunSummary, RunView } from '../core/view.ts'
import type { Store } from '../store/store.ts'
import { announcersOf, type Notify } from './announce.ts'
import { Dispatcher } from './dispatcher.ts'
import { type Finding, findUnresumable } from './doctor.ts'
import { asPerson, own, type PersonParts } from './helper.ts'
import { LiveText } from './live-text.ts'
import { isAlive, thisOwner } from './owner.ts'
import type { Logger } from './parts.ts'
import { type Builtin, Registry } from './registry.ts'
import { sayToRun } from './say.ts'
import { approveAsk, refuseAsk, type SettleAt } from './settle-ask.ts'
import { checkPerson, startRun, type WriteParts } from './start-run.ts'
import { stopRun } from './stop-run.ts'
import { viewOfRun } from './view-of-run.ts'
import { askOfRow, type Caller, knownRun, summariesOf } from './views.ts'
import { untilAtRest } from './watch.ts'
import { PersonChanges } from './watch-person.ts'
import { work } from './worker.ts'

/** What `createEngine` takes. */
export interface EngineOptions {
  agents: readonly AgentRecord[]
  store: Store
  /** Default: the system's. Give the store the same one. */
  clock?: Clock
  /** Makes ids from a prefix. They must be unguessable. Default: 160 random bits. */
  ids?: (prefix: string) => string
  /** Default: warnings and errors on standard error. */
  logger?: Logger
  /** Runs worked on at once in this process. Default 16. */
  concurrency?: number
  /** Who is told of every ask that opens or ends, while an engine is started. See `docs/notifiers.md`. */
  notify?: readonly Notify[]
  /** Replaces fixed sentences that the model is told. */
  texts?: Partial<Texts>
  /** How long runs that are over are kept: milliseconds, or `'30d'`. Then they are erased. Default: for ever. */
  retention?: number | string
  /** Is told of what this engine does: `openTelemetry()` of `querent/telemetry`. Default: nothing is. */
  telemetry?: Telemetry
}

/** What backend code does with runs. It sees every run, and answers only those that the system started (else T3101). */
export interface Runs {
  /** Starts a run for the system, or for a person with `as`. @throws T1005, T0007, T0008, T0012, T0014. */
  start(
    agent: string,
    start: { input: UserInput; trigger?: Exclude<Trigger, 'delegate'>; as?: Person; key?: string },
  ): Promise<{ run: string }>
  get(run: string): Promise<RunView>
  /** Resolves when the run is waiting, done, failed or stopped: at once if it is. Rejects with the signal's reason. */
  atRest(run: string, options?: { signal?: AbortSignal }): Promise<RunView>
  list(options?: RunFilter): Promise<ListPage<RunSummary>>
  /** The operator's log: everything, what people do not see included. */
  log(run: string): Promise<RunEvent[]>
  approve(at: SettleAt & Answer, answer?: Answer): Promise<Settling>
  refuse(at: SettleAt & Refusal, refusal?: Refusal): Promise<Settling>
  say(message: { run: string; text: UserInput; key?: string }): Promise<{ run: string; status: RunStatus }>
  stop(at: { run: string }): Promise<{ run: string; status: RunStatus }>
  /** Tries a failed run again. @throws T0001, T0011 where it did not fail. */
  retry(run: string): Promise<{ run: string; status: RunStatus }>
  /** Removes a run that is over with all that belongs to it. @throws T0001, T0011 where it is not over. */
  erase(run: string): Promise<void>
}

/** An engine: the agents of this process, on a store. */
export interface Engine {
  /** Works on what is ready, here, until `stop`. Without it this process can start, list and answer, but works on nothing. */
  start(): Promise<void>
  /** Takes nothing new, waits up to `graceMs` (default 10,000) for what runs, and gives every claim back. */
  stop(options?: { graceMs?: number }): Promise<void>
  /** `stop`, and closes the store. */
  close(): Promise<void>
  /** Whether work goes on here: started, not stopping, and the store answers. Never rejects. */
  isReady(): Promise<boolean>
  /** Forgets a notifier that is no longer given, with what the store keeps for it. Gives whether it was known. */
  removeNotifier(name: string): Promise<boolean>
  /** Acts for a person. The caller has checked who they are. @throws T0007. */
  as(person: Person): PersonHandle
  /** Open asks that the agents of this engine could not resume as they are now, and why. For a check before a deploy. */
  doctor(): Promise<Finding[]>
  /** The agents of this process. */
  readonly agents: readonly AgentRecord[]
  readonly runs: Runs
  readonly asks: { list(of: { person: string } | { starter: 'system' }, options?: ListOptions): Promise<ListPage<Ask>> }
}

const consoleLogger: Logger = {
  info: () => undefined,
  warn: (message, data) => console.warn(`querent: ${message}`, data ?? ''),
  error: (message, data) => console.error(`querent: ${message}`, data ?? ''),
}

/**
 * Makes an engine with the extensions and model adapters it is given.
 * @throws QuerentError T1001 to T1009 where a definition is wrong, T1003 for an option.
 */
export function engineWith(builtin: Builtin, options: EngineOptions): Engine {
  const parts = partsOf(builtin, options)
  const { dispatcher, store, telemetry } = parts
  let started = false
  let unwatch: (() => void) | undefined
  const announcers = announcersOf(parts, options.notify)
  // What the last runs ask while they drain is told too.
  const stop = async (graceMs: number) => {
    started = false
    unwatch?.()
    unwatch = undefined
    await dispatcher.stop(graceMs)
    await Promise.all(announcers.map((each) => each.stop()))
  }
  const system: Caller = { type: 'system' }
  return {
    async start() {
      await store.migrate()
      await Promise.all(announcers.map((each) => each.start()))
      dispatcher.start()
      started = true
      unwatch ??= telemetry?.watch(() => store.countWork())
    },
    stop: ({ graceMs = 10_000 } = {}) => stop(graceMs),
    async close() {
      await stop(10_000)
      await store.close()
    },
    as: (person) => asPerson(parts, person),
    isReady: async () =>
      started &&
      (await store.untilDeadline().then(
        () => true,
        () => false,
      )),
    removeNotifier: (name) => store.removeNotifier(name),
    doctor: () => findUnresumable(parts),
    agents: options.agents,
    runs: runsOf(parts, system),
    asks: {
      async list(of, list = {}) {
        const starter = 'person' in of ? { type: 'person' as const, id: of.person } : { type: 'system' as const }
        const page = await store.listAsks({ starter, ...list })
        return { ...page, items: page.items.map(askOfRow) }
      },
    },
  }
}

function partsOf(builtin: Builtin, options: EngineOptions): PersonParts {
  checkOptions(options)
  const { store, clock = systemClock, logger = consoleLogger, concurrency = 16 } = options
  const registry = new Registry(options.agents, builtin)
  const parts: PersonParts = {
    store,
    personChanges: new PersonChanges(store),
    registry,
    clock,
    logger,
    texts: { ...defaultTexts, ...options.texts },
    live: new LiveText(),
    newId: options.ids ?? randomId,
    ...(options.telemetry ? { telemetry: options.telemetry } : {}),
    dispatcher: new Dispatcher({
      store,
      clock,
      logger,
      owner: thisOwner(),
      isAlive,
      agents: registry.names,
      concurrency,
      ...(options.retention === undefined ? {} : { retentionMs: durationMs(options.retention, 'retention') }),
      work: (claim, begin) => work(parts, claim, begin),
    }),
  }
  return parts
}

const known = ['agents', 'store', 'clock', 'ids', 'logger', 'concurrency', 'notify', 'texts', 'retention', 'telemetry']

function checkOptions(options: EngineOptions): void {
  const wrong = (message: string) => new QuerentError('T1003', message)
  const unknown = Object.keys(options).filter((key) => !known.includes(key))
  if (unknown.length > 0)
    throw wrong(`createEngine has the unknown option "${unknown[0]}". Known: ${known.join(', ')}.`)
  if (!Array.isArray(options.agents))
    throw wrong('createEngine needs agents: a list of agent(...), empty where this process only answers.')
  if (typeof options.store?.createRun !== 'function')
    throw wrong("createEngine needs a store, such as sqlite('querent.db').")
  const { concurrency = 16, telemetry } = options
  if (telemetry !== undefined && typeof telemetry?.segment !== 'function')
    throw wrong('telemetry is none. Give openTelemetry() of querent/telemetry, or leave it out.')
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw wrong(`concurrency is ${JSON.stringify(concurrency)}. Give a whole number above 0.`)
}

function runsOf(parts: WriteParts, system: Caller): Runs {
  const { store, dispatcher } = parts
  return {
    start(agent, { input, trigger, as, key }) {
      const caller: Caller = as ? { type: 'person', person: checkPerson(as) } : system
      const start = { agent, input, trigger: trigger ?? (as ? 'chat' : 'system') } as const
      return startRun(parts, caller, key === undefined ? start : { ...start, key })
    },
    get: async (run) => viewOfRun(store, await knownRun(store, system, run)),
    atRest: (run, options = {}) => untilAtRest(parts, system, run, options.signal),
    async list(options = {}) {
      const page = await store.listRuns(options)
      return { ...page, items: await summariesOf(store, page.items) }
    },
    log: async (run) => store.readEvents((await knownRun(store, system, run)).id, 0),
    approve: (at, answer = {}) => approveAsk(parts, system, at, { ...own(at, ['data', 'answerId']), ...answer }),
    refuse: (at, refusal = {}) => refuseAsk(parts, system, at, { ...own(at, ['reason', 'answerId']), ...refusal }),
    say: (message) => sayToRun(parts, system, message),
    stop: (at) => stopRun(parts, system, at?.run),
    async retry(run) {
      const row = await knownRun(store, system, run)
      const retried = await store.retryRun(row.id)
      if (retried.case !== 'ready')
        throw new QuerentError('T0011', `Run ${row.id} is ${row.status}, not failed: there is nothing to retry.`)
      dispatcher.hint()
      return { run: row.id, status: 'ready' }
    },
    async erase(run) {
      const row = await knownRun(store, system, run)
      const erased = await store.eraseRun(row.id)
      if (erased.case === 'not over')
        throw new QuerentError('T0011', `Run ${row.id} is ${row.status}: stop it before it is erased.`)
    },
  }
}
