const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const wide =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u

/** Cuts text into the rows it fills on a screen of so many columns: wide characters take two. Breaks at spaces if it can. */
export function rowsOf(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrap(line, Math.max(columns, 2)))
}

function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const { segment } of graphemes.segment(line)) {
    const size = wide.test(segment) ? 2 : 1
    if (width + size > columns) {
      const space = row.lastIndexOf(' ')
      const kept = space > 0 && segment !== ' ' ? row.slice(space + 1) : ''
      rows.push(row.slice(0, row.length - kept.length).trimEnd())
      row = kept
      width = widthOf(kept)
      if (segment === ' ') continue
    }
    row += segment
    width += size
  }
  return [...rows, row]
}

function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}
