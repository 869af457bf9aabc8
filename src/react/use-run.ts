import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { AgentRecord, Output, RunActions, UserInput } from '../protocol/core.ts'
import { useStores } from './provider.tsx'
import { loadingRun, noRun, type RunState } from './run-store.ts'

/** A run as it is now, and what can be done with it. */
export interface RunHook<A extends AgentRecord = AgentRecord> extends RunState<Output<A>> {
  approve: RunActions['approve']
  refuse: RunActions['refuse']
  /** Sends a message to the run. */
  say(text: UserInput, options?: { key?: string }): ReturnType<RunActions['say']>
  /** Stops the run. */
  stop(): ReturnType<RunActions['stop']>
}

/**
 * A run, live: `useRun<typeof shirts>(run)`. Without a run (`undefined`) its status is `none`. Another run is another state
 * at once: never is one shown under the other's id.
 */
export function useRun<A extends AgentRecord = AgentRecord>(run: string | undefined): RunHook<A> {
  const stores = useStores()
  const subscribe = useCallback(
    (listener: () => void) => (run === undefined ? () => undefined : stores.watch(run, listener)),
    [stores, run],
  )
  const state = useSyncExternalStore(
    subscribe,
    () => stores.stateOf(run),
    () => (run === undefined ? noRun : loadingRun),
  )
  const actions = useMemo(() => {
    const { approve, refuse, say, stop } = stores.actions
    const given = () => {
      if (run === undefined) throw new Error('There is no run: useRun was called without one.')
      return run
    }
    return {
      approve,
      refuse,
      say: async (text: UserInput, options?: { key?: string }) => say({ run: given(), text, ...options }),
      stop: async () => stop({ run: given() }),
    }
  }, [stores, run])
  // Outputs are checked by the server; which agent's type they have is the caller's claim.
  return useMemo(() => ({ ...state, ...actions }) as RunHook<A>, [state, actions])
}
