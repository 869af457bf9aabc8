import type { Issue } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import { bytesOf, excessOf } from './excess.ts'
import { escapeStep } from './keywords.ts'

/** What an answer may have at most: bytes of UTF-8 as JSON text, and lists and objects inside each other. */
export const answerLimits = { bytes: 256 * 1024, depth: 32 } as const

/**
 * Checks what holds for every answer, whatever was asked: it is a JSON value, and within the limits.
 * @returns nothing where it is, else one issue.
 */
export function checkSize(data: unknown): Issue[] {
  const problem = excessIn(data) ?? whatIsNoJson(data) ?? (bytesOf(data) > answerLimits.bytes ? tooLarge : undefined)
  return problem ? [problem] : []
}

const tooLarge: Issue = { path: '', message: `must be at most ${answerLimits.bytes / 1024} KiB` }
const tooDeep: Issue = {
  path: '',
  message: `must have at most ${answerLimits.depth} lists and objects inside each other`,
}

/** What is surely too large or too deep, whatever it is made of: 50 MB are not looked at, nor copied, to know that. */
export function excessIn(data: unknown): Issue | undefined {
  const excess = excessOf(data, { nesting: answerLimits.depth, bytes: answerLimits.bytes })
  return excess && { nesting: tooDeep, bytes: tooLarge }[excess]
}

/** The first part of a value that JSON has no words for: written out, it would be null, or gone. */
export function whatIsNoJson(data: unknown): Issue | undefined {
  if (!isJson(data)) return { path: '', message: 'must be a JSON value' }
  const todo = isContainer(data) ? [{ path: '', value: data }] : []
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { path, value } = next
    // Names alone: pairs of names and values are as dear as all the rest together.
    for (const key of Object.keys(value)) {
      const each = value[key]
      // JSON leaves a field out that is undefined, so it counts as left out; in a list it would turn into null.
      if (each === undefined && !Array.isArray(value)) continue
      if (!isJson(each)) return { path: `${path}/${escapeStep(key)}`, message: 'must be a JSON value' }
      if (isContainer(each)) todo.push({ path: `${path}/${escapeStep(key)}`, value: each })
    }
  }
  return undefined
}

function isContainer(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function isJson(value: unknown): value is Json {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean'
  if (value === null || Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return (
    (prototype === Object.prototype || prototype === null) &&
    typeof (value as { toJSON?: unknown }).toJSON !== 'function'
  )
}
