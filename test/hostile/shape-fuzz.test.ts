import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { canonical, type Json, type JsonSchema } from '../../src/core/json.ts'
import { checkAnswer } from '../../src/shape/check-answer.ts'
import { checkShape } from '../../src/shape/check-shape.ts'
import { runsOf, slowTimeoutMs, Tape, tapes } from '../property/tape.ts'
import { oracles } from './oracles.ts'
import { fitting, nearMiss } from './random-answer.ts'
import { RandomShape } from './random-shape.ts'

/*
 * Random shapes and answers: what we say, and what two other validators say. The official suite (test/shape) is the gate;
 * this finds what it has no test for. QUERENT_RUNS=20 tries twenty times as many.
 */

const shapes = 1500
const answersOfEach = 6

/** Where another validator is wrong by the standard, and why. */
const knownFaults: { of: string; fault: string; isIt(schema: string, value: string): boolean }[] = [
  {
    of: 'hyperjump',
    fault: 'multipleOf has a tolerance: 5e-324 counts as a multiple of 1, and 1e300 of 3',
    isIt: (schema, value) => schema.includes('"multipleOf"') && /5e-324|1e\+300/.test(value),
  },
]

/** Distinct shapes, and how often an answer fitted and did not: a generator that repeats itself finds nothing. */
const seen = { shapes: new Set<string>(), fits: 0, misfits: 0, known: 0, compared: 0 }

async function compare(schema: JsonSchema, values: Json[]): Promise<string[]> {
  const ours = await Promise.all(values.map(async (value) => (await checkAnswer(schema, value)).length === 0))
  for (const fits of ours) seen[fits ? 'fits' : 'misfits'] += 1
  const differences: string[] = []
  for (const { name, verdicts } of oracles) {
    for (const [at, theirs] of (await verdicts(schema, values)).entries()) {
      const [schemaText, value] = [JSON.stringify(schema), JSON.stringify(values[at])]
      if (theirs !== undefined) seen.compared += 1
      if (theirs === undefined || theirs === ours[at]) continue
      if (knownFaults.some((known) => known.of === name && known.isIt(schemaText, value))) seen.known += 1
      else differences.push(`${name} says ${theirs} of ${value} for ${schemaText}`)
    }
  }
  return differences
}

test(
  'random shapes can be asked, and answers to them are judged as two other validators judge them',
  async () => {
    const tapesOfBoth = fc.tuple(tapes(200), tapes(400))
    await fc.assert(
      fc.asyncProperty(tapesOfBoth, async ([shapeTape, answerTape]) => {
        const schema = new RandomShape(new Tape(shapeTape)).make()
        expect(await checkShape(schema)).toEqual({ ok: true })
        seen.shapes.add(canonical(schema as Json))
        const tape = new Tape(answerTape)
        const values: Json[] = []
        while (values.length < answersOfEach) {
          const answer = fitting(schema as Json, tape)
          values.push(answer, nearMiss(answer, tape))
        }
        expect(await compare(schema, values)).toEqual([])
      }),
      { ...runsOf(shapes), seed: Number(process.env.QUERENT_SEED ?? 8) },
    )
  },
  slowTimeoutMs,
)

test('the generator really made many shapes, and both verdicts', () => {
  const answers = seen.fits + seen.misfits
  expect(seen.shapes.size).toBeGreaterThan(shapes * 0.8)
  expect(seen.fits / answers).toBeGreaterThan(0.25)
  expect(seen.misfits / answers).toBeGreaterThan(0.25)
  // Each of the two had an opinion on nearly all.
  expect(seen.compared / answers).toBeGreaterThan(1.95)
})

afterAll(() => {
  if (process.env.QUERENT_RUNS === undefined) return
  const { shapes, ...counts } = seen
  console.info('Compared:', { distinctShapes: shapes.size, ...counts })
})
