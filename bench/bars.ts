import { short } from './figures.ts'
import { bestPeer, figureOf, medianOf, ratiosOf } from './ratios.ts'
import type { Report } from './tables.ts'

/** A bar of the project, and what was measured. */
export interface Bar {
  bar: string
  measured: string
  reached: boolean
}

/** The bars whose figures are there. */
export function barsOf({ results, extras }: Report): Bar[] {
  const named = (name: string) => results.find(({ row, rounds }) => row.name === name && rounds.length > 0)
  const extra = (name: string, figure: string) => {
    const found = extras.find((each) => each.extra.name === name)?.figures
    return typeof found === 'object' ? (found[figure] ?? Number.NaN) : Number.NaN
  }
  const ratio = (name: string, which: keyof ReturnType<typeof ratiosOf>) => {
    const result = named(name)
    return result ? ratiosOf(result, results)[which] : Number.NaN
  }
  const ours = named('querent')
  const once = (phase: string, figure: string) => figureOf(ours, phase, figure)
  return [
    atMost('one at a time, SQLite FULL: × the limit', 2.5, ratio('querent', 'aloneByLimit')),
    atMost('one at a time, SQLite FULL: × the fastest durable peer', 1, ratio('querent', 'aloneByPeer')),
    atLeast('16 at once, SQLite FULL: of the limit with group commit', 0.14, ratio('querent', 'togetherByLimit')),
    atLeast('16 at once, SQLite FULL: × the best durable peer', 2.5, ratio('querent', 'togetherByPeer')),
    atMost('one at a time, SQLite relaxed: × the limit', 5, ratio('querent-relaxed', 'aloneByLimit')),
    atMost('fsyncs per cycle, one at a time', 4.2, once('fsyncs', 'perCycle')),
    atMost('two answers at once: model calls', 1, once('rivals', 'callsPerQuestion')),
    atMost(
      'two answers at once, Postgres: model calls',
      1,
      figureOf(named('querent-postgres'), 'rivals', 'callsPerQuestion'),
    ),
    atMost('one at a time, Postgres: × the limit', 2.5, ratio('querent-postgres', 'aloneByLimit')),
    atMost('answer from another process → model call 2, p50 ms', 100, extra('elsewhere', 'p50Ms')),
    atMost('Postgres: answer from another process → model call 2, p50 ms', 15, extra('elsewhere-postgres', 'p50Ms')),
    atMost('200 asks: last cycle ÷ first', 3, once('history', 'lastByFirst')),
    atMost('200 asks: bytes per ask', 2000, once('history', 'bytesPerAsk')),
    atMost('bytes per parked run', 1500, once('bytes', 'perParked')),
    atMost('bytes per finished cycle', 2500, once('bytes', 'perDone')),
    atMost('10,000 parked, collected: bytes of heap per run', 200, extra('heap', 'bytesPerRun')),
    atMost('install: packages', 24, extra('install', 'packages')),
    atMost('install: MB', 20, extra('install', 'megabytes')),
    atMost('cold import of querent and querent/sqlite, ms', 150, extra('install', 'importMs')),
    atMost('shape of 10 properties, check, p50 ms', 0.5, extra('shapes', 'p50Ms')),
    atMost('hostile shapes: longest event-loop gap, ms', 50, extra('shapes', 'longestGapMs')),
    atMost("1,000,000 parked: list of one person's asks, p50 ms", 1, extra('million', 'listMs')),
    atMost('1,000,000 parked: ready for the first answer, ms', 200, extra('million', 'readyMs')),
    atMost("1,000,000 parked in Postgres: list of one person's asks, p50 ms", 3, extra('million-postgres', 'listMs')),
    atMost('1,000,000 parked in Postgres: ready for the first answer, ms', 200, extra('million-postgres', 'readyMs')),
    ...betterThanAllButOne(named('querent-ai-sdk'), results),
  ].filter(({ measured }) => measured !== '–')
}

function atMost(bar: string, most: number, value: number): Bar {
  return { bar: `${bar} ≤ ${short(most)}`, measured: short(value), reached: value <= most }
}

function atLeast(bar: string, least: number, value: number): Bar {
  return { bar: `${bar} ≥ ${short(least)}`, measured: short(value), reached: value >= least }
}

function betterThanAllButOne(ours: Report['results'][number] | undefined, results: Report['results']): Bar[] {
  if (!ours) return []
  const p50Ms = medianOf(ours, 'p50Ms')
  if (Number.isNaN(bestPeer(ours, results).p50Ms)) return []
  const faster = results.filter(
    (each) => each.row.kind === 'peer' && each.row.durability === 'full' && medianOf(each, 'p50Ms') < p50Ms,
  )
  const measured = faster.length === 0 ? 'none is' : faster.map(({ row }) => row.name).join(', ')
  return [
    { bar: 'through the AI SDK adapter: durable peers that are faster ≤ 1', measured, reached: faster.length <= 1 },
  ]
}
