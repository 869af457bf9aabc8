import { useEffect, useReducer } from 'react'
import { useStores } from './provider.tsx'
import { useLists } from './use-lists.ts'

/**
 * The server's time, for countdowns: milliseconds since 1970, anew every `everyMs`. Deadlines are by the server's clock, and
 * the browser's may be wrong by hours. `undefined` until the server has told it.
 */
export function useServerNow(everyMs = 1000): number | undefined {
  const { clock } = useStores()
  const { aheadMs } = useLists()
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
