import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order } from './child.ts'
import type { Extra } from './extras.ts'
import type { Figures } from './phase.ts'
import type { PostgresServer } from './postgres-server.ts'
import { type Row, versionsOf } from './rows.ts'
import { canTrace, countFsyncs, runChild } from './spawn-child.ts'

/** What was found of one row. */
export interface Result {
  row: Row
  versions: Record<string, string>
  /** Why there are no figures. */
  unavailable?: string
  /** Figures of `cycle`, one for each round. */
  rounds: Figures[]
  /** Figures of the other phases, by phase; or why there are none. */
  once: Record<string, Figures | string>
}

export interface ExtraResult {
  extra: Extra
  figures: Figures | string
}

export interface Settings {
  quick: boolean
  rounds: number
  postgres: PostgresServer | undefined
}

type Counts = Record<string, number>

const fullCounts = {
  cycle: { warmUp: 100, alone: 300, together: 600, width: 16 },
  bytes: { runs: 500 },
  rivals: { runs: 30 },
  history: { asks: 200, window: 10 },
  listing: { runs: 200, times: 50 },
}
const quickCounts: typeof fullCounts = {
  cycle: { warmUp: 10, alone: 20, together: 48, width: 16 },
  bytes: { runs: 20 },
  rivals: { runs: 3 },
  history: { asks: 10, window: 3 },
  listing: { runs: 10, times: 5 },
}

const bench = import.meta.dirname

/** Measures row after row, and again for each round: what the machine does meanwhile hits all of them. */
export async function measureAll(
  rows: Row[],
  extras: Extra[],
  settings: Settings,
): Promise<{ results: Result[]; extras: ExtraResult[] }> {
  const results = rows.map((row): Result => ({ row, rounds: [], once: {}, ...availability(row, settings) }))
  for (let round = 1; round <= settings.rounds; round++) {
    for (const result of results) await measureCycle(result, settings, round)
  }
  for (const result of results) if (result.unavailable === undefined) await measureOnce(result, settings)
  const found: ExtraResult[] = []
  for (const extra of extras) {
    say(extra.name)
    found.push({ extra, figures: await extra.run(settings).catch(messageOf) })
  }
  return { results, extras: found }
}

function availability(row: Row, { postgres }: Settings): Pick<Result, 'versions' | 'unavailable'> {
  const { versions, missing } = versionsOf(row, bench)
  if (missing !== undefined) return { versions, unavailable: `${missing} is not installed: npm run bench:install` }
  if (row.postgres && !postgres) return { versions, unavailable: 'no Postgres server could be started here' }
  return { versions }
}

async function measureCycle(result: Result, settings: Settings, round: number): Promise<void> {
  if (result.unavailable !== undefined) return
  say(`${result.row.name}, round ${round}`)
  try {
    result.rounds.push(await measure(result.row, 'cycle', settings))
  } catch (error) {
    result.unavailable = messageOf(error)
  }
}

async function measureOnce(result: Result, settings: Settings): Promise<void> {
  const { row, once } = result
  const note = async (name: string, work: () => Promise<Figures>) => {
    say(`${row.name}, ${name}`)
    once[name] = await work().catch(messageOf)
  }
  if (row.durability !== 'none') await note('fsyncs', () => fsyncsPerCycle(row, settings))
  if (row.cycleOnly) return
  for (const phase of ['bytes', 'rivals', 'history', 'listing'] as const) {
    await note(phase, () => measure(row, phase, settings))
  }
  await note('restart', () => measureRestart(row, settings))
}

function measure(row: Row, phase: keyof typeof fullCounts, settings: Settings): Promise<Figures> {
  const counts = (settings.quick ? quickCounts : fullCounts)[phase]
  return inPlace(row, settings, (order) => runChild({ ...order, phase, counts }))
}

/** The difference between many cycles and few: what opening and closing costs is in both. */
async function fsyncsPerCycle(row: Row, settings: Settings): Promise<Figures> {
  const [few, many] = settings.quick ? [3, 13] : [20, 120]
  const count = (alone: number) =>
    inPlace(row, settings, (order) => fsyncsOf(row, { ...order, phase: 'cycle', counts: cyclesOf(alone) }, settings))
  const atFew = await count(few)
  return { perCycle: ((await count(many)) - atFew) / (many - few) }
}

function cyclesOf(alone: number): Counts {
  return { warmUp: 0, alone, together: 0, width: 1 }
}

async function fsyncsOf(row: Row, order: Order, { postgres }: Settings): Promise<number> {
  if (row.postgres && postgres) {
    const before = await postgres.fsyncs()
    await runChild(order)
    return (await postgres.fsyncs()) - before
  }
  if (!canTrace) throw new Error('strace is not installed')
  return countFsyncs(order)
}

/** One process parks and ends; the next answers. */
function measureRestart(row: Row, settings: Settings): Promise<Figures> {
  return inPlace(row, settings, async (order) => {
    await runChild({ ...order, phase: 'park', counts: {} })
    return runChild({ ...order, phase: 'resume', counts: {} })
  })
}

let places = 0

/** A folder and, where it is needed, a database of its own. */
async function inPlace<T>(
  row: Row,
  { postgres }: Settings,
  work: (order: Omit<Order, 'phase' | 'counts'>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-bench-'))
  const name = `bench_${process.pid}_${++places}`
  const database = row.postgres ? await postgres?.createDatabase(name) : undefined
  const order = { subject: join(bench, row.subject), variant: row.variant ?? '', folder }
  try {
    return await work({ ...order, ...(database === undefined ? {} : { database }), oneHandle: row.oneHandle ?? false })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    if (database !== undefined) await postgres?.dropDatabase(name)
  }
}

function say(what: string): void {
  console.error(`… ${what}`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
