import type { Person } from '../core/agent-facts.ts'
import type { Ask } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { RunEvent, RunStatus, Starter } from '../core/event.ts'
import { isoOf, type LoggedViewEvent, type RunSummary, toAsk, Viewer } from '../core/view.ts'
import type { AskRow, RunRow, Store } from '../store/store.ts'

/** Who calls: a person, or backend code. */
export type Caller = { type: 'person'; person: Person } | { type: 'system' }

/** The starter that a caller's own runs have. */
export function starterOf(caller: Caller): Starter {
  return caller.type === 'person' ? { type: 'person', id: caller.person.id } : { type: 'system' }
}

/** Whether that is the same starter. */
export function isStarter(a: Starter, b: Starter): boolean {
  return a.type === b.type && (a.type === 'system' || a.id === (b as { id: string }).id)
}

/**
 * The row of a run that this caller may know of: a person their own, the operator every one.
 * @throws QuerentError T0001, the same whether the run is not there or not theirs.
 */
export async function knownRun(store: Store, caller: Caller, run: unknown): Promise<RunRow> {
  const row = typeof run === 'string' ? await store.getRun(run) : undefined
  // A delegated run is its root's inner business: people meet its asks on the root.
  const known = row && (caller.type === 'system' || (!row.parent && isStarter(row.starter, starterOf(caller))))
  if (known) return row
  throw noSuchRun(run)
}

/** The one error for a run that is not there and for one that is not theirs. */
export function noSuchRun(run: unknown): QuerentError {
  return new QuerentError(
    'T0001',
    `There is no run ${JSON.stringify(run)} for this caller. Check the id, and who is signed in.`,
  )
}

/** An ask's row as people see it. */
export function askOfRow(row: AskRow): Ask {
  return toAsk({ ...row, sinceMs: row.since, ...(row.until === undefined ? {} : { untilMs: row.until }) })
}

/** A run that waits while runs below it work is at work. */
export function statusOf(row: RunRow): RunStatus {
  return row.childrenWork ? 'working' : row.status
}

/** A run's row as people see it, with its open asks. */
export function summaryOf(row: RunRow, asks: AskRow[]): RunSummary {
  const summary: RunSummary = {
    run: row.id,
    agent: row.agent,
    status: statusOf(row),
    trigger: row.trigger,
    repeat: row.repeat,
    title: row.title,
    asks: asks.map(askOfRow),
    usage: row.usage,
    startedAt: isoOf(row.createdAt),
  }
  if (row.output !== undefined && row.status === 'done') summary.output = row.output
  if (row.error && row.status === 'failed') summary.error = row.error
  if (row.endedAt !== undefined) summary.endedAt = isoOf(row.endedAt)
  return summary
}

/** What a person sees of a log, line by line. */
export function linesOf(events: readonly RunEvent[]): LoggedViewEvent[] {
  const viewer = new Viewer()
  return events.flatMap((event) => viewer.see(event) ?? [])
}

/** Runs with their open asks, from rows alone. */
export function summariesOf(store: Store, rows: RunRow[]): Promise<RunSummary[]> {
  return Promise.all(
    rows.map(async (row) => {
      const asks =
        row.status === 'waiting' || row.status === 'working' ? (await store.listAsks({ run: row.id })).items : []
      return summaryOf(row, asks)
    }),
  )
}
