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
