import { type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { answerCommand, askText } from '../print-ask.ts'

export interface ListOptions extends CommonOptions {
  limit?: number
  after?: string
}

/** `querent asks`: everything that waits for this person, nearest deadline first. */
export function asks(io: Io, options: ListOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { engine, person, output, called } = command
    const page = await engine.asks.list({ person }, { limit: options.limit, after: options.after })
    if (command.json) {
      printJson(command, page)
      return exit.fine
    }
    if (page.items.length === 0) output.lines(`Nothing waits for ${person}.`)
    for (const ask of page.items) {
      output.lines(`${askText(ask, 6)}\n  since ${ask.since}\n  ${answerCommand(ask, page.items, called)}\n`)
    }
    if (page.cursor) output.lines(`There is more: --after ${page.cursor}`)
    return exit.fine
  })
}
