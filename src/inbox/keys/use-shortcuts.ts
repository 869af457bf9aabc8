import { useEffect, useEffectEvent } from 'react'
import { useLocation } from 'wouter'
import type { Place } from '../places.ts'
import { moveInList, type Shortcut, shortcutOf } from './shortcuts.ts'

const paths: Partial<Record<Shortcut, string>> = { inbox: '/', runs: '/runs', new: '/new' }

/** Single keys for what is done all the time. */
export function useShortcuts(place: Place, onKeys: () => void): void {
  const [, navigate] = useLocation()
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = shortcutOf(event)
    if (!shortcut) return
    event.preventDefault()
    if (shortcut === 'next') moveInList(1)
    else if (shortcut === 'previous') moveInList(-1)
    else if (shortcut === 'keys') onKeys()
    else if (shortcut === 'back') back(event, place, navigate)
    else navigate(paths[shortcut] ?? '/')
  })
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Out of a field first: what is typed there must not be left by a slip. */
function back(event: KeyboardEvent, place: Place, navigate: (path: string) => void): void {
  const { target } = event
  if (target instanceof HTMLElement && target.matches('textarea, select, input:not([type=radio], [type=checkbox])')) {
    document.getElementById('detail')?.focus({ preventScroll: true })
  } else if (place.page === 'inbox' && place.ask === undefined) document.getElementById('list')?.focus()
  else navigate(place.page === 'runs' || place.page === 'new' ? '/runs' : '/')
}
