import type { Engine } from '../../engine/engine.ts'
import { linesOf as loggedLinesOf } from '../../engine/views.ts'
import type { PersonHandle, ViewEvent, ViewMessage } from '../../protocol/core.ts'

/** An event of a run's view, live text aside. */
export type Line = Exclude<ViewEvent, { type: 'text.delta' | 'text.reset' }>

/** The line of the log at which a line stands. An ask of a run below stands at the call that it belongs to. */
export function seqOf(line: Line): number {
  return 'seq' in line ? line.seq : line.under
}

/** All that its person sees of a run up to now. @throws QuerentError T0001 where it is not theirs. */
export async function linesOf({ runs }: Pick<Engine, 'runs'>, handle: PersonHandle, run: string): Promise<Line[]> {
  const { messages } = await handle.runs.get(run)
  const lines: Line[] = loggedLinesOf(await runs.log(run))
  for (const below of messages.flatMap(askBelow)) {
    const place = lines.findLastIndex((line) => seqOf(line) <= seqOf(below)) + 1
    lines.splice(place, 0, below)
  }
  return lines
}

function askBelow(message: ViewMessage): Line[] {
  if (message.role !== 'ask' || !isBelow(message.ask.step)) return []
  const { seq: under, ask, at, end } = message
  const opened: Line = { type: 'ask.opened', under, at, ask }
  return end ? [opened, { type: 'ask.settled', under, at: end.at, ask, end }] : [opened]
}

/** Whether a step is one of a run below. */
export function isBelow(step: string): boolean {
  return step.includes('/')
}
