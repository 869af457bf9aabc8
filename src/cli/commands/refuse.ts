import { type CommonOptions, helperOf, withCommand } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { addressOf, type AddressOptions, goOn } from './answer.ts'

/** `querent refuse`: refuses an ask; the run goes on without it. */
export function refuse(
  io: Io,
  run: string,
  options: CommonOptions & AddressOptions & { reason?: string; work: boolean },
): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { helper, view } = await helperOf(command, run)
    const settled = await helper.refuse(addressOf(view, options), { reason: options.reason })
    if (!command.json) command.output.lines(`${settled.ask.step}  refused`)
    return goOn(command, { helper, view, settled, work: options.work })
  })
}
