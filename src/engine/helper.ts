import type { AgentRecord } from '../core/agent.ts'
import type { Person } from '../core/agent-facts.ts'
import { QuerentError } from '../core/error.ts'
import type {
  AgentSummary,
  Helper,
  ListOptions,
  ListPage,
  OwnRunFilter,
  PersonHandle,
  RunActions,
} from '../core/helper.ts'
import type { RunSummary } from '../core/view.ts'
import { sayToRun } from './say.ts'
import { approveAsk, refuseAsk } from './settle-ask.ts'
import { checkPerson, mayStart, startRun, type WriteParts } from './start-run.ts'
import { stopRun } from './stop-run.ts'
import { viewOfRun } from './view-of-run.ts'
import { askOfRow, type Caller, knownRun, starterOf, summariesOf } from './views.ts'
import { untilAtRest, watchRun } from './watch.ts'
import { type PersonChanges, watchPerson } from './watch-person.ts'

/** What acting for a person needs. */
export interface PersonParts extends WriteParts {
  personChanges: PersonChanges
}

/** Acts for a person. Whoever calls this has checked who they are. */
export function asPerson(parts: PersonParts, person: Person): PersonHandle {
  const caller = { type: 'person', person: checkPerson(person) } as const
  const askPage = async (options: ListOptions = {}) => {
    const page = await parts.store.listAsks({ ...options, starter: starterOf(caller) })
    return { ...page, items: page.items.map(askOfRow) }
  }
  return {
    agent: <A extends AgentRecord>(name: string) => helperOf<A>(parts, caller, name),
    agents: () => agentsFor(parts, caller.person),
    asks: async (options) => (await askPage(options)).items,
    askPage,
    runs: {
      list: (options) => listRuns(parts, caller, options),
      get: async (run) => viewOfRun(parts.store, await knownRun(parts.store, caller, run)),
      ...actionsOf(parts, caller),
    },
    events: (options) => watchPerson(parts, caller.person.id, options),
  }
}

async function agentsFor({ registry }: PersonParts, person: Person): Promise<AgentSummary[]> {
  const may = await Promise.all(registry.agents.map((agent) => mayStart(agent, person)))
  return registry.agents.filter((_, index) => may[index]).map(agentSummaryOf)
}

/** An agent as people see it. */
export function agentSummaryOf({ name, description }: AgentRecord): AgentSummary {
  return { name, ...(description === undefined ? {} : { description }) }
}

function helperOf<A extends AgentRecord>(parts: PersonParts, caller: Caller, name: string): Helper<A> {
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
    working: async (options = {}) => (await listRuns(parts, caller, { ...options, agent: name, active: true })).items,
    ...actionsOf(parts, caller),
  }
  // Outputs are checked against the agent's schema before they are stored; their type is the caller's claim of which.
  return helper as Helper<A>
}

function actionsOf(parts: PersonParts, caller: Caller): RunActions {
  return {
    approve: (at, answer = {}) => approveAsk(parts, caller, at, { ...own(at, ['data', 'answerId']), ...answer }),
    refuse: (at, refusal = {}) => refuseAsk(parts, caller, at, { ...own(at, ['reason', 'answerId']), ...refusal }),
    say: (message) => sayToRun(parts, caller, message),
    stop: (at) => stopRun(parts, caller, at?.run),
    atRest: (run, options = {}) => untilAtRest(parts, caller, run, options.signal),
    watch: (run, options = {}) => watchRun(parts, caller, run, options),
  }
}

/** Runs of an agent's former names are its runs. Their pages cannot be told apart by one cursor: there is none. */
async function listRuns(
  { registry, store }: PersonParts,
  caller: Caller,
  { agent, ...options }: OwnRunFilter = {},
): Promise<ListPage<RunSummary>> {
  if (options.key !== undefined && agent === undefined) {
    throw new QuerentError('T0008', 'A key is one of an agent: give "agent" beside "key".')
  }
  const starter = starterOf(caller)
  const known = agent === undefined ? undefined : registry.find(agent)
  const names = known ? [known.name, ...known.aliases] : [agent]
  const pages = await Promise.all(
    names.map((name) => store.listRuns({ ...options, starter, ...(name === undefined ? {} : { agent: name }) })),
  )
  const [page] = pages
  if (page && pages.length === 1) return { ...page, items: await summariesOf(store, page.items) }
  const rows = pages.flatMap((each) => each.items).sort((a, b) => b.createdAt - a.createdAt)
  return { items: await summariesOf(store, rows) }
}

/** The fields of an address that belong to the answer. An `Ask` has none of them; what is no address, neither. */
export function own<K extends string>(at: unknown, keys: K[]): { [key in K]?: never } {
  if (typeof at !== 'object' || at === null) return {}
  return Object.fromEntries(
    keys.filter((key) => key in at).map((key) => [key, (at as Record<string, unknown>)[key]]),
  ) as { [key in K]?: never }
}
