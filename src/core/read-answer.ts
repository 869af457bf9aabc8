import type { Ask } from './ask.ts'
import { flatShapeOf, misfitOf } from './flat-shape.ts'
import type { Json, JsonSchema } from './json.ts'
import { keyOf } from './label.ts'
import { askedOf, howToChoose } from './question-text.ts'
import { type Choices, readingsOf } from './read-choices.ts'
import { quote, readShape } from './read-value.ts'
import { visible, withoutMentions } from './visible.ts'

/**
 * What a person's reply in plain text says: `data` answers a question (`approve(ask, { data })`), `approve` decides an
 * approval (`true`: `approve(ask)`, `false`: `refuse(ask)`), `unclear` is neither and changes nothing: `why` is a sentence
 * for the person.
 */
export type ReadAnswer = { data: Json } | { approve: boolean } | { unclear: true; why: string }

const yes = ['yes', 'y', 'approve', 'approved']
const no = ['no', 'n', 'refuse', 'refused', 'reject', 'rejected']

/** No reply that is read word by word is longer, in characters. */
const maxText = 100_000

/**
 * Reads a reply to what `questionText` showed, without a model. It never guesses: what can be read in two ways, or not at
 * all, is `unclear`. Case, width and a trailing dot do not count in labels, names and words.
 *
 * - An **approval**: alone `yes`, `y`, `approve`, `approved`, or `no`, `n`, `refuse`, `refused`, `reject`, `rejected`.
 * - **Choices**: the number in the list, or a label; with `multi` several, as `1, 3`, `1 and 3` or one a line. Where a
 *   label itself looks like a number of the list, only labels are read; where one holds a comma or an "and", several
 *   labels stand one a line. A label that is written exactly is meant, whatever it looks like.
 * - With `other`: `other: text` is the person's own text, with `multi` also behind choices (`1, other: text`); a reply of
 *   which no part is a choice or a number is an own text as a whole.
 * - A **flat shape**: a line `field: value` for each field, by its name or title; left blank, an optional field is left
 *   out. Numbers in digits with a point, `yes`/`no`/`true`/`false`, values listed, `null`. A text is taken as it stands;
 *   where it looks like a value of another type that may be given, or in quotes, it is JSON: `"null"`.
 * - Any **other shape**, and a field that holds a list or an object: JSON. The whole of a flat shape may be JSON too.
 * - **Free text**: the reply, exactly.
 * - A **stranger's ask**: one of its options if it has some, else JSON.
 *
 * A question is not refused by a text: any text may be an answer. What is read fits the choices, types, listed values and
 * limits of what was asked; the rest (patterns, formats, what is inside of lists and objects) is judged when it is
 * settled: T0002, and the ask still waits.
 */
export function readAnswer(ask: Ask, text: string): ReadAnswer {
  if (text.trim() === '') return unclear('Nothing was written.')
  if (ask.kind === 'approval') return readDecision(text)
  const asked = askedOf(ask)
  if (asked.isFree) return { data: text }
  if (text.length > maxText) return unclear(`The answer is longer than ${maxText} characters.`)
  if (asked.choices) return readChosen(asked.choices, asked.shape, text)
  const read = readShape(flatShapeOf(asked.shape ?? true), text)
  return 'problem' in read ? unclear(read.problem) : { data: read.value }
}

function readDecision(text: string): ReadAnswer {
  const word = text.length > maxText ? '' : keyOf(text)
  if (yes.includes(word)) return { approve: true }
  if (no.includes(word)) return { approve: false }
  return unclear(`${quote(text)} is neither yes nor no. Answer with one of the two alone.`)
}

function readChosen(choices: Choices, shape: JsonSchema | undefined, text: string): ReadAnswer {
  const [data, ...more] = readingsOf(choices, text)
  if (data === undefined) return unclear(`${quote(text)} is none of the choices. ${howToChoose(choices)}`)
  if (more.length > 0) return unclear(`${quote(text)} can be read in more than one way. ${howToChoose(choices)}`)
  const misfit = shape === undefined ? undefined : misfitOf(flatShapeOf(shape).schema, data)
  return misfit === undefined ? { data } : unclear(`The answer ${misfit}.`)
}

function unclear(why: string): ReadAnswer {
  // It is posted by whoever may post to all, and quotes somebody who may not.
  return { unclear: true, why: withoutMentions(visible(why, 'line')) }
}
