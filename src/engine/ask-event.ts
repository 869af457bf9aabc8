import type { AskEvent, AskEventEnd } from '../core/notifier.ts'
import { isoOf } from '../core/view.ts'
import type { AskRow, OutboxEntry } from '../store/store.ts'
import { askOfRow } from './views.ts'

/** What a notifier is told of an entry. The id is made of the ask's: each ask opens once and ends once. */
export function askEventOf({ type, at, ask }: OutboxEntry): AskEvent {
  const { starter, end } = ask
  const common = {
    at: isoOf(at),
    ask: askOfRow(ask),
    ...(starter.type === 'person' ? { person: { id: starter.id } } : {}),
  }
  if (type === 'ask.opened' || !end) return { id: `${ask.id}_opened`, type: 'ask.opened', ...common }
  return { id: `${ask.id}_settled`, type, ...common, end: endOf(end) }
}

function endOf({ outcome, by, at, data, reason, because }: NonNullable<AskRow['end']>): AskEventEnd {
  const end: AskEventEnd = { outcome, by, at: isoOf(at) }
  if (data !== undefined) end.data = data
  if (reason !== undefined) end.reason = reason
  if (because !== undefined) end.because = because
  return end
}
