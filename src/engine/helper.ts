import type { AgentRecord } from '../core/agent.ts'
import type { Person } from '../core/agent-facts.ts'
import type { Ask } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { Helper, ListOptions } from '../core/helper.ts'
import type { RunSummary } from '../core/view.ts'
import type { RunRow, Store } from '../store/store.ts'
import { sayToRun } from './say.ts'
import { approveAsk, refuseAsk } from './settle-ask.ts'
import { checkPerson, startRun, type WriteParts } from './start-run.ts'
import { stopRun } from './stop-run.ts'
import { askOfRow, type Caller, knownRun, starterOf, summaryOf, viewOfRun } from './views.ts'
import { untilAtRest, watchRun } from './watch.ts'

/** What a person does: with one agent, and everything that waits for them. */
export interface PersonHandle {
  /** @throws QuerentError T1005 where there are agents here and none has that name. */
  agent<A extends AgentRecord = AgentRecord>(name: string): Helper<A>
  /** Open asks of this person, over agents and runs, nearest deadline first. */
  asks(options?: ListOptions): Promise<Ask[]>
}

/** Acts for a person. Whoever calls this has checked who they are. */
export function asPerson(parts: WriteParts, person: Person): PersonHandle {
  const caller: Caller = { type: 'person', person: checkPerson(person) }
  return {
    agent: <A extends AgentRecord>(name: string) => helperOf<A>(parts, caller, name),
    async asks(options = {}) {
      const page = await parts.store.listAsks({ starter: starterOf(caller), ...options })
      return page.items.map(askOfRow)
    },
  }
}

function helperOf<A extends AgentRecord>(parts: WriteParts, caller: Caller, name: string): Helper<A> {
  const { registry, store } = parts
  if (registry.names.length > 0 && !registry.find(name)) {
    throw new QuerentError('T1005', `There is no agent "${name}" here. Agents: ${registry.names.join(', ')}.`)
  }
  const helper: Helper = {
    start: (input, options = {}) =>
      startRun(parts, caller, {
        agent: name,
        input,
        trigger: 'chat',
        ...(options.key === undefined ? {} : { key: options.key }),
      }),
    run: async (run) => viewOfRun(store, await knownRun(store, caller, run)),
    working: async (options = {}) => {
      const names = [name, ...(registry.find(name)?.aliases ?? [])]
      const starter = starterOf(caller)
      const pages = await Promise.all(
        names.map((agent) => store.listRuns({ starter, agent, active: true, ...options })),
      )
      const rows = pages.flatMap((page) => page.items).sort((a, b) => b.createdAt - a.createdAt)
      return summariesOf(store, rows)
    },
    approve: (at, answer = {}) => approveAsk(parts, caller, at, { ...own(at, ['data', 'answerId']), ...answer }),
    refuse: (at, refusal = {}) => refuseAsk(parts, caller, at, { ...own(at, ['reason', 'answerId']), ...refusal }),
    say: (message) => sayToRun(parts, caller, message),
    stop: (at) => stopRun(parts, caller, at?.run),
    atRest: (run, options = {}) => untilAtRest(parts, caller, run, options.signal),
    watch: (run, options = {}) => watchRun(parts, caller, run, options),
  }
  // Outputs are checked against the agent's schema before they are stored; their type is the caller's claim of which.
  return helper as Helper<A>
}

/** The fields of an address that belong to the answer. An `Ask` has none of them; what is no address, neither. */
export function own<K extends string>(at: unknown, keys: K[]): { [key in K]?: never } {
  if (typeof at !== 'object' || at === null) return {}
  return Object.fromEntries(
    keys.filter((key) => key in at).map((key) => [key, (at as Record<string, unknown>)[key]]),
  ) as { [key in K]?: never }
}

/** Runs with their open asks, from rows alone. */
export function summariesOf(store: Store, rows: RunRow[]): Promise<RunSummary[]> {
  return Promise.all(
    rows.map(async (row) => {
      const asks =
        row.status === 'waiting' || row.status === 'working' ? (await store.listAsks({ run: row.id })).items : []
      return summaryOf(row, asks)
    }),
  )
}
