import type { Ask, AskOption } from './ask.ts'
import { type Field, flatShapeOf, limitsOf, listedValues, singleTypesOf, typeNames } from './flat-shape.ts'
import { isObject, type Json, type JsonSchema } from './json.ts'
import { type Choices, isListable, isNumbered } from './read-choices.ts'
import { visible, withoutMentions } from './visible.ts'

/**
 * An ask as plain text, for a channel that has only text: what is asked, the choices with their numbers or the fields of
 * the shape, and how to answer so that `readAnswer` can read it. Nothing in it is hidden and nothing in it acts: see
 * `visible`; what would call people in a chat is shown as `‹@›everyone`. A channel that draws Markdown or HTML escapes it.
 */
export function questionText(ask: Ask): string {
  return withoutMentions(textOf(ask))
}

function textOf(ask: Ask): string {
  if (ask.kind === 'approval') {
    return `${visible(ask.tool, 'line')} wants to run with\n${asJson(ask.input)}\n\nAnswer yes or no.`
  }
  const { question, choices, shape, isFree } = askedOf(ask)
  if (isFree) return question
  if (choices) return [question, listOf(choices.options), howToChoose(choices)].join('\n\n')
  return [question, ...shapeText(shape ?? true)].join('\n\n')
}

/** What an ask that is no approval asks, as its public form tells it. `question` is safe to show. */
export function askedOf({ kind, input, options }: Ask): {
  question: string
  choices?: Choices
  shape?: JsonSchema
  /** Any text is an answer. Not so for a stranger's ask: it is answered with JSON. */
  isFree: boolean
} {
  const fields = isObject(input) ? input : {}
  const question = typeof fields.question === 'string' ? visible(fields.question) : asJson(input)
  const isQuestion = kind === 'question'
  const shape = isQuestion ? (fields.shape as JsonSchema | undefined) : undefined
  if (!options?.length) return { question, shape, isFree: isQuestion && shape === undefined }
  const choices = { options, multi: isQuestion && fields.multi === true, other: isQuestion && fields.other === true }
  return { question, choices, shape, isFree: false }
}

function asJson(value: Json): string {
  return visible(JSON.stringify(value, null, 2))
}

function listOf(options: AskOption[]): string {
  const numbered = isNumbered(options)
  const lines = options.map(({ label, description }, index) => {
    const about = description ? ` – ${visible(description, 'line')}` : ''
    return `${numbered ? `${index + 1}.` : '-'} ${visible(label, 'line')}${about}`
  })
  return lines.join('\n')
}

/** How to give one of the choices, or several. */
export function howToChoose({ options, multi, other }: Choices): string {
  const own = other ? ' A text of your own begins with "other:".' : ''
  const numbered = isNumbered(options)
  if (!multi) return `Answer with one ${numbered ? 'number or label' : 'of the labels'}.${own}`
  if (isListable(options))
    return `Answer with one or more ${numbered ? 'numbers or labels' : 'labels'}, parted by commas.${own}`
  const numbers = numbered ? 'numbers, parted by commas, or ' : ''
  return `Answer with one or more ${numbers}labels, each in a line of its own.${own}`
}

function shapeText(shape: JsonSchema): string[] {
  const { fields, schema } = flatShapeOf(shape)
  const about = typeof schema.description === 'string' ? [visible(schema.description)] : []
  if (!fields) return [...about, `Answer with ${valueText(schema, shape)}.`]
  const lines = fields.map((field) => `- ${fieldText(field)}`).join('\n')
  const example = fields.find(({ required }) => required) ?? fields[0]
  return [...about, lines, `Answer with a line for each, such as "${visible(example?.name ?? '', 'line')}: …".`]
}

function fieldText({ name, title, description, required, schema }: Field): string {
  const called = title === undefined || title === name ? name : `${name} (${title})`
  const about = description === undefined ? '' : ` – ${description}`
  return visible(`${called}: ${valueText(schema)}${required ? '' : ', may be left out'}${about}`, 'line')
}

/** What a value must be. `whole` is shown where that takes more than a few words. */
function valueText(schema: { [keyword: string]: Json }, whole: JsonSchema = schema): string {
  const values = listedValues(schema)
  if (values) return visible(`one of ${values.map(({ label }) => label).join(', ')}`, 'line')
  const types = singleTypesOf(schema)
  if (!types) return whole === true ? 'JSON' : `JSON that fits ${visible(JSON.stringify(whole), 'line')}`
  const rest = ['format', 'pattern'].flatMap((name) =>
    typeof schema[name] === 'string' ? [visible(`${name} ${schema[name]}`, 'line')] : [],
  )
  return [types.map((type) => typeNames[type]).join(' or '), ...limitsOf(schema), ...rest].join(', ')
}
