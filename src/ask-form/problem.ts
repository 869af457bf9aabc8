import { type Issue, QuerentError, visible } from '../protocol/core.ts'
import { isRequired } from './read-field.ts'
import type { AskFormTexts } from './texts.ts'

/** Why an answer was not taken, as the person reads it. */
export interface Problem {
  message: string
  /** Where it does not fit. */
  issues: Issue[]
  /** It is over: nothing can be answered here any more. */
  isOver: boolean
}

/** What the person can do about an error. */
export function problemOf(error: unknown, texts: AskFormTexts): Problem {
  const still = (message: string, issues: Issue[] = []) => ({ message, issues, isOver: false })
  if (!(error instanceof QuerentError)) return still(`${texts.failed} ${texts.kept}`)
  const { code, data, retry } = error
  if (code === 'T0002') return still(texts.cannotRead, data.issues ?? [])
  if (code === 'T0003') return { message: settledText(data, texts), issues: [], isOver: true }
  if (code === 'T0005') return { message: texts.expired(instantText(data.until)), issues: [], isOver: true }
  if (code === 'T0001' || code === 'T0006') return { message: texts.gone, issues: [], isOver: true }
  if (code === 'T3004' || retry) return still(`${texts.notSent} ${texts.kept}`)
  return still(`${texts.failed} ${visible(error.message, 'line')} ${texts.kept}`)
}

function settledText({ outcome, by, at }: QuerentError['data'], texts: AskFormTexts): string {
  const { type, id } = (by ?? {}) as { type?: string; id?: string }
  const who = type === 'person' ? visible(String(id), 'line') : ''
  return texts.settled(String(outcome ?? ''), who, instantText(at))
}

/** An instant in the reader's zone and manner. */
function instantText(iso: unknown): string {
  const at = new Date(String(iso))
  if (Number.isNaN(at.getTime())) return ''
  return at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

/** What is wrong with a field, as a sentence beside it. */
export function sentenceOf(message: string, texts: AskFormTexts): string {
  if (message === isRequired) return texts.needed
  const shown = visible(message, 'line')
  return `${shown.slice(0, 1).toUpperCase()}${shown.slice(1)}${/[.!?}\])"]$/.test(shown) ? '' : '.'}`
}
