import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Nearer to the end than this, somebody reads along. */
const nearPx = 120

/** Keeps the end of a conversation in view as it grows, unless its reader has gone back to read. */
export function useEndInView<E extends HTMLElement>(what: string, changes: unknown[]): RefObject<E | null> {
  const element = useRef<E>(null)
  const was = useRef({ what: '', heightPx: 0 })
  useLayoutEffect(() => {
    const scroller = element.current
    if (!scroller) return
    const { scrollTop, clientHeight, scrollHeight } = scroller
    const isNew = was.current.what !== what
    if (isNew || was.current.heightPx - scrollTop - clientHeight < nearPx) scroller.scrollTop = scrollHeight
    was.current = { what, heightPx: scrollHeight }
  }, [what, ...changes])
  return element
}
