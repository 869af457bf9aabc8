import type { Ask, AskOption } from '../core/ask.ts'
import { isObject, type JsonSchema } from '../core/json.ts'

/** What a question asks, read from its stored input. Both question tools and `ctx.ask` store it this way. */
export interface Asked {
  question: string
  options: AskOption[]
  multi: boolean
  other: boolean
  shape?: JsonSchema
}

/** Reads a question. Of another kind of ask (an approval, a stranger's) nothing is known but its input. */
export function askedOf(ask: Ask): Asked | undefined {
  const { input } = ask
  if (ask.kind !== 'question' || !isObject(input) || typeof input.question !== 'string') return undefined
  const asked: Asked = {
    question: input.question,
    options: ask.options ?? [],
    multi: input.multi === true,
    other: input.other === true,
  }
  if (isObject(input.shape) || typeof input.shape === 'boolean') asked.shape = input.shape
  return asked
}
