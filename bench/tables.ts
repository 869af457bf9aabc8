import { barsOf } from './bars.ts'
import { median, short, spread } from './figures.ts'
import type { machineOf } from './machine.ts'
import type { ExtraResult, Result } from './measure.ts'
import { figureOf, ratiosOf } from './ratios.ts'

export interface Report {
  machine: ReturnType<typeof machineOf>
  quick: boolean
  rounds: number
  results: Result[]
  extras: ExtraResult[]
}

/** The report as Markdown. */
export function tablesOf(report: Report): string {
  const { machine, quick, rounds, results, extras } = report
  const measured = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  const parts = [
    `${measured.join(' · ')} · ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    ...(quick ? ['**Quick: too few cycles for figures that mean anything.**'] : []),
    cyclesTable(results),
    behaviourTable(results),
    extrasTable(extras),
    barsTable(report),
    notesOf(results),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function table(head: string[], lines: string[][]): string {
  if (lines.length === 0) return ''
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...lines.map(line)].join('\n')
}

function cyclesTable(results: Result[]): string {
  const head = [
    '',
    'durability',
    'p50 ms',
    'p95 ms',
    '× limit',
    '× best peer',
    'cycles/s at 16',
    'of limit',
    '× best peer',
  ]
  const more = ['fsyncs/cycle', 'bytes parked', 'bytes done', 'memory MB', 'spread']
  return table(
    [...head, ...more],
    results.map((result) => {
      const { row, unavailable } = result
      const name = `${row.title} (\`${row.name}\`)`
      const durability = `${row.durability}: ${row.how}`
      if (unavailable !== undefined)
        return [name, durability, `not measured: ${unavailable}`, ...more.map(() => ''), ...Array(6).fill('')]
      const of = (figure: string) => median(result.rounds.map((round) => round[figure] ?? Number.NaN))
      const ratios = ratiosOf(result, results)
      return [
        name,
        durability,
        short(of('p50Ms')),
        short(of('p95Ms')),
        short(ratios.aloneByLimit),
        short(ratios.aloneByPeer),
        short(of('perSecond')),
        short(ratios.togetherByLimit),
        short(ratios.togetherByPeer),
        short(figureOf(result, 'fsyncs', 'perCycle')),
        short(figureOf(result, 'bytes', 'perParked')),
        short(figureOf(result, 'bytes', 'perDone')),
        short(of('rssMb')),
        `${Math.round(100 * spread(result.rounds.map((round) => round.p50Ms ?? Number.NaN)))} %`,
      ]
    }),
  )
}

function behaviourTable(results: Result[]): string {
  const told = results.filter(({ row, unavailable }) => !row.cycleOnly && unavailable === undefined)
  const head = [
    '',
    'two answers at once: model calls',
    'answers accepted',
    '200 asks: last cycle ÷ first',
    'bytes per ask',
  ]
  const more = ['list of 200 that wait, p50 ms', 'new process: ready, ms', 'answered, ms']
  return table(
    [...head, ...more],
    told.map((result) => [
      result.row.title,
      cell(result, 'rivals', 'callsPerQuestion'),
      cell(result, 'rivals', 'acceptedPerQuestion'),
      cell(result, 'history', 'lastByFirst'),
      cell(result, 'history', 'bytesPerAsk'),
      cell(result, 'listing', 'listMs', 'has none'),
      cell(result, 'restart', 'readyMs'),
      cell(result, 'restart', 'answeredMs'),
    ]),
  )
}

/** A figure, or why there is none. */
function cell(result: Result, phase: string, figure: string, none = '–'): string {
  const found = result.once[phase]
  if (typeof found === 'string') return found.slice(0, 120).replaceAll('|', '/')
  const value = found?.[figure]
  return value === undefined ? none : short(value)
}

function extrasTable(extras: ExtraResult[]): string {
  return table(
    ['Querent alone', 'figures'],
    extras.map(({ extra, figures }) => [
      extra.title,
      typeof figures === 'string'
        ? `not measured: ${figures}`
        : Object.entries(figures)
            .map(([name, value]) => `${name} ${short(value)}`)
            .join(', '),
    ]),
  )
}

function barsTable(report: Report): string {
  // A bar that a quick run reaches or misses is neither.
  if (report.quick) return ''
  return table(
    ['bar', 'measured', ''],
    barsOf(report).map(({ bar, measured, reached }) => [bar, measured, reached ? 'reached' : '**missed**']),
  )
}

function notesOf(results: Result[]): string {
  const lines = results.flatMap(({ row, versions }) => {
    const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
    const said = [packages.join(', '), row.note ?? ''].filter((part) => part !== '').join('. ')
    return said === '' ? [] : [`- \`${row.name}\`: ${said}`]
  })
  return lines.join('\n')
}
