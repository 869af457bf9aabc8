import type { RunEvent } from '../../core/event.ts'
import { Viewer } from '../../core/view.ts'
import { visible } from '../../core/visible.ts'
import { bodyOf } from '../print-ask.ts'

/** What happened in a run, one line for each step that a person saw. */
export function stepLines(log: readonly RunEvent[]): string[] {
  const viewer = new Viewer()
  return log.flatMap((event) => {
    const seen = viewer.see(event)
    if (seen?.type === 'ask.settled') {
      const said = seen.end.data === undefined ? seen.end.outcome : visible(JSON.stringify(seen.end.data), 'line')
      const asked = seen.ask.kind === 'approval' ? visible(seen.ask.tool, 'line') : bodyOf(seen.ask)
      return [`${seen.ask.step.padEnd(12)}  ${asked} ${said}`]
    }
    if (seen?.type === 'tool' && seen.state === 'returned') return [`${seen.step.padEnd(12)}  ${seen.tool} ran`]
    if (seen?.type === 'status') return [`${seen.status}`]
    return []
  })
}
