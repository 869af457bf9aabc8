import { useState } from 'react'
import { keep, kept } from './kept.ts'

/** What somebody is writing. */
export interface Written {
  text: string
  setText(text: string): void
  /** Forgets what was sent; not what was written in its place since. */
  forget(sent: string): void
}

/** A text that somebody is writing: it is there again after a reload, under its own name alone. */
export function useDraft(name: string): Written {
  const [draft, setDraft] = useState({ name, text: kept(name) ?? '' })
  // Another place: what was typed there must not be seen here, not for one frame.
  const text = draft.name === name ? draft.text : (kept(name) ?? '')
  const setText = (written: string) => {
    keep(name, written === '' ? undefined : written)
    setDraft({ name, text: written })
  }
  const forget = (sent: string) => {
    if (kept(name) === sent) setText('')
  }
  return { text, setText, forget }
}
