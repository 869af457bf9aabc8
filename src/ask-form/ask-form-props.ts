import type { ReactNode } from 'react'
import type { Ask, Json } from '../protocol/core.ts'
import type { Drafts } from './drafts.ts'
import type { AskFormTexts } from './texts.ts'

/** What `<AskForm>` takes. */
export interface AskFormProps {
  ask: Ask
  /**
   * Sends an answer: `(answer) => client.runs.approve(ask, answer)`. An approval of the input as it is has no `data`.
   * What it rejects with is shown: the issues of a T0002 at their fields, others with what can be done. Called once at a time.
   */
  onAnswer(answer: { data?: Json }): Promise<unknown>
  /** Sends a refusal: `(refusal) => client.runs.refuse(ask, refusal)`. */
  onRefuse(refusal: { reason?: string }): Promise<unknown>
  /**
   * Where drafts are kept, such as `localDrafts()`. Keep the same object over renders. Default: as long as the form is
   * mounted, over changes of `ask`.
   */
  drafts?: Drafts
  /** Nothing can be typed or sent, for a reason of the page's own. */
  disabled?: boolean
  /** Draws the question, in which nothing is hidden any more: Markdown, say. Default: as text. */
  renderText?: (text: string) => ReactNode
  /** Other words, for another language. Keep the same object over renders. */
  texts?: Partial<AskFormTexts>
  /** Focus the first field when the form or another ask appears; what is to be approved, never a button. Default false. */
  autoFocus?: boolean
}
