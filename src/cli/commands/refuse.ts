import { type CommonOptions, withDesk } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { type AddressOptions, addressOf, goOn } from '../settling.ts'

/** `querent refuse`: refuses an ask; the run goes on without it. */
export function refuse(
  io: Io,
  run: string,
  options: CommonOptions & AddressOptions & { reason?: string; work: boolean },
): Promise<ExitCode> {
  return withDesk(io, options, async (desk) => {
    const view = await desk.person.runs.get(run)
    const settled = await desk.person.runs.refuse(addressOf(view, options), { reason: options.reason })
    return goOn(desk, { view, settled, said: 'refused', work: options.work })
  })
}
