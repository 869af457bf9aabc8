import { useState } from 'react'
import { keep, kept } from './kept.ts'

/** A text that somebody is writing: it is there again after a reload, under its own name alone. */
export function useDraft(name: string): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState({ name, text: kept(name) ?? '' })
  // Another place: what was typed there must not be seen here, not for one frame.
  const text = draft.name === name ? draft.text : (kept(name) ?? '')
  const setText = (written: string) => {
    keep(name, written === '' ? undefined : written)
    setDraft({ name, text: written })
  }
  return [text, setText]
}
