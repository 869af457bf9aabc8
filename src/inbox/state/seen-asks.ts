import { useSyncExternalStore } from 'react'
import { keep, kept } from './kept.ts'

/* Which asks this browser has opened. The others are new. */

/** The newest: an ask that long ago is over, or new again. */
const maxSeen = 500
const name = 'seen'
const listeners = new Set<() => void>()
let seen: ReadonlySet<string> | undefined

function read(): ReadonlySet<string> {
  seen ??= new Set(kept(name)?.split(' '))
  return seen
}

export function markSeen(ask: string): void {
  if (read().has(ask)) return
  seen = new Set([...read(), ask].slice(-maxSeen))
  keep(name, [...seen].join(' '))
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  // Another tab has opened one.
  const onStorage = (event: StorageEvent) => {
    if (event.key !== null && !event.key.endsWith(name)) return
    seen = undefined
    listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}

export function useSeenAsks(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, read)
}
