import { type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { logLines } from '../print-log.ts'

/** `querent show`: the operator's log of a run, line by line, steps by name. */
export function show(io: Io, run: string, options: CommonOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const log = await command.engine.runs.log(run)
    if (command.json) printJson(command, log)
    else command.output.lines(logLines(log).join('\n'))
    return exit.fine
  })
}
