import type { RunEvent } from '../core/event.ts'
import type { SegmentEnd, Telemetry } from '../core/telemetry.ts'
import type { Claim, Store } from '../store/store.ts'
import type { RunSession } from './session.ts'

/** Has the work of a claim traced: where it comes from, what it does, how it ended. */
export async function traceSegment(
  telemetry: Telemetry,
  session: RunSession,
  { claim, log, work }: { claim: Claim; log: RunEvent[]; work: () => Promise<void> },
): Promise<void> {
  const { facts, root, state, parts } = session
  const { run, agent, trigger } = facts
  const sinceAnswerMs = await sinceAnswer(parts.store, claim, log)
  const origin = {
    ...(state.trace === undefined ? {} : { after: state.trace }),
    ...(sinceAnswerMs === undefined ? {} : { sinceAnswerMs }),
  }
  await telemetry.segment({ run, root, agent, trigger, ...origin }, async (segment) => {
    session.segment = segment
    await work()
    return endOf(session)
  })
}

/** How long the answer that readied the run has lain there. The store's clock alone says: ours may be another. */
async function sinceAnswer(store: Store, { mail, row }: Claim, log: RunEvent[]): Promise<number | undefined> {
  const first = mail[0]
  const last = log.at(-1)
  // Where the answer claimed the run in its own transaction, it is in the log already.
  const logged = mail.length === 0 && last?.type === 'ask.settled' ? last.data : undefined
  const settlement = first?.kind === 'settled' ? first.settlement : logged
  if (settlement?.by.type !== 'person' && settlement?.by.type !== 'system') return undefined
  // The run goes on all the same.
  const ask = await store.getAsk(settlement.ask).catch(() => undefined)
  return ask?.end && row.updatedAt - ask.end.at
}

async function endOf({ outcome = 'lost', failure, parts, held }: RunSession): Promise<SegmentEnd> {
  if (outcome === 'failed' && failure) return { outcome, code: failure }
  if (outcome !== 'lost') return { outcome }
  // A stop takes the claim as well, and is nobody's trouble.
  const row = await parts.store.getRun(held.run).catch(() => undefined)
  return { outcome: row?.status === 'stopped' ? 'stopped' : 'lost' }
}
