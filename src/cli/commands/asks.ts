import { type CommonOptions, printJson, withDesk } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { answerCommand, askText } from '../print-ask.ts'

export interface ListOptions extends CommonOptions {
  limit?: number
  after?: string
}

/** `querent asks`: everything that waits for this person, nearest deadline first. */
export function asks(io: Io, options: ListOptions): Promise<ExitCode> {
  return withDesk(io, options, async (desk) => {
    const { person, name, output, called } = desk
    const page = await person.askPage({ limit: options.limit, after: options.after })
    if (desk.json) {
      printJson(desk, page)
      return exit.fine
    }
    if (page.items.length === 0) output.lines(`Nothing waits for ${name}.`)
    for (const ask of page.items) {
      output.lines(`${askText(ask, 6)}\n  since ${ask.since}\n  ${answerCommand(ask, page.items, called)}\n`)
    }
    if (page.cursor) output.lines(`There is more: --after ${page.cursor}`)
    return exit.fine
  })
}
