import { createContext, useContext } from 'react'
import type { Issue } from '../protocol/core.ts'
import type { Field, Typed } from './field.ts'
import { type AskFormTexts, englishTexts } from './texts.ts'

/** What the view of a field is given. `F`, `T`: the kind it draws, and what is typed into that. */
export interface FieldProps<F extends Field = Field, T extends Typed = Typed> {
  field: F
  typed: T
  /** What is wrong here and below; paths begin at this field. */
  issues: readonly Issue[]
  /** `path`: where it was typed, since what was wrong there is not known to be any more. */
  onType(typed: T, path: string): void
  /** Unique on the page. */
  id: string
  /** The JSON Pointer of this field in the answer. */
  path: string
  /** Ids of what else tells what is asked: the question itself. */
  describedBy?: string | undefined
}

const TextsContext = createContext<AskFormTexts>(englishTexts)

/** Gives the views below their words. */
export const TextsProvider = TextsContext.Provider

export function useTexts(): AskFormTexts {
  return useContext(TextsContext)
}

/** Ids that are there, as `aria-describedby` takes them. */
export function idsOf(...ids: (string | false | undefined)[]): string | undefined {
  return ids.filter(Boolean).join(' ') || undefined
}
