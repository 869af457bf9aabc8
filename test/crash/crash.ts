import { join } from 'node:path'
import type { RunEvent, RunStatus, ViewMessage } from 'querent'
import { sqlite } from 'querent/sqlite'
import type { FaultPoint } from 'querent/testing'
import { conversationOf } from '../../src/core/view.ts'
import type { AskRow, RunRow } from '../../src/store/store.ts'
import type { LifeJob } from './life.ts'
import { inPool, run } from './process.ts'
import type { Scenario } from './scenario.ts'
import { type Act, type Effect, tracesIn } from './traces.ts'

/** Where a process died: the number of its point, from 1, and which that was. */
export type Point = Pick<FaultPoint, 'number' | 'transition' | 'when'>

/** What is left of a scenario when its run is over. */
export interface Outcome {
  /** Where its processes were killed, in order. */
  deaths: Point[]
  runs: RunRow[]
  status: RunStatus
  text: string
  messages: ViewMessage[]
  log: RunEvent[]
  asks: AskRow[]
  acts: Act[]
  effects: Effect[]
  prompts: string[]
}

export interface Crashes {
  /** Without a kill. */
  plain: Outcome
  /** One for each point. */
  crashed: Outcome[]
  /** The points of the run without a kill. */
  points: Point[]
}

/** Lives through a scenario once without a kill to count its points, then once for each point with a kill there. */
export async function crashEverywhere(scenario: Scenario, folder: string): Promise<Crashes> {
  const plainFolder = join(folder, 'plain')
  const job = { scenario: scenario.name, deaths: 0 }
  await live({ ...job, folders: [plainFolder] })
  const points = tracesIn(plainFolder)
    .points.all()
    .map((point, index) => ({ ...point, number: index + 1 }))
  const folderOf = (point: Point) => join(folder, String(point.number))
  await inPool(points, (point) => die({ ...job, folders: [folderOf(point)] }, point))
  // One process goes on with many: each has its own database, and none of them knows of another.
  const halves = [points.filter((_, index) => index % 2 === 0), points.filter((_, index) => index % 2 === 1)]
  await inPool(halves, (half) => live({ ...job, deaths: 1, folders: half.map(folderOf) }))
  return {
    points,
    plain: await outcomeIn(plainFolder, []),
    crashed: await Promise.all(points.map((point) => outcomeIn(folderOf(point), [point]))),
  }
}

/** Lives through a scenario with one kill after another, each so many points into its process, and then to the end. */
export async function crashAgain(scenario: Scenario, folder: string, killAts: readonly number[]): Promise<Outcome> {
  const job = { scenario: scenario.name, folders: [folder] }
  for (const [deaths, killAt] of killAts.entries()) await run('life.ts', { ...job, deaths, killAt }, 'SIGKILL')
  await live({ ...job, deaths: killAts.length })
  const deaths = killAts.map((number) => ({ number, transition: 'append' as const, when: 'before' as const }))
  return outcomeIn(folder, deaths)
}

function live(job: LifeJob): Promise<void> {
  return run('life.ts', job, 'well')
}

async function die(job: LifeJob, point: Point): Promise<void> {
  await run('life.ts', { ...job, killAt: point.number }, 'SIGKILL')
  const reached = tracesIn(job.folders[0] ?? '').points.all().length
  if (reached !== point.number) throw new Error(`Killed at point ${point.number}, it had gone on to ${reached}.`)
}

async function outcomeIn(folder: string, deaths: Point[]): Promise<Outcome> {
  const traces = tracesIn(folder)
  const store = sqlite(traces.database)
  try {
    const { items: runs } = await store.listRuns({})
    const { id = '', status = 'ready' } = runs[0] ?? {}
    const log = await store.readEvents(id, 0)
    const { items: asks } = await store.listAsks({ run: id, open: false })
    const [acts, effects, prompts] = [traces.acts.all(), traces.effects.all(), traces.prompts.all()]
    return { deaths, runs, status, log, asks, acts, effects, prompts, ...conversationOf(log) }
  } finally {
    await store.close()
  }
}
