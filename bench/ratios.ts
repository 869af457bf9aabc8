import { median } from './figures.ts'
import type { Result } from './measure.ts'

/** The median over the rounds of a figure of the cycle. */
export function medianOf(result: Result | undefined, figure: string): number {
  return result && result.rounds.length > 0
    ? median(result.rounds.map((round) => round[figure] ?? Number.NaN))
    : Number.NaN
}

/** A figure of a phase that is measured once. NaN: there is none. */
export function figureOf(result: Result | undefined, phase: string, figure: string): number {
  const found = result?.once[phase]
  return typeof found === 'object' ? (found[figure] ?? Number.NaN) : Number.NaN
}

/** Whether two rows stand on the same kind of database: only these are compared. */
function isAlike(a: Result, b: Result): boolean {
  return a.row.durability === b.row.durability
}

/**
 * The best peer of the same durability: the lowest p50 and the highest rate, of whichever peers those are. NaN: none was
 * measured.
 */
export function bestPeer(result: Result, results: Result[]): { p50Ms: number; perSecond: number } {
  const peers = results.filter((each) => each.row.kind === 'peer' && each.rounds.length > 0 && isAlike(each, result))
  if (peers.length === 0) return { p50Ms: Number.NaN, perSecond: Number.NaN }
  return {
    p50Ms: Math.min(...peers.map((peer) => medianOf(peer, 'p50Ms'))),
    perSecond: Math.max(...peers.map((peer) => medianOf(peer, 'perSecond'))),
  }
}

/** What stands beside a row's figures: its limits and, for ours, the best peer. */
export function ratiosOf(result: Result, results: Result[]) {
  const named = (name: string | undefined) => results.find(({ row }) => row.name === name)
  const [alone, together] = result.row.limits ?? []
  const best = result.row.kind === 'ours' ? bestPeer(result, results) : { p50Ms: Number.NaN, perSecond: Number.NaN }
  const p50Ms = medianOf(result, 'p50Ms')
  const perSecond = medianOf(result, 'perSecond')
  return {
    aloneByLimit: p50Ms / medianOf(named(alone), 'p50Ms'),
    aloneByPeer: p50Ms / best.p50Ms,
    togetherByLimit: perSecond / medianOf(named(together), 'perSecond'),
    togetherByPeer: perSecond / best.perSecond,
  }
}
