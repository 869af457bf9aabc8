import type { AskOption } from './ask.ts'
import type { Json } from './json.ts'
import { foldLabel, keyOf, keysOf } from './label.ts'
import { visible } from './visible.ts'

/* Reads what a person wrote as one of the choices, or several. Every reading is made; two of them are none. */

/** What may be chosen. */
export interface Choices {
  options: AskOption[]
  multi: boolean
  other: boolean
}

/** What stands between two of several answers. Without `*` and `+`: a reply of 100,000 spaces is read at once. */
const separator = /[,;，；、\n](?:\s?(?:and|&)\s)?|\s(?:and|&)\s/i
const inLabel = /[,;、]|(?:^|\s)(?:and|&)(?:\s|$)/i

/**
 * Whether the choices may be given by number: not where a label looks like the number of another, since "2" could then
 * mean either. Those are listed without numbers.
 */
export function isNumbered(options: AskOption[]): boolean {
  return options.every(({ label }, index) =>
    [label, ...keysOf(label)].every((written) => {
      const number = numberIn(written)
      return number === undefined || number === index + 1 || number < 1 || number > options.length
    }),
  )
}

/** Whether several labels may stand in one line: not where one itself holds what parts them. Those stand one a line. */
export function isListable(options: AskOption[]): boolean {
  return !options.some(({ label }) => inLabel.test(foldLabel(label)))
}

/** `3`, `3.`, `3)`, `(3)` or `#3`, full width too. */
function numberIn(text: string): number | undefined {
  const match = /^(?:\((\d{1,4})\)|#?(\d{1,4})[.)]?)$/.exec(foldLabel(text))
  return match ? Number(match[1] ?? match[2]) : undefined
}

/** The choices that a text may mean, by index. */
type Meaning = (text: string) => number[]

/** By number and by label. A label that is written exactly, or as it was shown, is meant, whatever it looks like. */
function meaningOf(options: AskOption[]): Meaning {
  const exact = indexesBy(options, (label) => [label, visible(label, 'line')])
  const byKey = indexesBy(options, keysOf)
  const numbered = isNumbered(options)
  return (text) => {
    const written = exact.get(text.trim())
    if (written) return [...written]
    const number = numbered ? numberIn(text) : undefined
    const byNumber = number !== undefined && number >= 1 && number <= options.length ? [number - 1] : []
    return [...new Set([...byNumber, ...(byKey.get(keyOf(text)) ?? [])])]
  }
}

function indexesBy(options: AskOption[], keys: (label: string) => string[]): Map<string, Set<number>> {
  const indexes = new Map<string, Set<number>>()
  for (const [index, { label }] of options.entries()) {
    for (const key of keys(label)) indexes.set(key, (indexes.get(key) ?? new Set()).add(index))
  }
  return indexes
}

/** Every answer that a text may be, as settling takes it: none or several where it cannot be read. */
export function readingsOf(choices: Choices, text: string): Json[] {
  const meaning = meaningOf(choices.options)
  const labels = labelReadings(choices, text, meaning)
  const own = choices.other && meaning(text).length === 0 ? ownReadings(choices, text, meaning) : []
  const readings = new Set([...labels, ...own].map((reading) => JSON.stringify(reading)))
  return [...readings].map((reading) => JSON.parse(reading) as Json)
}

function labelReadings({ options, multi }: Choices, text: string, meaning: Meaning): Json[] {
  if (multi) return listsIn(options, text, meaning)
  return meaning(text).map((index) => options[index]?.label as string)
}

/** The lists of labels that a text may be, read line by line and part by part. */
function listsIn(options: AskOption[], text: string, meaning: Meaning): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const parts = text.split(separator)
  const canPart = isListable(options) || (isNumbered(options) && parts.every((part) => numberIn(part) !== undefined))
  const lists = (canPart ? [lines, parts] : [lines]).flatMap((items) => listsOf(items.map(meaning)))
  return lists.map((list) => list.map((index) => options[index]?.label as string))
}

/** No list where an item means nothing, or two mean the same; two lists where one item may mean two choices. */
function listsOf(meant: number[][]): number[][] {
  if (meant.some((each) => each.length === 0)) return []
  const first = meant.map((each) => each[0] as number)
  const doubtful = meant.findIndex((each) => each.length > 1)
  if (doubtful !== -1) return [first, first.with(doubtful, meant[doubtful]?.[1] as number)]
  return new Set(first).size === first.length ? [first] : []
}

const ownText = /(?:^|[,;，；、\n]\s?(?:(?:and|&)\s)?|\s(?:and|&)\s)other\s?[:：]([\s\S]*)$/i

/**
 * A text of the person's own: what follows `other:`, behind nothing or (with `multi`) behind a list of choices. Without
 * `other:` it is the whole, where no part of it is one of the choices or looks like the number of one.
 */
function ownReadings({ options, multi }: Choices, text: string, meaning: Meaning): Json[] {
  const match = ownText.exec(text.trim())
  if (!match) {
    const touches = (part: string) => numberIn(part) !== undefined || meaning(part).length > 0
    const isTouching = keyOf(text) === 'other' || [...text.split('\n'), ...text.split(separator)].some(touches)
    return isTouching ? [] : [{ selected: [], other: text.trim() }]
  }
  const own = (match[1] ?? '').trim()
  const before = text.trim().slice(0, match.index)
  if (own === '') return []
  if (before === '') return [{ selected: [], other: own }]
  return multi ? listsIn(options, before, meaning).map((selected) => ({ selected, other: own })) : []
}
