import type { Ask, AskAt } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { Settling } from '../core/helper.ts'
import type { RunView } from '../core/view.ts'
import { visible } from '../core/visible.ts'
import { type Desk, helperOf, printJson } from './command.ts'
import { type ExitCode, exit } from './exit-codes.ts'
import { nothingWaits } from './expired.ts'
import { workOnRun } from './work-on-run.ts'

/** Which ask of the run. Left out: the only one that is open. */
export interface AddressOptions {
  step?: string
  repeat?: number
  n?: number
}

/** Whether an ask is one of those that are meant. */
export function isAt(ask: Ask, { step, repeat, n }: AddressOptions): boolean {
  return (
    (step === undefined || ask.step === step) &&
    (repeat === undefined || ask.repeat === repeat) &&
    (n === undefined || ask.n === n)
  )
}

/** Which ask is meant. @throws UsageError, QuerentError T0004 where the options leave it open. */
export function addressOf(view: RunView, { step, repeat, n }: AddressOptions): AskAt | Ask {
  if (step !== undefined) return { run: view.run, step, repeat, n }
  const [only, ...more] = view.asks.filter((ask) => isAt(ask, { repeat, n }))
  if (!only) throw nothingWaits(view)
  if (more.length === 0) return only
  throw new QuerentError('T0004', `${view.asks.length} asks are open in this run. Say which with --step.`, {
    data: { asks: view.asks.map((ask) => ({ state: 'open', ask })) },
  })
}

/** What follows a settled ask: the run goes on here, or in a process that has its agent. */
export async function goOn(
  desk: Desk,
  options: { view: RunView; settled: Settling; said: string; work: boolean },
): Promise<ExitCode> {
  const { view, settled, said, work } = options
  const { local } = desk
  if (!desk.json) desk.output.lines(`${settled.ask.step}  ${visible(said, 'line')}`)
  if (work && local?.has(view.agent)) {
    const helper = helperOf(local, view.agent)
    // Shown before is what was there before the answer; open is what is open after it.
    const { asks } = await helper.run(view.run)
    return workOnRun(local, { helper, run: view.run, seen: { ...view, asks } })
  }
  if (desk.json) printJson(desk, settled)
  else desk.output.lines(`It is stored. A process that has the agent "${view.agent}" goes on with the run.`)
  return exit.fine
}
