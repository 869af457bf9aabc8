/*
 * Text that a model or another person wrote is untrusted: on a terminal or a page it could erase what stands beside it,
 * turn its own direction around, or push its end out of sight. `visible` shows it so that nothing is hidden; what is
 * stored and answered stays as it came.
 */

/** A hand that means well needs no more: code is indented less, and no letter carries more marks. */
const longestSpace = 16
const longestBreak = 3
const longestMarks = 8

// Scripts whose ordinary spelling has joiners (Persian می‌خواهم, Hindi क्‍ष, Sinhala ශ්‍රී).
const joining =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Nkoo}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}' +
  '\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}'

/** What looks like a format character and is ordinary where it stands: parts of one emoji, joiners inside a word. */
const ordinary = [
  // The flags of England, Scotland, Wales: the only emoji with tags in them. Any other tag is text that nobody sees.
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}',
  // One emoji of several: a family, a skin tone, a keycap.
  '\\p{Extended_Pictographic}\\uFE0F?\\p{EMod}?(?:\\u200D\\p{Extended_Pictographic}\\uFE0F?\\p{EMod}?)*',
  '[0-9#*]\\uFE0F?\\u20E3',
  `(?<=[${joining}])[\\u200C\\u200D](?=[${joining}])`,
  '(?<=\\p{sc=Han})[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]',
].join('|')

const spaces = '[\\p{Zs}\\t\\u2800\\u3164\\u115F\\u1160\\uFFA0]'

/** Cc: ESC, \r, backspace. Cf: directions, zero width. Cs: half a character. Others that show nothing at all. */
const hidden =
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029\\u034F\\u17B4\\u17B5\\u180B-\\u180F\\uFE00-\\uFE0F\\u{E0000}-\\u{E0FFF}]'

const pattern = new RegExp(
  [
    `(${ordinary})`,
    `(\\r?\\n(?:${spaces}*\\r?\\n)*)`,
    // A plain one alone stands between all words: passed over, prose costs next to nothing.
    `((?! (?!${spaces}))${spaces}+)`,
    `(\\p{M}{${longestMarks + 1},})`,
    hidden,
  ].join('|'),
  'gu',
)

/**
 * Shows text so that nothing in it is hidden and nothing in it acts: control, direction and zero-width characters become
 * `‹U+202E›`, long runs of spaces `‹2000 spaces›`, of empty lines `‹9 empty lines›`. Arabic, Hebrew, emoji and accents
 * stay as they are. `'block'` keeps line breaks; `'line'` gives one line.
 */
export function visible(text: string, form: 'block' | 'line' = 'block'): string {
  return text.replace(pattern, (match, plain?: string, breaks?: string, space?: string, marks?: string) => {
    if (plain !== undefined) return match
    if (breaks !== undefined) return showBreaks(match, form)
    if (space !== undefined) return showSpaces(match)
    if (marks !== undefined) return `${firstMarks(match)}‹${[...match].length - longestMarks} more marks›`
    return showCodePoint(match)
  })
}

// `@ann`, but no mail address; what calls all, wherever it stands (`x@everyone` does in some); `<!channel>`, `<@U1>`, `<#C1>`.
const mention =
  /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}_])|@(?=(?:everyone|here|channel|all|room)(?![\p{L}\p{N}]))|<(?=[@#!][\p{L}\p{N}&!])/giu

/**
 * Shows what would call people in a chat as the sign it is, `‹@›everyone`: what a model wrote must not wake a whole company,
 * with the rights of whoever posts it. For text that is posted somewhere; on a page or a terminal nothing calls anybody.
 */
export function withoutMentions(text: string): string {
  return text.replace(mention, '‹$&›')
}

function showCodePoint(character: string): string {
  const hex = (character.codePointAt(0) as number).toString(16).toUpperCase()
  return `‹U+${hex.padStart(4, '0')}›`
}

function showSpaces(run: string): string {
  const count = [...run].length
  if (count > longestSpace) return `‹${count} spaces›`
  // A tab is as wide as the screen likes; fillers are letters to a font and nothing to an eye.
  return run.replaceAll('\t', '  ').replaceAll(/[\u2800\u3164\u115F\u1160\uFFA0]/g, showCodePoint)
}

function showBreaks(run: string, form: 'block' | 'line'): string {
  if (form === 'line') return ' ⏎ '
  const lines = run.split('\n').length - 1
  if (lines <= longestBreak) return '\n'.repeat(lines)
  return `\n‹${lines - 1} empty lines›\n`
}

function firstMarks(run: string): string {
  return [...run].slice(0, longestMarks).join('')
}
