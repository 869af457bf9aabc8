import { visible, withoutMentions } from './visible.ts'

/* Labels as people tell them apart: what looks the same is the same, whatever code points it is made of. */

const spaces = /\p{White_Space}+/gu
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]+/gu

/** Whether nothing of a text can be seen. */
export function isInvisible(text: string): boolean {
  return text.replace(spaces, '').replace(invisible, '') === ''
}

/**
 * The same text for labels that a person cannot tell apart or would not type apart: case, width, composition, spaces and
 * what cannot be seen are folded. Lower case of upper case folds more than either alone: ß, ς.
 */
export function foldLabel(label: string): string {
  const folded = label.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replace(spaces, ' ').replace(invisible, '').trim()
}

/** A label as a person may write it: case, width, spaces and a trailing dot aside. */
export function keyOf(text: string): string {
  const folded = foldLabel(text)
  // Bounded: a reply of nothing but dots would otherwise be searched from each of them anew.
  return folded.replace(/[.。]{1,3}$/, '').trim() || folded
}

/** What a person may write for a label: it, or a copy of it as it was shown to them. */
export function keysOf(label: string): string[] {
  const shown = visible(label, 'line')
  return [keyOf(label), keyOf(shown), keyOf(withoutMentions(shown))]
}
