import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Nearer to the end than this, somebody reads along. */
const nearPx = 120
/** What stays free above an ask that is taller than the view. */
const marginPx = 12

/**
 * Keeps the end of a conversation in view as it grows, unless its reader has moved away to read. Of what is asked the
 * beginning stays in view: a long form that came with its last field on the screen would hide what it is for.
 */
export function useEndInView<E extends HTMLElement>(what: string, changes: unknown[]): RefObject<E | null> {
  const element = useRef<E>(null)
  const was = useRef({ what: '', topPx: 0, heightPx: 0 })
  useLayoutEffect(() => {
    const scroller = element.current
    if (!scroller) return
    const before = was.current
    const { scrollTop, clientHeight, scrollHeight } = scroller
    const isStill = before.what !== what || scrollTop === before.topPx
    if (isStill || before.heightPx - scrollTop - clientHeight < nearPx) {
      scroller.scrollTop = Math.min(scrollHeight - clientHeight, firstAskPx(scroller) - marginPx)
    }
    was.current = { what, topPx: scroller.scrollTop, heightPx: scrollHeight }
  }, [what, ...changes])
  return element
}

/** Where the first ask begins that waits, from the top of all that can be scrolled. */
function firstAskPx(scroller: HTMLElement): number {
  const ask = scroller.querySelector('.ask-card-open')
  if (!ask) return Number.POSITIVE_INFINITY
  return ask.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
}
