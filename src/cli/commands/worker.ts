import { type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import { interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `querent worker`: works on the runs of the config's agents until it is interrupted, and listens on no port. Interrupted,
 * it takes nothing new, gives what runs ten seconds to come to a good place, and gives its claims back.
 */
export function worker(io: Io, options: CommonOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { engine, agents, output, json } = command
    const names = agents.map(({ name }) => name)
    if (names.length === 0) throw new UsageError('A worker needs agents: name a config with --config FILE.')
    const interrupted = interruption(io)
    await engine.start()
    if (json) printJson(command, { agents: names })
    else output.lines(`Querent works\n  agents: ${names.join(', ')}\n  Ctrl-C or SIGTERM ends it`)
    await interrupted
    await engine.stop()
    if (!json) output.lines('Its claims are given back.')
    return exit.fine
  })
}
