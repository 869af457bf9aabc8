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
  /**
   * Says what is typed now at a place of the form; `path`: where that stands in the answer. It is the same function for all
   * fields and all renders, so that typing into one field draws no other.
   */
  onType(place: string, typed: Typed, path: string): void
  /** Where the field is, by the indexes of fields, items and `typed` of a form: `/0/3/typed`. */
  place: string
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
