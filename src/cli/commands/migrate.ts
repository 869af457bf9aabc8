import { type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'

export interface MigrateOptions extends CommonOptions {
  check?: boolean
}

/** `querent migrate`: brings the database to this code's schema. With `--check` it only says how far it is: 1 where behind. */
export function migrate(io: Io, options: MigrateOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { store, output } = command
    const from = await store.schemaVersion()
    const isBehind = from.applied < from.newest
    if (isBehind && !options.check) await store.migrate()
    const { applied, newest } = await store.schemaVersion()
    if (command.json) printJson(command, { from: from.applied, to: applied, newest })
    else output.lines(sentence(from.applied, applied, newest))
    return options.check && isBehind ? exit.error : exit.fine
  })
}

function sentence(from: number, to: number, newest: number): string {
  if (from < to) return `The schema was ${from || 'not there'}, and is ${to} now.`
  if (to < newest) return `The schema is ${to || 'not there'}; this code brings it to ${newest}: querent migrate.`
  // A later step that this code survives: newer code is being rolled out.
  if (to > newest) return `The schema is ${to}. This code knows ${newest}, and can use it.`
  return `The schema is ${to}: up to date.`
}
