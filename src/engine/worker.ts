import { nextTurn } from '../core/ambient.ts'
import { QuerentError } from '../core/error.ts'
import type { RunEvent } from '../core/event.ts'
import type { Driver } from '../core/session.ts'
import type { Claim } from '../store/store.ts'
import { absorb, isMessage } from './absorb.ts'
import { messageOf } from './call-model.ts'
import { DriverSession } from './driver-session.ts'
import { failRun } from './end-run.ts'
import type { EngineParts } from './parts.ts'
import { runTurns } from './run-turns.ts'
import { RunSession } from './session.ts'
import { traceSegment } from './trace-segment.ts'

/**
 * Claims in a row without a write, after which a run is taken for one that kills its workers. Where none of its tools ran
 * it is rather one that stood beside such a run, or in a process that was restarted again and again: it has more patience.
 */
const maxAttempts = { inTools: 5, elsewhere: 25 }

/** Works on one claim until it is parked, over or lost. Never rejects: what fails is logged, and the claim lapses. */
export async function work(parts: EngineParts, claim: Claim, begin: (session: RunSession) => void): Promise<void> {
  const { registry, logger, telemetry } = parts
  try {
    const agent = registry.find(claim.row.agent)
    if (!agent) throw new QuerentError('T1005', `There is no agent "${claim.row.agent}" here.`)
    const log = claim.log ?? (await readLog(parts, claim))
    // A stop came between the claim and this, and closed the log: the claim is gone, and nothing may begin.
    if ((log.at(-1)?.seq ?? 0) > claim.row.lastSeq) return
    const { trigger, starter, parent } = claim.row
    const equipment = registry.equip(agent, {
      run: claim.run,
      agent: agent.name,
      trigger,
      starter,
      depth: parent?.depth ?? 0,
    })
    const session = new RunSession(parts, claim, equipment, log)
    const go = () => {
      begin(session)
      return workOn(session, claim, log)
    }
    await (telemetry ? traceSegment(telemetry, session, { claim, log, work: go }) : go())
  } catch (error) {
    // The claim is left to lapse: given back at once, a run that always fails here would be tried without a pause.
    const code = error instanceof QuerentError ? error.code : undefined
    logger.error('work on a run failed', { run: claim.run, agent: claim.row.agent, code, error: messageOf(error) })
  }
}

/** Not in one stroke with the write before it: with a large answer each takes as long as anybody should wait. */
async function readLog({ store }: EngineParts, { run }: Claim): Promise<RunEvent[]> {
  await nextTurn()
  return store.readEvents(run, 0)
}

async function workOn(session: RunSession, { row }: Claim, log: RunEvent[]): Promise<void> {
  if (row.attempts <= (hasRunningTool(session) ? maxAttempts.inTools : maxAttempts.elsewhere))
    return drive(session, log)
  await failRun(
    session,
    'T2005',
    `The run was claimed ${row.attempts} times in a row and no worker wrote a line: it kills its workers.`,
  )
}

/** Whether a tool of the run had started and not returned when its last worker was gone. */
function hasRunningTool({ state }: RunSession): boolean {
  return [...state.calls.values()].some((call) => call.started && !call.result && call.child === undefined)
}

async function drive(session: RunSession, log: RunEvent[]): Promise<void> {
  const { driver } = session.equipment.agent
  try {
    // A model or a guard that heeds no signal may never come back. When the claim is gone, the worker is free all the same.
    await Promise.race([driver ? driveWith(driver, session, log) : runTurns(session), session.whenOver])
    if (!session.over) await session.giveBack()
  } finally {
    session.end()
  }
}

async function driveWith(driver: Driver, session: RunSession, log: RunEvent[]): Promise<void> {
  // A round that is under way is driven to a good place before a message of the person opens the next.
  if (!isUnderWay(session)) await absorb(session)
  for (let read = log; ; read = await session.parts.store.readEvents(session.held.run, 0)) {
    const own = new DriverSession(session, read)
    const returned = await Promise.race([driver.drive(own).then(() => true), own.abandoned.then(() => false)])
    if (!returned || session.over || session.signal.aborted) return
    if (!session.mail.some(isMessage)) break
    await absorb(session)
    if (!(await session.flush())) return
  }
  const isOpen = [...session.state.asks.values()].some((ask) => !ask.end)
  if (isOpen || session.mail.length > 0) return session.park()
  await failRun(
    session,
    'T2005',
    `The driver "${driver.name}" returned while nothing was open, and did not finish the run.`,
  )
}

function isUnderWay({ state }: RunSession): boolean {
  return state.status === 'open' && state.driven
}
