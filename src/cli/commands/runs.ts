import type { RunStatus } from '../../core/event.ts'
import type { RunSummary } from '../../core/view.ts'
import { visible } from '../../core/visible.ts'
import { printJson, withDesk } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import type { ListOptions } from './asks.ts'

/** `querent runs`: every run of the database, newest first; over a server those of whoever asks. */
export function runs(io: Io, options: ListOptions & { status?: RunStatus }): Promise<ExitCode> {
  return withDesk(io, options, async (desk) => {
    const { status, limit, after } = options
    const page = await (desk.local?.engine ?? desk.person).runs.list({ status, limit, after })
    if (desk.json) {
      printJson(desk, page)
      return exit.fine
    }
    if (page.items.length === 0) desk.output.lines('There are no runs.')
    for (const run of page.items) desk.output.lines(lineOf(run))
    if (page.cursor) desk.output.lines(`There is more: --after ${page.cursor}`)
    return exit.fine
  })
}

function lineOf({ run, status, agent, startedAt, title, asks, error }: RunSummary): string {
  const steps = asks.map((ask) => ask.step).join(', ')
  const about = steps ? `waits at ${steps}` : error ? `${error.code}` : ''
  const when = startedAt.slice(0, 16).replace('T', ' ')
  return [run, status.padEnd(7), when, agent, visible(title, 'line').slice(0, 60), about].filter(Boolean).join('  ')
}
