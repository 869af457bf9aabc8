import {
  type AgentRecord,
  type Answer,
  type Ask,
  type AskAt,
  type AskRef,
  type Clock,
  type Helper,
  type ListPage,
  type PersonHandle,
  type Refusal,
  type RunActions,
  type RunFilter,
  type RunSummary,
  type RunView,
  randomId,
  type Settling,
  systemClock,
} from '../protocol/core.ts'
import {
  type AgentList,
  type ApproveBody,
  type AskPlace,
  pathOf,
  paths,
  type RefuseBody,
  type RunState,
  type Started,
} from '../protocol/wire.ts'
import { AnswerIds } from './answer-ids.ts'
import { Http, type RequestHeaders } from './http.ts'
import { untilAtRest, watchPerson, watchRun } from './streams.ts'

/** What `createClient` takes. */
export interface ClientOptions {
  /** Where the server is, without `/api`: `https://app.example`. `''` in a page that it served. */
  url: string
  /** Default: the global one. */
  fetch?: typeof fetch
  /** Sent with every request: `{ Authorization: … }`, or a function that gives them. */
  headers?: RequestHeaders
  /** Default: the system's. */
  clock?: Clock
}

/** A person's face of a server: what `engine.as(person)` is in process. */
export type Client = PersonHandle

/**
 * A typed client of a Querent server. It needs nothing but `fetch`. What may not have arrived is sent again, and is not
 * done twice; streams are connected again, miss nothing and repeat nothing. Errors are `QuerentError`s with the server's
 * code; T3004 where there is no answer.
 */
export function createClient({ url, fetch = globalThis.fetch, headers, clock = systemClock }: ClientOptions): Client {
  // Called as a method of ours, a browser's fetch would refuse.
  const http = new Http({ url, fetch: (...args) => fetch(...args), headers, clock })
  const actions = actionsOf(http)
  const list = (filter?: RunFilter) => http.call<ListPage<RunSummary>>('GET', paths.runs + queryOf(filter))
  const get = (run: string) => http.call<RunView>('GET', pathOf(paths.run, { run }))
  const askPage = (options?: object) => http.call<ListPage<Ask>>('GET', paths.asks + queryOf(options))
  return {
    agent: <A extends AgentRecord>(name: A['name']) => {
      const helper: Helper = {
        start: (input, { key = randomId('key') } = {}) =>
          http.call<Started>('POST', pathOf(paths.start, { agent: name }), { input, key }),
        run: get,
        working: async (options) => (await list({ ...options, agent: name, active: true })).items,
        ...actions,
      }
      // The server checked outputs against the agent's schema; their type is the caller's claim of which.
      return helper as Helper<A>
    },
    agents: async () => (await http.call<AgentList>('GET', paths.agents)).items,
    asks: async (options) => (await askPage(options)).items,
    askPage,
    runs: { list, get, ...actions },
    events: (options) => watchPerson(http, paths.events, options),
  }
}

function actionsOf(http: Http): RunActions {
  const answerIds = new AnswerIds()
  const settle = (path: string, at: AskAt | AskRef, ending: Answer & Refusal) => {
    const { answerId, ...rest } = ending
    return answerIds.using(answerId, [path, at.run, placeOf(at), rest], (id) => {
      const body: ApproveBody | RefuseBody = { ...placeOf(at), ...rest, answerId: id }
      return http.call<Settling>('POST', pathOf(path, { run: at.run }), body)
    })
  }
  return {
    approve(at: (AskAt & Answer) | AskRef, answer: Answer = {}) {
      const { data, answerId } = { ...(at as Answer), ...answer }
      return settle(paths.approve, at, { data, answerId })
    },
    refuse(at: (AskAt & Refusal) | AskRef, refusal: Refusal = {}) {
      const { reason, answerId } = { ...(at as Refusal), ...refusal }
      return settle(paths.refuse, at, { reason, answerId })
    },
    say: ({ run, text, key = randomId('key') }) =>
      http.call<RunState>('POST', pathOf(paths.say, { run }), { text, key }),
    stop: ({ run }) => http.call<RunState>('POST', pathOf(paths.stop, { run }), {}),
    atRest: (run, { signal } = {}) => untilAtRest(http, pathOf(paths.runEvents, { run }), signal),
    watch: (run, options) => watchRun(http, pathOf(paths.runEvents, { run }), options),
  }
}

function placeOf(at: AskAt | AskRef): AskPlace {
  if ('id' in at) return { ask: at.id }
  const { step, repeat, n } = at
  return { step, repeat, n }
}

function queryOf(values: object = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
