import { type Ask, isObject, type Json, visible } from '../../protocol/core.ts'
import { firstLine } from '../text/first-line.ts'

/** What an ask is about in a line: a question's first, or the tool that waits for leave, with its input beside it. */
export function headlineOf({ kind, tool, input }: Ask): { text: string; input?: string } {
  if (kind !== 'approval' && isObject(input) && typeof input.question === 'string') {
    return { text: firstLine(input.question) }
  }
  const verb = kind === 'approval' ? 'Approve' : 'Answer'
  return { text: `${verb} ${visible(tool, 'line')}`, input: summaryOf(input) }
}

/** The beginning of an input. A list is one line wide: the form shows the whole, exactly. */
function summaryOf(input: Json): string {
  const parts = isObject(input)
    ? Object.entries(input).map(([name, value]) => `${name}: ${textOf(value)}`)
    : [textOf(input)]
  return visible(parts.join(' · ').slice(0, 200), 'line')
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
