import type { Draft, JsonError, JsonSchemaValidatorParams } from 'json-schema-library'
import type { Issue } from '../core/error.ts'
import type { Json, JsonSchema } from '../core/json.ts'
import { bare } from './bare.ts'
import { issuesOf } from './issues.ts'
import { keywordRules } from './keyword-rules.ts'
import { dialectOf } from './keywords.ts'
import { loadPatternCompiler, maxPatternText, type PatternCompiler, type TextMatcher } from './pattern.ts'

/**
 * Checks a value against a schema, at once and without a bound on time: what may be asked of it, `cost.ts` says. Throws
 * where it cannot: for a schema that is none, and past `maxErrors`.
 */
export type Validator = (schema: JsonSchema, data: Json) => Issue[]

/** The library keeps every error it meets, in branches that may fail as well: a list wrong in each item must not fill the memory. */
export const maxErrors = 500_000

interface Tally {
  errors: number
}

/** The formats that are checked; others are remarks for whoever reads the schema, as the standard says. */
export const checkedFormats = [
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'idn-email',
  'ipv4',
  'ipv6',
  'json-pointer',
  'relative-json-pointer',
  'time',
  'uri',
  'uri-reference',
  'uuid',
]
const fitWhenEmpty = ['json-pointer', 'uri-reference']

/** What the library's own check of a format lets through, and should not. */
const stricter: { [format: string]: RegExp } = {
  'date-time': /(?:z|[+-]\d\d:\d\d)$/i,
  duration:
    /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
}

/** Loads the library. It is large, so it is not loaded before the first check. */
export async function loadValidator(): Promise<Validator> {
  const [library, { formats }, compilePattern] = await Promise.all([
    import('json-schema-library'),
    import('json-schema-library/formats'),
    loadPatternCompiler(),
  ])
  const tally = { errors: 0 }
  const ours = (draft: Draft): Draft => draftOf(draft, { ...formats, ...draft.formats }, matcher(compilePattern), tally)
  const drafts = { 'draft-07': ours(library.draft07), '2020-12': ours(library.draft2020) }
  const compile = (schema: JsonSchema) => {
    const draft = drafts[dialectOf(schema) ?? '2020-12']
    // Without its `$id` a schema is known by no name that another one could meet, or that could be fetched.
    return library.compileSchema(bare(schema, '$id'), { drafts: [draft] })
  }
  const compiled = new Map<string, ReturnType<typeof compile>>()
  return (schema, data) => {
    tally.errors = 0
    const text = JSON.stringify(schema)
    const node = compiled.get(text) ?? compile(schema)
    // The newest stands last.
    compiled.delete(text)
    if (text.length <= maxKeptText) compiled.set(text, node)
    if (compiled.size > maxKept) compiled.delete(compiled.keys().next().value ?? '')
    return issuesOf(node.validate(bare(data)).errors)
  }
}

/** How many schemas are kept compiled, and how long one of them is: most are of agents, and come again with every run. */
const maxKept = 100
const maxKeptText = 2_000

/** A pattern of a model runs on the linear engine; a developer's own may need the native one, in the worker only. */
function matcher(compile: PatternCompiler): TextMatcher {
  return (source) => {
    const compiled = compile(source)
    return compiled.ok ? compiled.pattern : new RegExp(source, 'u')
  }
}

/** A draft with our keywords, formats and errors; the library's own object is not touched. */
function draftOf(draft: Draft, formats: Draft['formats'], match: TextMatcher, tally: Tally): Draft {
  const rules = keywordRules(match)
  return {
    ...draft,
    keywords: draft.keywords.map((keyword) => ({ ...keyword, ...rules[keyword.keyword] })),
    formats: Object.fromEntries(checkedFormats.map((name) => [name, formatOf(name, formats[name])])),
    // Its messages quote whole schemas and values: a long list that fails would cost a megabyte for each item.
    errors: Object.fromEntries(
      Object.keys(draft.errors).map((code) => [code, plainError(code, tally)]),
    ) as Draft['errors'],
  }
}

function plainError(code: string, tally: Tally) {
  const type = code.endsWith('-warning') ? 'annotation' : 'error'
  return (data: JsonError['data']) => {
    tally.errors += 1
    if (tally.errors > maxErrors) throw new Error(`more than ${maxErrors} errors in one check`)
    return { type, code, message: '', data } as JsonError
  }
}

function formatOf(name: string, check: Draft['formats'][string] | undefined): Draft['formats'][string] {
  return (params: JsonSchemaValidatorParams) => {
    const { node, data, pointer } = params
    if (typeof data !== 'string') return undefined
    const misfit =
      data === '' ? !fitWhenEmpty.includes(name) : data.length > maxPatternText || stricter[name]?.test(data) === false
    if (misfit) return node.createError('format-date-error', { pointer, schema: node.schema, value: data })
    return check?.(params)
  }
}
