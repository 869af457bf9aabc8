/** The word that was probably meant, if one is near: at most two letters (a third of a short word) differ. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const most = Math.min(2, Math.floor(wanted.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    // A word of thousands of letters is near to none, and not worth a table of its distances.
    if (Math.abs(name.length - wanted.length) > most) continue
    const distance = editDistance(wanted, name.toLowerCase())
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance }
  }
  return best?.name
}

/** How many letters must be added, dropped or changed (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1)
    }
    row = next
  }
  return row[b.length] as number
}
