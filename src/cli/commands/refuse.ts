import { type CommonOptions, helperOf, withCommand } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { type AddressOptions, addressOf, goOn } from '../settling.ts'

/** `querent refuse`: refuses an ask; the run goes on without it. */
export function refuse(
  io: Io,
  run: string,
  options: CommonOptions & AddressOptions & { reason?: string; work: boolean },
): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    const { helper, view } = await helperOf(command, run)
    const settled = await helper.refuse(addressOf(view, options), { reason: options.reason })
    return goOn(command, { helper, view, settled, said: 'refused', work: options.work })
  })
}
