import type { z } from 'zod'
import { type Issue, nextTurn, QuerentError } from '../protocol/core.ts'

/**
 * Reads a JSON body that fits a schema.
 * @throws QuerentError T0008: 415 where it says that it is not JSON, 413 where it is too large, else 400.
 */
export async function readBody<T>(request: Request, schema: z.ZodType<T>, maxBytes: number): Promise<T> {
  // A form of another site can send anything that is not JSON without asking first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new QuerentError('T0008', 'The body must be JSON: send it with Content-Type: application/json.', {
      status: 415,
    })
  }
  const text = await readText(request, maxBytes)
  if (hasMoreValues(text, maxValues)) {
    throw new QuerentError('T0008', `The body has too many values: at most ${maxValues} are taken.`, { status: 413 })
  }
  const value = jsonOf(text)
  // What is large is read, checked and answered in turns: in one, nobody else would be heard meanwhile.
  if (text.length > largeText) await nextTurn()
  return checked(schema, value, 'The body')
}

const largeText = 32 * 1024

/** Lists, objects and what is in them. Parsing and checking more would hold up the process for longer than a person notices. */
const maxValues = 20_000

/** What is wrong is told by its first places: a body of wrong fields must not become an answer of megabytes. */
const maxIssues = 20
const maxMessage = 300

/** Reads the query of a URL. @throws QuerentError T0008. */
export function readQuery<T>(request: Request, schema: z.ZodType<T>): T {
  return checked(schema, Object.fromEntries(new URL(request.url).searchParams), 'The query')
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    new QuerentError('T0008', `The body is too large: at most ${maxBytes} bytes are taken.`, { status: 413 })
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let text = ''
  try {
    // What is not announced is counted as it comes. Leaving the loop ends the reading.
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge()
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    if (error instanceof QuerentError) throw error
    throw new QuerentError('T0008', 'The body broke off, or is not UTF-8.', { cause: error })
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new QuerentError('T0008', 'The body is not JSON.', { cause: error })
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues
    .slice(0, maxIssues)
    .map(({ path, message }): Issue => ({ path: shorten(pointerOf(path)), message: shorten(message) }))
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  throw new QuerentError('T0008', `${what} cannot be read: ${lines.join('; ')}.`, { data: { issues } })
}

function shorten(text: string): string {
  return text.length <= maxMessage ? text : `${text.slice(0, maxMessage).toWellFormed()}…`
}

/** Whether a JSON text has more values than that, by its brackets and commas outside of texts. Nothing is parsed. */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at)
    else if (character === ',' || character === '[' || character === '{') values += 1
    if (values > most) return true
  }
  return false
}

/** Where the text in quotes ends that begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
