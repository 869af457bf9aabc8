import { visible } from '../../core/visible.ts'
import { type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { askText } from '../print-ask.ts'

/** `querent doctor`: open asks that the code as it is now could not resume, with why. For a check before a deploy. */
export function doctor(io: Io, options: CommonOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { engine, output } = command
    const findings = await engine.doctor()
    if (command.json) printJson(command, findings)
    else if (findings.length === 0) output.lines('Every open ask can be resumed by the agents of this config.')
    else
      for (const { ask, problem } of findings) output.lines(`${askText(ask, 6)}\n  ${ask.run}\n  ${visible(problem)}\n`)
    return findings.length === 0 ? exit.fine : exit.error
  })
}
