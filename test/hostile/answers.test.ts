import fc from 'fast-check'
import { code, type Engine, type Json, type JsonSchema } from 'querent'
import { expect, test } from 'vitest'
import { emptyState, fold } from '../../src/core/fold.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { runsOf, slowTimeoutMs, Tape, tapes } from '../property/tape.ts'
import { type Served, serve } from '../server/served.ts'
import { nearMiss } from './random-answer.ts'
import { fromEntries } from './random-shape.ts'
import { waysIn } from './ways-in.ts'

/* Whatever is sent, by whatever way: the ask is settled by something that fits, or it still waits; and the log folds. */

/** What is asked, and what fits it: said here a second time, so that the two can be compared. */
const questions: { input: { [field: string]: Json }; fits(answer: Json): boolean }[] = [
  { input: { question: 'Why?' }, fits: (answer) => typeof answer === 'string' && answer.trim() !== '' },
  {
    input: { question: 'Size?', choices: ['S', 'M', 'é'] },
    fits: (answer) => ['S', 'M', 'é'].includes(answer as string),
  },
  {
    input: { question: 'Sizes?', choices: ['S', 'M', '__proto__'], multi: true },
    fits: (answer) =>
      Array.isArray(answer) &&
      answer.length > 0 &&
      new Set(answer).size === answer.length &&
      answer.every((each) => ['S', 'M', '__proto__'].includes(each as string)),
  },
  {
    input: { question: 'How many?', shape: { type: 'integer', maximum: 0 } },
    fits: (answer) => Number.isInteger(answer) && (answer as number) <= 0,
  },
  {
    input: { question: 'Is it?', shape: { type: ['boolean', 'null'] } },
    fits: (answer) => answer === null || typeof answer === 'boolean',
  },
  {
    input: {
      question: 'Who?',
      shape: {
        type: 'object',
        properties: { constructor: { type: 'string' } },
        additionalProperties: false,
      } as JsonSchema as Json,
    },
    fits: (answer) =>
      typeof answer === 'object' &&
      answer !== null &&
      !Array.isArray(answer) &&
      Object.entries(answer).every(([name, value]) => name === 'constructor' && typeof value === 'string'),
  },
]

/** Answers as JSON texts, as a body may have them and as no `JSON.stringify` would write them. */
const texts = [
  ...[
    '"\\ud800"',
    '"M\\ud800"',
    '"\\u0000"',
    '"M\\u0000"',
    '"\\ufeffM"',
    '" M"',
    '"m"',
    '"e\\u0301"',
    '"\\u00e9"',
    '"Ｍ"',
  ],
  ...['9007199254740993', '-9007199254740993', '-0', '-0.0', '1e400', '-1e400', '[1e400]', '1E-400', '0.1e1', '1e0'],
  ...[
    '{"a":1,"a":2}',
    '{"constructor":"a","constructor":1}',
    '{"constructor":"x"}',
    '{"__proto__":{"x":1}}',
    '{}',
    '[]',
  ],
  ...[
    '{"answer":"M"}',
    '{"data":"M"}',
    '{"selected":["M"],"other":"x"}',
    '{"toString":"x"}',
    '["S","S"]',
    '["__proto__"]',
  ],
  ...[
    'true',
    'null',
    '"null"',
    '["M"]',
    '[["M"]]',
    '"M"',
    '"S"',
    '{"length":1,"0":"M"}',
    '" "',
    '"\\u3000"',
    '"\\u200b"',
  ],
  `${'['.repeat(33)}${']'.repeat(33)}`,
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  JSON.stringify('x'.repeat(300_000)),
  JSON.stringify(fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]))),
]

async function place(): Promise<{ engine: Engine; served: Served }> {
  const { open } = world()
  // The first message says what is asked.
  const { agents } = asker([
    ({ messages }) => ({ calls: [ask(JSON.parse(String(messages[0]?.content)) as Record<string, unknown>)] }),
    { text: 'Thanks.' },
  ])
  const engine = await open(agents)
  return { engine, served: await serve(engine, { limits: { answersPerMinute: 1_000_000 } }) }
}

test(
  'whatever is sent, the ask is settled by something that fits or still waits, and the log folds',
  async () => {
    const { engine, served } = await place()
    const ann = helperOf(engine, 'asker')
    const ways = waysIn(engine, served)
    const tried = { sent: 0, settled: 0, waits: 0 }
    await fc.assert(
      fc.asyncProperty(tapes(60), async (choices) => {
        const tape = new Tape(choices)
        const { input, fits } = tape.oneOf(questions)
        const chat = `chat-${tried.sent}`
        const { run } = await ann.start(JSON.stringify(input), { key: chat })
        await ann.atRest(run)
        for (let left = 1 + tape.pick(4); left > 0; left -= 1) {
          const [open] = (await ann.run(run)).asks
          if (!open) break
          const given = tape.oneOf(texts)
          const text = tape.chance(3) ? JSON.stringify(nearMiss(JSON.parse(given) as Json, tape)) : given
          const refused = await tape.oneOf(ways).send(open, text, chat)
          tried.sent += 1
          const said = text.slice(0, 100)
          const log = await engine.runs.log(run)
          fold(emptyState(), log)
          const settled = log.find((event) => event.type === 'ask.settled')
          const stillOpen = (await ann.run(run)).asks.some(({ id }) => id === open.id)
          if (settled?.type === 'ask.settled') {
            tried.settled += 1
            expect(refused, said).toBeUndefined()
            expect(stillOpen).toBe(false)
            expect(fits(settled.data.data as Json), said).toBe(true)
            // What was stored is what was sent, but for the sign of zero: nothing was coerced on the way.
            expect(JSON.stringify(settled.data.data)).toBe(JSON.stringify(JSON.parse(text)))
          } else {
            tried.waits += 1
            // Over HTTP what is all structure is no body at all.
            expect([code.T0002, code.T0008], said).toContain(refused)
            expect(stillOpen).toBe(true)
          }
        }
        await ann.stop({ run }).catch(() => undefined)
      }),
      { ...runsOf(150), seed: 8, endOnFailure: true },
    )
    expect(tried.settled).toBeGreaterThan(15)
    expect(tried.waits).toBeGreaterThan(100)
    if (process.env.QUERENT_RUNS !== undefined) console.info('Tried:', tried)
  },
  slowTimeoutMs,
)
