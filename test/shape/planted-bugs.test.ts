import { beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonSchema } from '../../src/core/json.ts'
import { checkShape } from '../../src/shape/check-shape.ts'
import { loadValidator, type Validator } from '../../src/shape/validator.ts'
import { drafts, type Group, groupsOf, isRemarkOnly } from './suite.ts'

/*
 * Whether the gate would notice. Each planted bug is the validator with one fault, made by handing it another schema
 * or value than the test's; the suite must find at least one test that then comes out wrong.
 */

type Schema = { [keyword: string]: Json }
type Bug = (validate: Validator) => Validator

/** Changes every schema inside a schema. What stands under `const`, `enum`, … may be changed too: a bug need not be neat. */
function everywhere(value: Json, change: (schema: Schema) => Schema): Json {
  if (Array.isArray(value)) return value.map((each) => everywhere(each, change))
  if (typeof value !== 'object' || value === null) return value
  const changed = change(value)
  return Object.fromEntries(Object.entries(changed).map(([key, each]) => [key, everywhere(each, change)]))
}

const withSchema = (change: (schema: Schema) => Schema): Bug => {
  return (validate) => (schema, data) => validate(everywhere(schema, change) as JsonSchema, data)
}
const ignoring = (keyword: string): Bug => withSchema(({ [keyword]: _, ...rest }) => rest)
const readingAs = (from: string, to: string): Bug =>
  withSchema(({ [from]: value, ...rest }) => (value === undefined ? rest : { ...rest, [to]: value }))
const changing = (keyword: string, change: (value: Json) => Json): Bug =>
  withSchema((schema) => (schema[keyword] === undefined ? schema : { ...schema, [keyword]: change(schema[keyword]) }))
const withData = (change: (data: Json) => Json): Bug => {
  return (validate) => (schema, data) => validate(schema, change(data))
}

const keywords = [
  ['$ref', 'additionalItems', 'additionalProperties', 'allOf', 'anyOf', 'const', 'contains', 'dependencies'],
  ['dependentRequired', 'dependentSchemas', 'else', 'enum', 'exclusiveMaximum', 'exclusiveMinimum', 'if', 'items'],
  ['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength'],
  ['minProperties', 'minimum', 'multipleOf', 'not', 'oneOf', 'pattern', 'patternProperties', 'prefixItems'],
  [
    'properties',
    'propertyNames',
    'required',
    'then',
    'type',
    'unevaluatedItems',
    'unevaluatedProperties',
    'uniqueItems',
  ],
].flat()

const bugs: [string, Bug][] = [
  ...keywords.map((keyword): [string, Bug] => [`${keyword} is ignored`, ignoring(keyword)]),
  ['oneOf is read as anyOf', readingAs('oneOf', 'anyOf')],
  ['anyOf is read as oneOf', readingAs('anyOf', 'oneOf')],
  ['exclusiveMinimum is read as minimum', readingAs('exclusiveMinimum', 'minimum')],
  ['maximum is read as exclusiveMaximum', readingAs('maximum', 'exclusiveMaximum')],
  ['maxLength allows one more', changing('maxLength', (value) => (value as number) + 1)],
  ['minItems wants one more', changing('minItems', (value) => (value as number) + 1)],
  ['a number does as an integer', changing('type', (value) => (value === 'integer' ? 'number' : value))],
  ['patterns are anchored', changing('pattern', (value) => `^(?:${value})$`)],
  ['one of the required names is enough', changing('required', (value) => (value as Json[]).slice(0, 1))],
  ['the first value of an enum only', changing('enum', (value) => (value as Json[]).slice(0, 1))],
  [
    'characters outside the plane count twice',
    withData((data) => (typeof data === 'string' ? data.replace(/[\u{10000}-\u{10ffff}]/gu, 'xx') : data)),
  ],
  ['false is taken for 0', withData((data) => (data === false ? 0 : data))],
  ['null is taken for left out', withData((data) => (data === null ? {} : data))],
]

const groups: Group[] = []
let validate: Validator

beforeAll(async () => {
  validate = await loadValidator()
  for (const group of drafts.flatMap((draft) => groupsOf(draft))) {
    if ((await checkShape(group.schema)).ok) groups.push(group)
  }
})

function wrongWith(check: Validator): number {
  let wrong = 0
  for (const { schema, tests } of groups) {
    for (const { description, data, valid } of tests) {
      if (!isRemarkOnly(description) && (issuesWith(check, schema, data) === 0) !== valid) wrong += 1
    }
  }
  return wrong
}

/** A bug may make the library throw; that is wrong as well. */
function issuesWith(check: Validator, schema: JsonSchema, data: Json): number {
  try {
    return check(schema, data).length
  } catch {
    return Number.NaN
  }
}

describe('the suite finds planted bugs', () => {
  test('without one, nothing is wrong', () => {
    expect(wrongWith(validate)).toBe(0)
  })

  test.each(bugs)('%s', (_name, bug) => {
    expect(wrongWith(bug(validate))).toBeGreaterThan(0)
  })
})
