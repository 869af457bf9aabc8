import { canonical, isObject, type Json, type JsonSchema, type OpenedAsk } from 'querent/extension'

/** How often a person may refuse one tool before its calls are answered with an error, until their next message. */
export const maxRefusals = 3

/** Why a call is not asked again, if it is not. */
export function refusedBefore(tool: string, input: Json, refused: readonly { input: Json }[]): string | undefined {
  const wanted = canonical(input)
  if (refused.some((each) => canonical(each.input) === wanted)) {
    return 'Not run and not asked again: the person refused this very call. Do something else, or ask them what they want.'
  }
  if (refused.length < maxRefusals) return undefined
  return `Not run and not asked: the person refused "${tool}" ${refused.length} times. Do not call it again before they write.`
}

/** The whole check of an answer that may change the input: nothing else than an input that fits the tool. */
export function editedInputSchema(inputSchema: JsonSchema): JsonSchema {
  const input = withReferencesBelow(inputSchema, '#/properties/input')
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false }
}

/** A schema that moves deeper takes its local references along. */
function withReferencesBelow(schema: Json, prefix: string): Json {
  if (Array.isArray(schema)) return schema.map((each) => withReferencesBelow(each, prefix))
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [key, `${prefix}${value.slice(1)}`]
        : [key, withReferencesBelow(value, prefix)],
    ),
  )
}

/** All that the person would read. */
export function describe(ask: Pick<OpenedAsk, 'tool' | 'input'>): string {
  return `${ask.tool}\n${JSON.stringify(ask.input, null, 2)}`
}
