import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { AgentRecord, Ask, Connection, Helper, Output, RunSummary, UserInput } from '../protocol/core.ts'
import { type ListsState, noLists } from './lists.ts'
import { useStores } from './provider.tsx'
import type { Actions } from './stores.ts'

/** What the lists say now. */
export function useLists(): ListsState {
  const { lists } = useStores()
  const subscribe = useCallback((listener: () => void) => lists.subscribe(listener), [lists])
  return useSyncExternalStore(
    subscribe,
    () => lists.current,
    () => noLists,
  )
}

/** Everything that waits for me, as it changes. */
export interface AsksHook extends Pick<Actions, 'approve' | 'refuse'> {
  /** Open ones, over agents and runs, nearest deadline first; the first 200. */
  asks: Ask[]
  /** Nothing has come yet. */
  loading: boolean
  /** `offline` with T0007: not signed in. It is not tried again before `reconnect` of `useConnection`. */
  connection: Connection
}

/** Everything that waits for me, over agents and runs. An ask that was settled here is gone at once. */
export function useAsks(): AsksHook {
  const { approve, refuse } = useStores().actions
  const { asks, loading, connection } = useLists()
  return { asks, loading, connection, approve, refuse }
}

/** My runs, as they change. */
export interface RunsHook {
  /** The newest 50, newest first, each with its open asks. Older ones: `useClient().runs.list({ after })`. */
  runs: RunSummary[]
  /** Nothing has come yet. */
  loading: boolean
  connection: Connection
}

/** My runs, newest first. */
export function useRuns(): RunsHook {
  const { runs, loading, connection } = useLists()
  return { runs, loading, connection }
}

/** How the connection to the server is. */
export interface ConnectionHook {
  connection: Connection
  /** Asks again for what was refused with 4xx: call it when somebody has signed in. All else is tried again by itself. */
  reconnect(): void
}

/** How the connection to the server is: for a line that says that the page is offline. */
export function useConnection(): ConnectionHook {
  const stores = useStores()
  const { connection } = useLists()
  return useMemo(() => ({ connection, reconnect: () => stores.reconnect() }), [stores, connection])
}

/** An agent, and my runs of it. */
export interface AgentHook<A extends AgentRecord = AgentRecord> extends Actions {
  /** Starts a run. The same input again, while the first is under way, is the same start. */
  start: Helper<A>['start']
  /** Those of my newest 50 runs that are this agent's and not over, newest first. */
  working: RunSummary<Output<A>>[]
  /** What waits for me in any run of this agent, the runs that it delegated to included. */
  asks: Ask[]
  /** Nothing has come yet. */
  loading: boolean
  connection: Connection
}

/** An agent by name: `useAgent<typeof shirts>('shirts')`. */
export function useAgent<A extends AgentRecord = AgentRecord>(name: A['name']): AgentHook<A> {
  const stores = useStores()
  const { asks, runs, loading, connection } = useLists()
  const start = useCallback(
    (input: UserInput, options?: { key?: string }) => stores.start(name, input, options),
    [stores, name],
  )
  return useMemo(
    () => ({
      ...stores.actions,
      start,
      // Outputs are checked by the server; which agent's type they have is the caller's claim.
      working: runs.filter((run) => run.agent === name && run.endedAt === undefined) as RunSummary<Output<A>>[],
      asks: asks.filter(({ path }) => path[0] === name),
      loading,
      connection,
    }),
    [stores, start, name, asks, runs, loading, connection],
  )
}
