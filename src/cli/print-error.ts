import type { Ask } from '../core/ask.ts'
import { type Code, QuerentError } from '../core/error.ts'
import { visible } from '../core/visible.ts'
import { answerCommand, type Called } from './print-ask.ts'

/** What to do next, where the message alone does not say. */
const advice: Partial<Record<Code, string>> = {
  T0001: '`querent runs` lists the runs of this database; --as says who you are.',
  T0002: 'Nothing was changed: answer again.',
  T0005: '`querent asks` lists what still waits.',
  T0007: 'QUERENT_TOKEN says who you are: the token of that server.',
  T0009: 'Name the config that has the agent: --config FILE.',
  T0010: 'Leave out --data: --approve runs it as it stands.',
  T0012: 'Nothing was changed: say it in another way.',
  T3002: 'Update querent, and try again.',
  T3004: '--url is where a Querent server runs, such as http://127.0.0.1:4000.',
}

/** An error for a person: the code, what was seen, each place, what to do. */
export function errorText(error: unknown, called: Called): string {
  if (!(error instanceof QuerentError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return visible(text)
  }
  const lines = [`${error.code}  ${visible(messageOf(error))}`]
  for (const { path, message } of error.data.issues ?? [])
    lines.push(`       ${visible(`${path} ${message}`.trim(), 'line')}`)
  for (const ask of asksOf(error.data.asks)) lines.push(`       ${answerCommand(ask, asksOf(error.data.asks), called)}`)
  for (const ask of listOf(error.data.open)) lines.push(`       ${answerCommand(ask, listOf(error.data.open), called)}`)
  const next = advice[error.code]
  if (next) lines.push(`       ${next}`)
  return lines.join('\n')
}

/** The same for a machine. */
export function errorValue(error: unknown): object {
  if (!(error instanceof QuerentError)) return { message: error instanceof Error ? error.message : String(error) }
  const { code, message, status, retry, data } = error
  return { code, message, status, retry, ...data }
}

/** The issues follow line by line: the message need not have them too. */
function messageOf(error: QuerentError): string {
  return error.is('T0002') ? 'The answer does not fit, and the ask still waits:' : error.message
}

/** Of T0004: only those that can still be answered. */
function asksOf(data: unknown): Ask[] {
  return listOf(data).flatMap((entry) => {
    const { state, ask } = entry as unknown as { state: string; ask: Ask }
    return state === 'open' ? [ask] : []
  })
}

function listOf(data: unknown): Ask[] {
  return Array.isArray(data) ? (data as Ask[]) : []
}
