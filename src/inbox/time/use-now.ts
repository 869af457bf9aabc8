import { useState } from 'react'
import { systemClock } from '../../protocol/core.ts'
import { useServerNow } from '../../react/use-server-now.ts'

const nearMs = 5 * 60_000

/** The server's time, as often as it is needed to tell how far away an instant is: by the second where it is near. */
export function useNow(instantMs: number): number {
  const [isNear, setNear] = useState(false)
  const nowMs = useServerNow(isNear ? 1_000 : 30_000) ?? systemClock.now()
  const isNearNow = Math.abs(instantMs - nowMs) < nearMs
  if (isNearNow !== isNear) setNear(isNearNow)
  return nowMs
}
