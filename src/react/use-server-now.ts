import { useCallback, useEffect, useReducer, useSyncExternalStore } from 'react'
import { useStores } from './provider.tsx'

/**
 * The server's time, for countdowns: milliseconds since 1970, anew every `everyMs`. Deadlines are by the server's clock, and
 * the browser's may be wrong by hours. `undefined` until the server has told it.
 */
export function useServerNow(everyMs = 1000): number | undefined {
  const { clock, lists } = useStores()
  const subscribe = useCallback((listener: () => void) => lists.subscribe(listener), [lists])
  // Not all of the lists: whoever shows times must not be drawn again with each change of a run.
  const aheadMs = useSyncExternalStore(
    subscribe,
    () => lists.current.aheadMs,
    () => undefined,
  )
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    let cancel: () => void
    const arm = () => {
      cancel = clock.after(everyMs, () => {
        tick()
        arm()
      })
    }
    arm()
    return () => cancel()
  }, [clock, everyMs])
  return aheadMs === undefined ? undefined : clock.now() + aheadMs
}
