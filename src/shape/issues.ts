import type { JsonError } from 'json-schema-library'
import type { Issue } from '../core/error.ts'
import { isObject, type Json } from '../core/json.ts'
import { escapeStep } from './keywords.ts'
import { maxPatternText } from './pattern.ts'

/** A person repairs a form field by field; after these, more would only be noise. */
export const maxIssues = 20
/** How many allowed values a message lists. */
const maxListed = 20

type Schema = { [keyword: string]: Json }

/** The library's errors as what a person can act on: where, and what must be there. */
export function issuesOf(errors: JsonError[]): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    if (issues.size === maxIssues) break
    const issue = issueOf(error)
    issues.set(`${issue.path} ${issue.message}`, issue)
  }
  return [...issues.values()]
}

function issueOf({ code: name, data: found }: JsonError): Issue {
  const code = String(name)
  // Its pointers begin with `#`; our rules escape the names in them.
  const path = String(found.pointer).slice(1)
  const schema = (isObject(found.schema) ? found.schema : {}) as Schema
  const value = found.value as Json
  if (code === 'required-property-error')
    return { path: `${path}/${escapeStep(String(found.key))}`, message: 'is required' }
  if (code === 'missing-dependency-error' && found.missingProperty !== undefined) {
    return {
      path: `${path}/${escapeStep(String(found.missingProperty))}`,
      message: 'is required with what else was given',
    }
  }
  if (code === 'invalid-property-name-error') {
    return {
      path,
      message: Array.isArray(found.property)
        ? 'must be empty'
        : `has the name ${quote(String(found.property))}, which is not allowed`,
    }
  }
  if (code.startsWith('format-'))
    return { path, message: `must be ${formatNames[String(schema.format)] ?? schema.format}` }
  return { path, message: (messages[code] ?? (() => 'does not fit'))(schema, value) }
}

const messages: { [code: string]: (schema: Schema, value: Json) => string } = {
  'type-error': (schema) => `must be ${typesText(schema.type)}`,
  'enum-error': (schema) => oneOfValues((schema.enum as Json[]).map(valueText)),
  'const-error': (schema) => `must be ${valueText(schema.const as Json)}`,
  'minimum-error': (schema) => `must be at least ${schema.minimum}`,
  'maximum-error': (schema) => `must be at most ${schema.maximum}`,
  'exclusive-minimum-error': (schema) => `must be more than ${schema.exclusiveMinimum}`,
  'exclusive-maximum-error': (schema) => `must be less than ${schema.exclusiveMaximum}`,
  'multiple-of-error': (schema) => `must be a multiple of ${schema.multipleOf}`,
  'min-length-error': (schema) =>
    schema.minLength === 1 ? 'must not be empty' : `must have at least ${count(schema.minLength, 'character')}`,
  'min-length-one-error': () => 'must not be empty',
  'max-length-error': (schema) => `must have at most ${count(schema.maxLength, 'character')}`,
  'pattern-error': patternText,
  'min-items-error': (schema) => `must have at least ${count(schema.minItems, 'item')}`,
  'min-items-one-error': () => 'must have at least 1 item',
  'max-items-error': (schema) =>
    schema.maxItems === 0 ? 'must be empty' : `must have at most ${count(schema.maxItems, 'item')}`,
  'unique-items-error': () => 'is there twice',
  'contains-min-error': (schema) =>
    `must contain at least ${count(schema.minContains ?? 1, 'item')} of the kind asked for`,
  'contains-max-error': (schema) => `must contain at most ${count(schema.maxContains, 'item')} of the kind asked for`,
  'min-properties-error': (schema) => `must have at least ${count(schema.minProperties, 'field')}`,
  'max-properties-error': (schema) => `must have at most ${count(schema.maxProperties, 'field')}`,
  'no-additional-properties-error': () => 'is not asked for',
  'unevaluated-property-error': () => 'is not asked for',
  'unevaluated-items-error': () => 'is not asked for',
  'additional-items-error': () => 'is not asked for',
  'invalid-data-error': () => 'is not allowed',
  'any-of-error': (schema, value) => branchesText(schema.anyOf, value),
  'one-of-error': (schema, value) => branchesText(schema.oneOf, value),
  'multiple-one-of-error': () => 'fits several of the allowed forms; it must fit exactly one',
  'ref-error': () => 'cannot be checked: the schema refers to something outside it',
  'not-error': (schema) => notText(schema.not),
}

const typeNames: { [type: string]: string } = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

const formatNames: { [format: string]: string } = {
  date: 'a date, such as 2026-01-31',
  'date-time': 'a date and time with its zone, such as 2026-01-31T12:00:00Z',
  duration: 'a duration, such as PT30M',
  email: 'an email address',
  'idn-email': 'an email address',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  'json-pointer': 'a JSON Pointer',
  'relative-json-pointer': 'a relative JSON Pointer',
  time: 'a time with its zone, such as 12:00:00Z',
  uri: 'a URI, such as https://example.com',
  'uri-reference': 'a URI reference',
  uuid: 'a UUID',
}

function typesText(type: Json | undefined): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => typeNames[String(name)] ?? String(name))
  return [...new Set(names)].join(' or ')
}

function patternText(schema: Schema, value: Json): string {
  if (schema.pattern === '\\S') return 'must not be blank'
  if (typeof value === 'string' && value.length > maxPatternText)
    return `must have at most ${count(maxPatternText, 'character')}`
  return `must match the pattern ${schema.pattern}`
}

/** What fits one of several forms: their values where they are lists of values, their types where the type is wrong. */
function branchesText(branches: Json | undefined, value: Json): string {
  const list = (Array.isArray(branches) ? branches : []).filter(isObject)
  const values = list.map(valuesOf)
  if (values.every((each) => each !== undefined)) return oneOfValues(values.flat())
  const types = list.map((branch) => branch.type)
  if (types.every((type) => type !== undefined) && !types.flat().some((type) => type && hasType(value, type))) {
    return `must be ${typesText([...new Set(types.flat() as Json[])])}`
  }
  return 'does not fit any of the allowed forms'
}

function valuesOf(branch: Schema): string[] | undefined {
  if (branch.const !== undefined) {
    const text = valueText(branch.const)
    return [typeof branch.title === 'string' && branch.title !== text ? `${text} (${branch.title})` : text]
  }
  return Array.isArray(branch.enum) ? branch.enum.map(valueText) : undefined
}

function hasType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return type === 'object' ? isObject(value) : typeof value === type
}

function notText(not: Json | undefined): string {
  const values = isObject(not) ? valuesOf(not) : undefined
  return values ? `must not be ${values.slice(0, maxListed).join(', ')}` : 'is not allowed'
}

function oneOfValues(values: string[]): string {
  if (values.length === 1) return `must be ${values[0]}`
  const more = values.length > maxListed ? `, … (${values.length} in all)` : ''
  return `must be one of: ${values.slice(0, maxListed).join(', ')}${more}`
}

function valueText(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}

function count(number: Json | undefined, what: string): string {
  return `${Number(number).toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
}
