const bytesOf = (text: string) => new TextEncoder().encode(text).length

/**
 * Trims a text and cuts it to `maxBytes` of UTF-8: between two characters as people see them, or between two code
 * points where a single one of those is longer. Halves of surrogate pairs are replaced: no database could keep them.
 * Cutting twice changes nothing.
 */
export function cut(text: string, maxBytes: number): string {
  const whole = text.trim().toWellFormed()
  if (whole.length <= maxBytes && bytesOf(whole) <= maxBytes) return whole
  // A character has a byte at least, so what is kept lies in front of this; a text of megabytes is not segmented.
  const front = whole.slice(0, maxBytes + 1)
  const characters = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(front)
  const kept = longestPrefix(
    Array.from(characters, ({ segment }) => segment),
    maxBytes,
  )
  return (kept || longestPrefix([...front], maxBytes)).trim()
}

function longestPrefix(pieces: string[], maxBytes: number): string {
  let kept = ''
  let bytes = 0
  for (const piece of pieces) {
    bytes += bytesOf(piece)
    if (bytes > maxBytes) break
    kept += piece
  }
  return kept
}
