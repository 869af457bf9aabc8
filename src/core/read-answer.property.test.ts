import fc from 'fast-check'
import { checkAnswer } from 'querent/extension'
import { expect, test } from 'vitest'
import type { Ask } from './ask.ts'
import { isObject, type Json, type JsonSchema } from './json.ts'
import { type Question, questionAsk } from './question.ts'
import { questionText } from './question-text.ts'
import { readAnswer } from './read-answer.ts'
import { isListable, isNumbered } from './read-choices.ts'
import { readQuestion } from './read-question.ts'
import { visible } from './visible.ts'

/*
 * For every question: each answer to it, written as a person would, is read back as exactly that answer; and whatever is
 * written, what is read is never refused by the schema of the answer.
 */

const dialect = { choices: 'choices', fields: ['question', 'choices', 'multi', 'other', 'shape'] }

/** A question, the ask a person sees of it, and the check of its answers. */
interface Asked {
  question: Question
  ask: Ask
  answerSchema: JsonSchema
}

function askedOf(input: Json): Asked | undefined {
  const prepared = readQuestion(input, dialect)
  if (!prepared.ok) return undefined
  const { answerSchema, ...stored } = questionAsk('question', prepared.input, prepared.question)
  const place = { id: 'ask_1', run: 'run_1', agent: 'asker', path: ['asker'], repeat: 1, n: 1 }
  const ask: Ask = { ...stored, ...place, step: 'question 1.1', since: '2026-01-01T00:00:00.000Z' }
  return { question: prepared.question, ask, answerSchema }
}

// Pieces that look like numbers, lists, dots, hidden characters and own texts, so that readings meet.
const piece = fc.constantFrom(
  ...['1', '2', '3', '10', '.', ')', '#', ',', ', ', ' and ', '&', 'and', ' ', '\n', ':', '"', '-', '٣', '③'],
  ...['a', 'A', 'b', 'B.', 'ß', 'SS', 'Ａ', 'e\u0301', 'é', '\u200b', '\u202e', '⏎', 'other', 'other: ', 'yes', 'null'],
)
const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))

const choosing = fc
  .record({ choices: fc.array(text, { minLength: 1, maxLength: 5 }), multi: fc.boolean(), other: fc.boolean() })
  .map((fields) => askedOf({ question: 'Which?', ...fields }))
  .filter((asked) => asked !== undefined)

const labelsOf = ({ ask }: Asked) => (ask.options ?? []).map(({ label }) => label)
/** A label as it is shown: what a person sees and copies. Two that look alike there are not read apart. */
const shown = (label: string) => visible(label, 'line')
const isClear = (asked: Asked) =>
  new Set(labelsOf(asked).map(shown)).size === labelsOf(asked).length &&
  !(asked.question.other && labelsOf(asked).some((label) => /other/i.test(label)))

test('choices: each selection is read back, by label and by number', () => {
  const selected = choosing.chain((asked) =>
    fc.tuple(fc.constant(asked), fc.shuffledSubarray(labelsOf(asked), { minLength: 1 })),
  )
  let read = 0
  fc.assert(
    fc.property(selected, ([asked, selection]) => {
      const { question, ask } = asked
      fc.pre(isClear(asked))
      const options = ask.options ?? []
      const numbers = selection.map((label) => String(labelsOf(asked).indexOf(label) + 1))
      const written = question.multi
        ? [selection.map(shown).join('\n'), ...(isListable(options) ? [selection.map(shown).join(', ')] : [])]
        : [shown(selection[0] as string)]
      if (isNumbered(options)) {
        const lists = [numbers.join(','), numbers.join(' and ')]
        written.push(...(question.multi ? lists : [numbers[0] as string]))
      }
      // A label such as "1, 2" may look like a list of numbers: then the person is asked again, and nothing is guessed.
      const doubtful = question.multi && labelsOf(asked).some((label) => /^[\s\d.,#)&and]+$/.test(label))
      for (const reply of written) {
        const answer = readAnswer(ask, reply)
        if (doubtful && 'unclear' in answer) continue
        expect([reply, answer]).toEqual([reply, { data: question.multi ? selection : selection[0] }])
        read++
      }
    }),
    { numRuns: 1000 },
  )
  expect(read).toBeGreaterThan(500)
})

test('other: each text of one’s own is read back, alone and behind choices', () => {
  const own = fc.tuple(
    choosing.filter(({ question }) => question.other === true),
    text.map((each) => each.trim()).filter((each) => each !== ''),
  )
  fc.assert(
    fc.property(own, ([asked, other]) => {
      fc.pre(isClear(asked))
      const { ask, question } = asked
      expect(readAnswer(ask, `other: ${other}`)).toEqual({ data: { selected: [], other } })
      if (!question.multi || !isNumbered(ask.options ?? [])) return
      const selected = labelsOf(asked).slice(0, 1)
      expect(readAnswer(ask, `1, other: ${other}`)).toEqual({ data: { selected, other } })
    }),
    { numRuns: 1000 },
  )
})

test('free text: every text in which there is something is read back', () => {
  const { ask } = askedOf({ question: 'Why?' }) as Asked
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }).filter((each) => each.trim() !== ''),
      (reply) => {
        expect(readAnswer(ask, reply)).toEqual({ data: reply })
      },
    ),
  )
})

const values: { [type: string]: fc.Arbitrary<Json> } = {
  string: fc.oneof(text, fc.string({ unit: 'grapheme' })),
  integer: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -3, max: 12 })),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value || 0),
  boolean: fc.boolean(),
  null: fc.constant(null),
}

/** The schema of a single value, and a value that fits it. */
const single: fc.Arbitrary<{ schema: { [keyword: string]: Json }; value: Json }> = fc.oneof(
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(values)), { minLength: 1, maxLength: 3 })
    .chain((types) =>
      fc.tuple(fc.constant(types), values[types[0] as string] as fc.Arbitrary<Json>, fc.nat({ max: 3 })),
    )
    .map(([types, value, room]) => ({
      value,
      schema: { type: types.length > 1 ? types : (types[0] as string), ...limits(value, room) },
    })),
  fc
    .uniqueArray(fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)), {
      minLength: 1,
      selector: (each) => JSON.stringify(each),
    })
    .chain((list) => fc.record({ schema: fc.constant({ enum: list }), value: fc.constantFrom(...list) })),
)

function limits(value: Json, room: number): { [keyword: string]: Json } {
  if (typeof value === 'number') return { minimum: value - room, maximum: value + room }
  return typeof value === 'string' ? { maxLength: [...value].length + room } : {}
}

/** A value as a person writes it: a text in quotes where it would else be read as something else. */
function written(value: Json, { type, enum: list }: { [keyword: string]: Json }): string {
  if (list) return JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return JSON.stringify(value)
  const isPlain = type === 'string' && value === value.trim() && value !== '' && !/["\n\r]/.test(value)
  return isPlain ? value : JSON.stringify(value)
}

/** Whether a text in a list of values is also the JSON, or the word, of another: then it is not read. */
function isDoubtful({ enum: list }: { [keyword: string]: Json }): boolean {
  return Array.isArray(list) && list.some((value) => typeof value === 'string' && /["\d]|null|yes|no/.test(value))
}

test('single values: each is read back', () => {
  let read = 0
  fc.assert(
    fc.property(single, ({ schema, value }) => {
      const { ask } = askedOf({ question: 'What?', shape: schema }) as Asked
      const answer = readAnswer(ask, written(value, schema))
      if (isDoubtful(schema) && 'unclear' in answer) return
      expect(answer).toEqual({ data: value })
      read++
    }),
    { numRuns: 1000 },
  )
  expect(read).toBeGreaterThan(500)
})

const flat = fc
  .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), single, fc.boolean(), fc.boolean()), {
    minLength: 1,
    maxLength: 5,
    selector: ([name]) => name,
  })
  .map((fields) => {
    const given = fields.filter(([, , isRequired, isGiven]) => isRequired || isGiven)
    const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]))
    const required = fields.flatMap(([name, , isRequired]) => (isRequired ? [name] : []))
    const shape = { type: 'object', properties, required, additionalProperties: false }
    return { shape, given: given.map(([name, { schema, value }]) => ({ name, schema, value })) }
  })

test('flat shapes: each answer is read back, line by line and as JSON', () => {
  fc.assert(
    fc.property(flat, ({ shape, given }) => {
      const { ask } = askedOf({ question: 'What?', shape }) as Asked
      const data = Object.fromEntries(given.map(({ name, value }) => [name, value]))
      expect(readAnswer(ask, JSON.stringify(data))).toEqual({ data })
      fc.pre(given.length > 0)
      const lines = given.map(({ name, schema, value }) => `${name}: ${written(value, schema)}`).join('\n')
      const answer = readAnswer(ask, lines)
      if (!given.some(({ schema }) => isDoubtful(schema)) || !('unclear' in answer)) expect(answer).toEqual({ data })
    }),
    { numRuns: 1000 },
  )
})

test('random text never yields what the schema of the answer refuses', async () => {
  const shapes = fc.oneof(
    single.map(({ schema }) => schema as Json),
    flat.map(({ shape }) => shape as Json),
  )
  const asked = fc.oneof(
    choosing,
    fc.constant(askedOf({ question: 'Why?' }) as Asked),
    shapes.map((shape) => askedOf({ question: 'What?', shape }) as Asked),
  )
  let read = 0
  const reply = (each: Asked) => {
    const { options = [], input } = each.ask
    const shape = isObject(input) && isObject(input.shape) ? input.shape : {}
    const known = [
      ...options.map(({ label }) => label),
      ...Object.keys(isObject(shape.properties) ? shape.properties : {}),
    ]
    const line = fc.tuple(fc.constantFrom('', ...known), fc.constantFrom('', ': ', ', '), fc.oneof(text, fc.json()))
    return fc
      .array(
        line.map((parts) => parts.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((lines) => lines.join('\n'))
  }
  await fc.assert(
    fc.asyncProperty(
      asked.chain((each) => fc.tuple(fc.constant(each), reply(each))),
      async ([{ ask, answerSchema }, written]) => {
        const answer = readAnswer(ask, written)
        if (!('data' in answer)) return
        read++
        expect([answer.data, await checkAnswer(answerSchema, answer.data)]).toEqual([answer.data, []])
      },
    ),
    { numRuns: 1500 },
  )
  expect(read).toBeGreaterThan(250)
})

test('whatever is asked and written, a text is shown in which nothing is hidden, and an answer is given', () => {
  const stranger = fc.record({
    kind: fc.constantFrom('question', 'approval', 'poll'),
    tool: text,
    input: fc.oneof(
      fc.jsonValue(),
      fc.record({ question: fc.jsonValue(), shape: fc.jsonValue(), multi: fc.boolean() }),
    ),
    options: fc.option(fc.array(fc.record({ label: text, description: text }), { maxLength: 4 }), { nil: undefined }),
  })
  const place = { id: 'ask_1', run: 'run_1', agent: 'asker', path: ['asker'], repeat: 1, n: 1, since: '' }
  fc.assert(
    fc.property(stranger, fc.oneof(text, fc.json()), (fields, reply) => {
      const ask = { ...place, step: 'question 1.1', ...fields } as Ask
      const asText = questionText(ask)
      expect(visible(asText)).toBe(asText)
      const answer = readAnswer(ask, reply)
      expect('data' in answer || 'approve' in answer || 'unclear' in answer).toBe(true)
      if ('unclear' in answer) expect(visible(answer.why, 'line')).toBe(answer.why)
    }),
    { numRuns: 1000 },
  )
})
