import type { OpenedAsk } from '../core/ask.ts'
import type { NewEvent } from '../core/event.ts'

/*
 * How the data of events and asks stands in the database: without what its row or its run says already, and with the
 * messages of a model unescaped behind the rest. What was taken out leaves a 0 in its place, so that the keys of a log
 * come back in their order.
 */

type Data = Record<string, unknown>

/** Effects begin with the id of their run: what follows it is enough. The engine makes them, and none begins with a dot. */
function short(run: string, effect: unknown): unknown {
  return typeof effect === 'string' && effect.startsWith(`${run}.`) ? effect.slice(run.length) : effect
}

function long(run: string, effect: unknown): unknown {
  return typeof effect === 'string' && effect.startsWith('.') ? run + effect : effect
}

function withEffects(run: string, data: Data): Data {
  const written = 'effect' in data ? { ...data, effect: short(run, data.effect) } : data
  if (!Array.isArray(data.calls)) return written
  const calls = data.calls.map((call: Data) => ({ ...call, effect: short(run, call.effect) }))
  return { ...written, calls }
}

/** Parsed this moment, it is nobody else's: no copy is made of what a long log has a thousand times. */
function parsed(run: string, text: string): Data {
  const data = JSON.parse(text) as Data
  if ('effect' in data) data.effect = long(run, data.effect)
  if (Array.isArray(data.calls)) for (const call of data.calls as Data[]) call.effect = long(run, call.effect)
  return data
}

/** The data of an event as text: JSON, and behind it the messages of a reply, each on a line as it came. */
export function packEvent(run: string, event: NewEvent): string {
  const data = withEffects(run, event.data as unknown as Data)
  const lines = event.type === 'model.replied' ? event.data.messages : []
  // A model of one's own may write JSON over several lines.
  if (lines.length === 0 || lines.some((line) => line.includes('\n'))) return JSON.stringify(data)
  return [JSON.stringify({ ...data, messages: 0 }), ...lines].join('\n')
}

export function unpackEvent(run: string, text: string): unknown {
  const [json = 'null', ...messages] = text.split('\n')
  const data = parsed(run, json)
  if (messages.length > 0) data.messages = messages
  return data
}

/**
 * What was asked, without the id and the step of its row: a child's step is another in the eyes of its root. And without
 * the rule most have, and options that are the values of the schema and nothing else.
 */
export function packAsk(run: string, ask: OpenedAsk, rowStep: string): string {
  const packed: Data = { ...ask, id: 0, step: ask.step === rowStep ? 0 : ask.step }
  if (JSON.stringify(ask.options) === JSON.stringify(optionsOf(ask))) packed.options = 0
  if (JSON.stringify(ask.rule) === JSON.stringify(usualRule)) packed.rule = 0
  return JSON.stringify(withEffects(run, packed))
}

/** What a 0 in its place stands for: rows have it, so it stays as it is. */
const usualRule: OpenedAsk['rule'] = { onExpire: 'refuse', guarded: false }

function optionsOf({ answerSchema }: Pick<OpenedAsk, 'answerSchema'>): { label: unknown }[] | null {
  const values: unknown = typeof answerSchema === 'object' ? answerSchema.enum : undefined
  return Array.isArray(values) ? values.map((label: unknown) => ({ label })) : null
}

export function unpackAsk(run: string, { id, step, opened }: { id: string; step: string; opened: string }): OpenedAsk {
  const ask = parsed(run, opened)
  if (ask.options === 0) ask.options = optionsOf(ask)
  if (ask.rule === 0) ask.rule = { ...usualRule }
  ask.id = id
  ask.step = ask.step || step
  return ask as unknown as OpenedAsk
}
