import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/core/json.ts'
import { checkAnswer } from '../../src/shape/check-answer.ts'
import { checkShape } from '../../src/shape/check-shape.ts'
import { notChecked, notInTime } from '../../src/shape/check-thread.ts'
import { dearShapes, refusedShapes } from './hostile-shapes.ts'

/* Outcomes only. How long each holds up the event loop, bench/hostile-gaps.ts measures. */

describe('a shape that could not be checked in bounded time is refused, in words a model can repair it by', () => {
  test.each(refusedShapes)('$name', async ({ shape, says }) => {
    const check = await checkShape(shape)
    expect(check).toMatchObject({ ok: false, message: expect.stringMatching(says) })
    // It costs tokens, and must not carry the whole of what was wrong.
    expect((check as { message: string }).message.length).toBeLessThan(1500)
  })
})

describe('a shape that may be asked for is answered, whatever the answer', () => {
  const answers = dearShapes.flatMap(({ name, shape, answers }) =>
    answers.map((answer, at) => ({ name: `${name}, ${at + 1}`, shape, ...answer })),
  )

  test.each(dearShapes)('$name: may be asked', async ({ shape }) => {
    expect(await checkShape(shape)).toEqual({ ok: true })
  })

  test.each(answers)('$name', async ({ shape, data, fits }) => {
    const issues = await checkAnswer(shape as JsonSchema, data)
    // What takes too long is given up: nothing unchecked gets through, and nothing is waited for.
    const isGivenUp = [notInTime.message, notChecked.message].includes(issues[0]?.message ?? '')
    if (!isGivenUp) expect(issues.length === 0).toBe(fits)
    expect(issues.length).toBeLessThanOrEqual(20)
    expect(JSON.stringify(issues).length).toBeLessThan(20_000)
  })
})
