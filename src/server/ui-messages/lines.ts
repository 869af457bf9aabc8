import type { Engine } from '../../engine/engine.ts'
import { linesOf as loggedLinesOf } from '../../engine/views.ts'
import type { PersonHandle, RunView, ViewEvent } from '../../protocol/core.ts'

/** An event of a run's view, live text aside. */
export type Line = Exclude<ViewEvent, { type: 'text.delta' | 'text.reset' }>

/** The line of the log at which a line stands. An ask of a run below stands at the call that it belongs to. */
export function seqOf(line: Line): number {
  return 'seq' in line ? line.seq : line.under
}

/** All that its person sees of a run up to now. @throws QuerentError T0001 where it is not theirs. */
export async function linesOf({ runs }: Pick<Engine, 'runs'>, handle: PersonHandle, run: string): Promise<Line[]> {
  const view = await handle.runs.get(run)
  return loggedLinesOf(await runs.log(run)).flatMap((line) => [line, ...askedBelow(view, line.seq)])
}

function askedBelow({ messages }: RunView, under: number): Line[] {
  return messages.flatMap((message): Line[] => {
    if (message.role !== 'ask' || message.seq !== under || !isBelow(message.ask.step)) return []
    const { ask, at, end } = message
    const opened: Line = { type: 'ask.opened', under, at, ask }
    return end ? [opened, { type: 'ask.settled', under, at: end.at, ask, end }] : [opened]
  })
}

/** Whether a step is one of a run below. */
export function isBelow(step: string): boolean {
  return step.includes('/')
}
