import { keep, kept } from '../state/kept.ts'

/** What single keys do. With a pointer all of it can be done as well. */
export type Shortcut = 'next' | 'previous' | 'back' | 'keys' | 'new' | 'inbox' | 'runs'

const letters: Record<string, Shortcut> = {
  j: 'next',
  k: 'previous',
  '?': 'keys',
  n: 'new',
  i: 'inbox',
  r: 'runs',
}

/** Somebody who speaks to their computer, or whose hand slips, can turn letters off (WCAG 2.1.4). */
export function hasLetters(): boolean {
  return kept('letters') !== 'off'
}

export function setLetters(on: boolean): void {
  keep('letters', on ? undefined : 'off')
}

/** What a key press means for the page, if anything: keys that are typed, or mean something where they are, are not its. */
export function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return undefined
  const target = event.target instanceof Element ? event.target : undefined
  if (target?.closest('dialog')) return undefined
  if (event.key === 'Escape') return 'back'
  if (target?.closest('textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]')) return undefined
  const isInList = target === document.body || target?.closest('[data-rows]')
  if (isInList && event.key === 'ArrowDown') return 'next'
  if (isInList && event.key === 'ArrowUp') return 'previous'
  return hasLetters() ? letters[event.key] : undefined
}

/** Moves the focus in the list that is shown, from where it is, or from what is open. */
export function moveInList(by: 1 | -1): void {
  const rows: Element[] = [...document.querySelectorAll('[data-row]')]
  const focused = document.activeElement ? rows.indexOf(document.activeElement) : -1
  const from = focused === -1 ? rows.findIndex((row) => row.hasAttribute('aria-current')) : focused
  const row = rows[from === -1 ? 0 : Math.min(Math.max(from + by, 0), rows.length - 1)]
  if (row instanceof HTMLElement) row.focus()
  row?.scrollIntoView({ block: 'nearest' })
}
