import type { Json } from '../../src/core/json.ts'
import { fromEntries } from './random-shape.ts'

/* Shapes that a model might write to do harm, or by mistake, one of each kind; and answers that make the most of them. */

/** A shape that must be refused, and the words that must tell a model how to repair it. */
export interface RefusedShape {
  name: string
  shape: Json
  says: RegExp
}

/** A shape that may be asked for, and answers to it with the right verdict. */
export interface DearShape {
  name: string
  shape: Json
  answers: { data: Json; fits: boolean }[]
}

const times = (count: number, of: (at: number) => Json): Json[] => Array.from({ length: count }, (_, at) => of(at))
const named = (count: number, of: (at: number) => Json) =>
  fromEntries(times(count, of).map((each, at) => [`p${at}`, each]))
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

function doubled(depth: number): Json {
  const one = (at: number): Json => (at === 0 ? { type: 'string' } : { allOf: [ref(`d${at - 1}`), ref(`d${at - 1}`)] })
  return fromEntries(times(depth, one).map((each, at) => [`d${at}`, each]))
}

function nested(depth: number, inside: (schema: Json) => Json, from: Json = {}): Json {
  let schema = from
  for (let i = 0; i < depth; i += 1) schema = inside(schema)
  return schema
}

const tooLarge = /larger than 32768 bytes. Ask for less/
const deep = /lists and objects more than 48 deep. Make it flatter/

export const refusedShapes: RefusedShape[] = [
  {
    name: 'references doubled 28 deep',
    shape: { $defs: doubled(28), ...ref('d27') },
    says: /more than 2000 subschemas once/,
  },
  {
    name: 'a reference to itself',
    shape: { $defs: { a: ref('a') }, ...ref('a') },
    says: /refers to itself. Write the levels/,
  },
  {
    name: 'two that refer to each other',
    shape: { $defs: { a: { not: ref('b') }, b: { items: ref('a') } }, ...ref('a') },
    says: /refers to itself/,
  },
  { name: 'a reference to the whole', shape: { properties: { a: { $ref: '#' } } }, says: /refers to itself/ },
  {
    name: 'a remote reference',
    shape: { $ref: 'http://127.0.0.1:1/x' },
    says: /nothing is fetched. Put the schema into \$defs/,
  },
  { name: 'a file', shape: { $ref: 'file:///etc/passwd' }, says: /nothing is fetched/ },
  { name: '20,000 properties', shape: { properties: named(20_000, () => ({})) }, says: tooLarge },
  {
    name: '201 properties',
    shape: { properties: named(201, () => true) },
    says: /more than 200 properties. Ask for less/,
  },
  { name: '100,000 values', shape: { enum: times(100_000, (at) => at) }, says: tooLarge },
  { name: '501 values', shape: { enum: times(501, (at) => at) }, says: /more than 500 enum values/ },
  { name: '1 MB of text', shape: { description: 'x'.repeat(1_000_000) }, says: tooLarge },
  { name: '1 MB in one name', shape: { properties: { ['x'.repeat(1_000_000)]: {} } }, says: tooLarge },
  {
    name: '30 kB in an unknown keyword',
    shape: { ['x'.repeat(30_000)]: 1 },
    says: /is no keyword of JSON Schema. Leave it out/,
  },
  { name: '50 MB of text', shape: { description: 'x'.repeat(50_000_000) }, says: tooLarge },
  { name: '300,000 values', shape: { enum: times(300_000, (at) => at) }, says: tooLarge },
  { name: 'depth 10,000', shape: nested(10_000, (items) => ({ items })), says: deep },
  { name: 'depth 10,000 of lists', shape: { enum: [nested(10_000, (each) => [each])] }, says: deep },
  { name: 'depth 17', shape: nested(17, (items) => ({ items })), says: /more than 16 schemas inside each other/ },
  { name: '401 subschemas', shape: { allOf: times(401, () => true) }, says: /more than 400 subschemas/ },
  { name: 'repetition of repetition', shape: { pattern: '(?:a{1,100}){1,100}' }, says: /use smaller repetitions/ },
  { name: 'the same in a name', shape: { patternProperties: { '((a{9}){9}){99}': {} } }, says: /smaller repetitions/ },
  { name: 'look-ahead', shape: { pattern: '^(?=a)a' }, says: /look-around, which cannot be run in linear time/ },
  { name: 'a back-reference', shape: { patternProperties: { '(a)\\1': true } }, says: /back-reference/ },
  { name: 'a pattern of 257 characters', shape: { pattern: 'a'.repeat(257) }, says: /more than 256 characters/ },
  { name: '21 patterns', shape: { allOf: times(21, () => ({ pattern: 'a' })) }, says: /more than 20 patterns/ },
  {
    name: 'combinations of combinations',
    shape: nested(8, (each) => ({ oneOf: [each, { not: each }] })),
    says: /more than 16 schemas inside each other/,
  },
  {
    name: 'unevaluated… inside each other',
    shape: nested(2, (a) => ({ unevaluatedProperties: a })),
    says: /more than 1 unevaluated/,
  },
  {
    name: 'a keyword of its name',
    shape: JSON.parse('{"__proto__":{"type":"string"}}'),
    says: /"__proto__" is no keyword/,
  },
  {
    name: 'a keyword that objects inherit',
    shape: { constructor: {}, toString: 1 },
    says: /"constructor" is no keyword/,
  },
  { name: 'its answer', shape: { type: 'string', answer: 'M', value: 'M' }, says: /"answer" is no keyword/ },
  { name: 'text in place of a schema', shape: '{"type":"string"}', says: /Send the JSON Schema itself as an object/ },
  {
    name: 'numbers that are none',
    shape: { minLength: Number.POSITIVE_INFINITY },
    says: /At #\/minLength: must be a JSON value/,
  },
  { name: 'a dialect that is a program', shape: { $schema: 'javascript:alert(1)' }, says: /is not a dialect/ },
]

const backtracking = `${'a'.repeat(4000)}!`
const code = '"); process.exit(1); ("'
const consts = (count: number) => times(count, (at) => ({ const: at }))

export const dearShapes: DearShape[] = [
  {
    name: 'nested quantifiers',
    shape: { pattern: '^(a+)+$' },
    answers: [
      { data: 'a'.repeat(4000), fits: true },
      { data: backtracking, fits: false },
    ],
  },
  {
    name: 'nested quantifiers for names',
    shape: { patternProperties: { '^(([a-z])+.)+$': { type: 'number' } }, propertyNames: { pattern: '(x+x+)+y' } },
    answers: [{ data: { [backtracking]: 1 }, fits: false }],
  },
  {
    name: '20 patterns of the largest size',
    shape: { allOf: times(20, (at) => ({ pattern: `(x{0,490}|b${at})$` })) },
    answers: [{ data: 'x'.repeat(4096), fits: true }],
  },
  {
    name: '200 constants for each item',
    shape: { items: { anyOf: consts(200) } },
    answers: [
      { data: times(2000, () => 199), fits: true },
      { data: times(2000, () => 200), fits: false },
      { data: times(80_000, () => 200), fits: false },
    ],
  },
  {
    name: '130 times not, of 32 kB',
    shape: { allOf: times(130, (at) => ({ not: { items: { const: at } } })) },
    answers: [{ data: times(8000, (at) => at), fits: true }],
  },
  {
    name: '195 times not, by a reference',
    shape: { $defs: { a: { allOf: times(195, () => ({ not: false })) } }, items: ref('a') },
    answers: [{ data: times(8000, () => 'xyz'), fits: true }],
  },
  {
    name: 'unique items',
    shape: { uniqueItems: true },
    answers: [
      { data: times(8000, (at) => ({ a: at, b: { c: at } })), fits: true },
      { data: times(8000, () => ({ a: 1, b: { c: 1 } })), fits: false },
    ],
  },
  {
    name: 'a large constant for each item',
    shape: { items: { not: { const: 'x'.repeat(30_000) } } },
    answers: [{ data: times(60_000, () => 1), fits: true }],
  },
  {
    name: '500 values for each item',
    shape: { items: { enum: times(500, (at) => at) } },
    answers: [{ data: times(60_000, (at) => at % 500), fits: true }],
  },
  {
    name: 'what was seen, asked again at each branch',
    shape: { anyOf: times(100, () => ({ properties: named(1, () => true) })), unevaluatedProperties: false },
    answers: [
      { data: named(5000, () => 1), fits: false },
      { data: { p0: 1 }, fits: true },
    ],
  },
  {
    name: 'inherited names',
    shape: JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"constructor":{"type":"number"}},"required":["__proto__"],"additionalProperties":false}',
    ) as Json,
    answers: [
      { data: JSON.parse('{"__proto__":1}') as Json, fits: true },
      { data: JSON.parse('{"__proto__":"x"}') as Json, fits: false },
      { data: JSON.parse('{"__proto__":1,"toString":1}') as Json, fits: false },
      { data: {}, fits: false },
    ],
  },
  {
    name: 'code in every text',
    shape: {
      title: code,
      properties: { [code]: { const: code, description: code } },
      required: [code],
      $comment: code,
    },
    answers: [
      { data: { [code]: code }, fits: true },
      { data: {}, fits: false },
    ],
  },
  {
    name: 'anything',
    shape: true,
    answers: [
      { data: 'x'.repeat(50_000_000), fits: false },
      { data: times(3_000_000, () => 1), fits: false },
      { data: named(100_000, () => 1), fits: false },
      { data: nested(10_000, (each) => [each]), fits: false },
      { data: nested(10_000, (a) => ({ a })), fits: false },
      { data: named(15_000, () => 1), fits: true },
    ],
  },
]
