import { ClockIcon } from '../layout/icons.tsx'
import { exactly, relativeTo, shortly } from './instants.ts'
import { useNow } from './use-now.ts'

/** An instant in the reader's zone; the whole of it under a mouse. `ago`: as a span from now. */
export function Instant({ at, ago = false }: { at: string; ago?: boolean }) {
  const instantMs = Date.parse(at)
  const nowMs = useNow(instantMs)
  return (
    <time dateTime={at} title={exactly(instantMs)}>
      {ago ? relativeTo(instantMs, nowMs) : shortly(instantMs, nowMs)}
    </time>
  )
}

/** What is due sooner than this is said louder. */
const soonMs = 60 * 60_000

/** How long there is until a deadline, by the server's clock. `full`: with the instant itself beside it, where there is room. */
export function Deadline({ until, full = false }: { until: string; full?: boolean }) {
  const untilMs = Date.parse(until)
  const nowMs = useNow(untilMs)
  const isPast = nowMs > untilMs
  const urgency = isPast ? 'due-past' : untilMs - nowMs < soonMs ? 'due-soon' : ''
  return (
    <span className={`due ${urgency}`}>
      {full && <ClockIcon />}
      <time dateTime={until} title={exactly(untilMs)}>
        <span className="visually-hidden">{isPast ? 'expired' : 'due'} </span>
        {relativeTo(untilMs, nowMs)}
        {full && <span className="due-exact"> · {shortly(untilMs, nowMs)}</span>}
      </time>
    </span>
  )
}
