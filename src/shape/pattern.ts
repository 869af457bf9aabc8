/** How much text one pattern reads, in characters. Longer text does not fit a pattern: reading on would take too long. */
export const maxPatternText = 4096
/** How many instructions a compiled pattern may have. */
export const maxProgramSize = 1000

/** A pattern that takes time in proportion to the text, whatever it is. */
export interface LinearPattern {
  /** Whether it is found anywhere in the text. False for more than `maxPatternText` characters. */
  test(text: string): boolean
  /** Instructions of its program: the most work one character can cause. */
  size: number
}

/** A pattern, or what is wrong with it. */
export type CompiledPattern = { ok: true; pattern: LinearPattern } | { ok: false; problem: string }

export type PatternCompiler = (source: string) => CompiledPattern

/** Gives what tests a text for a pattern. */
export type TextMatcher = (source: string) => { test(text: string): boolean }

// A blank text is what `trim` empties. RE2's \S knows ASCII only: a text of no-break spaces would pass as an answer.
const notBlank: LinearPattern = { test: (text) => text.trim() !== '', size: 1 }

/** Loads the engine. It is large, so it is not loaded before the first pattern is met. */
export async function loadPatternCompiler(): Promise<PatternCompiler> {
  const { RE2JS } = await import('re2js')
  return (source) => {
    if (source === '\\S') return { ok: true, pattern: notBlank }
    const problem = problemOf(source)
    if (problem) return { ok: false, problem }
    try {
      const program = RE2JS.compile(RE2JS.translateRegExp(withEcmaClasses(source)))
      const size = program.programSize()
      if (size > maxProgramSize) {
        return {
          ok: false,
          problem: `is too large (${size} steps, at most ${maxProgramSize}): use smaller repetitions`,
        }
      }
      return { ok: true, pattern: { size, test: (text) => text.length <= maxPatternText && program.test(text) } }
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
      if (why.includes('repeat count')) return { ok: false, problem: 'repeats too often: use smaller repetitions' }
      return { ok: false, problem: `cannot be run in linear time (${why}): write it in the syntax of RE2` }
    }
  }
}

/** What a pattern has that no linear-time engine runs, or that means something else in RE2 than in JSON Schema. */
function problemOf(source: string): string | undefined {
  try {
    new RegExp(source, 'u')
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*: /s, '') : String(error)
    return `is not a regular expression in the Unicode syntax of JavaScript (${why})`
  }
  for (const { token, inClass } of tokensOf(source)) {
    if (!inClass && /^\(\?<?[=!]/.test(token))
      return 'uses look-around, which cannot be run in linear time: write it without'
    if (/^\\[1-9k]/.test(token)) return 'uses a back-reference, which cannot be run in linear time: write it without'
    if (!inClass && token === '[]') return 'has an empty class [], which nothing matches: write it without'
    if (/^\\p\{(.{4,}|.*=.*)\}$/i.test(token)) {
      return `uses ${token}: write the short name of a general category, such as \\p{L} or \\p{Nd}`
    }
  }
  return undefined
}

// What stands outside a class, and inside one, where brackets and parentheses are letters.
const outside = /\\[pP]\{[^}]*\}|\\.|\(\?<?[=!]|\[\]|\[\^?|./suy
const inside = /\\[pP]\{[^}]*\}|\\.|./suy

function* tokensOf(source: string): Generator<{ token: string; inClass: boolean }> {
  let inClass = false
  for (let at = 0; at < source.length; ) {
    const next: RegExp = inClass ? inside : outside
    next.lastIndex = at
    const token: string = next.exec(source)?.[0] ?? ''
    yield { token, inClass }
    at += token.length
    inClass = inClass ? token !== ']' : token === '[' || token === '[^'
  }
}

const spaces =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const lineEnds = '\\n\\r\\x{2028}\\x{2029}'

/**
 * Writes out what differs: in RE2 `\s` is ASCII and `.` stops at `\n` only. (`\S` inside a class stays RE2's, so that
 * `[\s\S]` still is everything.)
 */
function withEcmaClasses(source: string): string {
  let written = ''
  for (const { token, inClass } of tokensOf(source)) {
    if (token === '\\s') written += inClass ? spaces : `[${spaces}]`
    else if (token === '\\S' && !inClass) written += `[^${spaces}]`
    else if (token === '.' && !inClass) written += `[^${lineEnds}]`
    else written += token
  }
  return written
}
