/**
 * The check of a shape that a model wrote, once for each question; and the longest time for which hostile shapes and
 * answers hold up the event loop.
 */
import type { Json, JsonSchema } from '../../src/core/json.ts'
import { checkAnswer } from '../../src/shape/check-answer.ts'
import { checkShape } from '../../src/shape/check-shape.ts'
import { percentile } from '../figures.ts'
import { type Figures, timed } from '../phase.ts'

const times = 500

/** Ten properties of the kinds that forms have; another one each time, so that nothing is answered from a cache. */
function formOf(nth: number) {
  const text = { type: 'string', minLength: 1, maxLength: 200 }
  const properties = {
    name: { ...text, title: `Name ${nth}` },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    size: { enum: ['S', 'M', 'L', 'XL'] },
    gift: { type: 'boolean', default: false },
    day: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[A-Z]{2}[0-9]{4}$' },
    tags: { type: 'array', items: text, maxItems: 5, uniqueItems: true },
    street: text,
    note: { type: ['string', 'null'] },
  }
  return { type: 'object', properties, required: ['name', 'mail', 'size'], additionalProperties: false }
}

const filledIn = { name: 'Ann', mail: 'ann@example.com', age: 30, size: 'M', tags: ['a', 'b'], code: 'AB1234' }

const repeat = (count: number, of: (at: number) => Json) => Array.from({ length: count }, (_, at) => of(at))

/** Within the limits, and dear all the same: shape and answer. */
const dear: [Json, Json][] = [
  [{ type: 'array', items: { anyOf: repeat(200, (at) => ({ const: at })) } }, repeat(2000, () => 199)],
  [{ allOf: repeat(195, (at) => ({ not: { type: 'array', items: { const: at } } })) }, repeat(8000, (at) => at)],
  [{ type: 'array', uniqueItems: true }, repeat(8000, (at) => ({ a: at, b: { c: at } }))],
  [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`],
]

/** To be refused. */
const refused: Json[] = [
  { $defs: doubled(28), $ref: '#/$defs/d27' },
  { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
  { type: 'object', properties: Object.fromEntries(repeat(20_000, (at) => [`p${at}`, {}]) as [string, Json][]) },
  { enum: repeat(100_000, (at) => at) },
  { description: 'x'.repeat(1_000_000) },
  nested(10_000),
]

function doubled(depth: number): Json {
  const ref = (at: number): Json => ({ $ref: `#/$defs/d${at}` })
  const one = (at: number): Json => (at === 0 ? { type: 'string' } : { allOf: [ref(at - 1), ref(at - 1)] })
  return Object.fromEntries(repeat(depth, (at) => [`d${at}`, one(at)]) as [string, Json][])
}

function nested(depth: number): Json {
  let schema: Json = {}
  for (let i = 0; i < depth; i++) schema = { items: schema }
  return schema
}

/** The processor time of this thread: what else the machine does is no part of it. */
const busyMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest that this thread was busy between two turns of the event loop while something went on. */
async function longestGapMs(work: () => Promise<unknown>): Promise<number> {
  let last = busyMs()
  let longest = 0
  let goesOn = true
  const turn = () => {
    const now = busyMs()
    longest = Math.max(longest, now - last)
    last = now
    if (goesOn) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  goesOn = false
  await new Promise(setImmediate)
  return longest
}

async function measure(): Promise<Figures> {
  const shapesMs: number[] = []
  const answersMs: number[] = []
  for (let nth = 0; nth < times * 2; nth++) {
    const shape = formOf(nth)
    const shapeMs = await timed(() => checkShape(shape))
    const answerMs = await timed(() => checkAnswer(shape as JsonSchema, filledIn))
    if (nth < times) continue
    shapesMs.push(shapeMs)
    answersMs.push(answerMs)
  }
  const gaps: number[] = []
  for (const [shape, answer] of dear) {
    const check = await checkShape(shape)
    if (check.ok) gaps.push(await longestGapMs(() => checkAnswer(shape as JsonSchema, answer)))
  }
  for (const shape of refused) gaps.push(await longestGapMs(() => checkShape(shape)))
  return {
    p50Ms: percentile(shapesMs, 0.5),
    p95Ms: percentile(shapesMs, 0.95),
    answerP50Ms: percentile(answersMs, 0.5),
    longestGapMs: Math.max(...gaps),
    checkedHostile: gaps.length,
  }
}

console.log(JSON.stringify({ figures: await measure() }))
process.exit(0)
