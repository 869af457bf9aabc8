import type { Ask } from '../core/ask.ts'
import type { RunView } from '../core/view.ts'
import { UsageError } from './usage-error.ts'

/** Asks that wait past their deadline, because no process has noticed yet. */
export function expiredOf({ status, messages, asks }: RunView): Ask[] {
  if (status !== 'waiting') return []
  const open = new Set(asks.map(({ id }) => id))
  return messages.flatMap((line) => (line.role === 'ask' && !line.end && !open.has(line.ask.id) ? [line.ask] : []))
}

export function expiryText({ step, until }: Ask): string {
  return `${step}  expired at ${until}`
}

export function nothingWaits(view: RunView): UsageError {
  const expired = expiredOf(view)
  if (expired.length === 0) return new UsageError(`Nothing waits in this run: it is ${view.status}.`)
  const which = expired.map(expiryText).join(', ')
  return new UsageError(`Nothing waits in this run: ${which}. It goes on with: querent answer ${view.run}`)
}
