import { useEffect, useRef } from 'react'
import type { Place } from '../places.ts'

/**
 * Moves the focus with whoever moves through the page: to what was opened, and back to its row when it is closed. Without
 * it a screen reader stays silent, and Tab begins at the top again. The first place is left alone.
 */
export function useFocusOnMove(place: Place): void {
  const open = openIn(place)
  const was = useRef({ page: place.page, open })
  useEffect(() => {
    const before = was.current
    was.current = { page: place.page, open }
    if (before.page === place.page && before.open === open) return
    const row =
      before.open === undefined ? null : document.querySelector<HTMLElement>(`[data-row="${CSS.escape(before.open)}"]`)
    const wanted = open !== undefined || place.page === 'new' || place.page === 'unknown' ? undefined : row
    const target = wanted ?? document.getElementById(wanted === undefined ? 'detail' : 'list')
    target?.focus({ preventScroll: target.id === 'detail' || target.id === 'list' })
  }, [place.page, open])
}

/** The id of what is open. */
export function openIn(place: Place): string | undefined {
  if (place.page === 'inbox') return place.ask
  return place.page === 'runs' ? place.run : undefined
}
