/**
 * What a load asks of one Postgres, from what one cycle was measured to cost (`load.ts`, `parked.ts`):
 * `node bench/dispatch/capacity.ts`. Prints Markdown.
 */
import { short } from '../figures.ts'

/** Of one run that asks once, started and answered by other processes than work on it: measured without real messages. */
const cycle = { commits: 6, walKb: 10, doneKb: 3.5, parkedKb: 2.1 }
/** What the messages of a run have, kept once in the log and once in the WAL. */
const messageKb = 20
/** An hour at noon has this much more than the mean of the day. */
const peak = 5
const keptDays = 30

const columns = [
  'runs a day',
  'at peak, cycles/s',
  'commits/s',
  'WAL, GB a day',
  `runs of ${keptDays} days, GB`,
  'open asks, GB',
]
console.log(`| ${columns.join(' | ')} |`)
console.log(`|${' --- |'.repeat(columns.length)}`)
for (const runs of [10_000, 100_000, 1_000_000, 10_000_000]) {
  const cyclesPerSecond = (runs / 86_400) * peak
  const gb = (kb: number) => short(kb / 1e6)
  const row = [
    runs.toLocaleString('en-US'),
    short(cyclesPerSecond),
    short(cyclesPerSecond * cycle.commits),
    gb(runs * (cycle.walKb + messageKb)),
    gb(runs * keptDays * (cycle.doneKb + messageKb)),
    // Each waits for a day, as people do.
    gb(runs * (cycle.parkedKb + messageKb)),
  ]
  console.log(`| ${row.join(' | ')} |`)
}
