import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, RunStatus, ViewMessage } from 'querent'
import { sqlite } from 'querent/sqlite'
import type { FaultPoint } from 'querent/testing'
import { conversationOf } from '../../src/core/view.ts'
import type { AskRow, RunRow } from '../../src/store/store.ts'
import type { LifeJob } from './life.ts'
import { inPool, run } from './process.ts'
import type { Scenario } from './scenario.ts'
import { type Act, type Effect, type Prompt, type TracedPoint, tracesIn } from './traces.ts'

/** Where a process died: the number of its point, from 1 in each process, and which that was. */
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
  /** The log, and those of the runs it delegated to. */
  logs: RunEvent[][]
  asks: AskRow[]
  acts: Act[]
  effects: Effect[]
  prompts: Prompt[]
}

export interface Crashes {
  /** Without a kill. */
  plain: Outcome
  /** Where processes were killed: counted, not chosen. */
  points: Point[]
  /** One for each point. */
  crashed: Outcome[]
}

const plainIn = (folder: string) => join(folder, 'plain')

/** Lives through a scenario without a kill. */
export async function livePlainly(scenario: Scenario, folder: string): Promise<Outcome> {
  await live(scenario, [plainIn(folder)], 0)
  return outcomeIn(plainIn(folder), [])
}

/**
 * Lives through a scenario once without a kill to count its points, then once for each point with a kill there. With
 * `first`, a process dies at the last such point, and it is the one that goes on which is killed everywhere.
 */
export async function crashEverywhere(
  scenario: Scenario,
  folder: string,
  first?: Omit<Point, 'number'>,
): Promise<Crashes> {
  const plain = await livePlainly(scenario, folder)
  const points = transitionsIn(pointsOf(plainIn(folder), []))
  if (!first) return { plain, points, crashed: await crashAtEach(scenario, { folder, deaths: [], points }) }

  const died = points.findLast(({ when, transition }) => when === first.when && transition === first.transition)
  if (!died) throw new Error(`${scenario.name} does not come to ${first.when} ${first.transition}.`)
  const begun = join(folder, 'begun')
  await die(scenario, { folder: begun, before: [], point: died })
  const recovered = join(folder, 'recovered')
  cpSync(begun, recovered, { recursive: true })
  await live(scenario, [recovered], 1)
  const rest = transitionsIn(pointsOf(recovered, [died]))
  return { plain, points: rest, crashed: await crashAtEach(scenario, { folder, deaths: [died], points: rest, begun }) }
}

/** One more life for each point, with a kill there, and one after that until the end. */
async function crashAtEach(
  scenario: Scenario,
  { folder, deaths, points, begun }: { folder: string; deaths: Point[]; points: Point[]; begun?: string },
): Promise<Outcome[]> {
  const folders = await inPool(points, async (point) => {
    const one = join(folder, String(point.number))
    if (begun) cpSync(begun, one, { recursive: true })
    await die(scenario, { folder: one, before: deaths, point })
    return one
  })
  // One process goes on with many: each has its own database, and none of them knows of another.
  const halves = [folders.filter((_, index) => index % 2 === 0), folders.filter((_, index) => index % 2 === 1)]
  await inPool(halves, (half) => live(scenario, half, deaths.length + 1))
  return Promise.all(folders.map((one, index) => outcomeIn(one, [...deaths, ...points.slice(index, index + 1)])))
}

/** Lives through a scenario with one process after another that dies, each a point later in its life, until one does not. */
export async function crashOften(scenario: Scenario, folder: string, from: number): Promise<Crashes> {
  const plain = await livePlainly(scenario, folder)
  const often = join(folder, 'often')
  const deaths: Point[] = []
  while (await die(scenario, { folder: often, before: deaths, point: { number: from + deaths.length } })) {
    deaths.push(...pointsOf(often, deaths).slice(-1))
  }
  return { plain, points: deaths, crashed: [await outcomeIn(often, deaths)] }
}

function live(scenario: Scenario, folders: string[], deaths: number): Promise<unknown> {
  const job: LifeJob = { scenario: scenario.name, folders, deaths }
  return run('life.ts', job, 'well')
}

interface Death {
  folder: string
  before: Point[]
  /** Without a transition: where that number is met, if it is. */
  point: { number: number } & Partial<Point>
}

/** Lives through a scenario until it is killed. False: it came to its end before. */
async function die(scenario: Scenario, { folder, before, point }: Death): Promise<boolean> {
  const { number, transition, when } = point
  const job: LifeJob = { scenario: scenario.name, folders: [folder], deaths: before.length, killAt: number }
  const ended = await run('life.ts', job, transition ? 'SIGKILL' : 'either')
  if (ended === 'well') return false
  const reached = pointsOf(folder, before).at(-1)
  if (transition && (reached?.number !== number || reached.transition !== transition || reached.when !== when)) {
    throw new Error(`It was to die at ${JSON.stringify(point)}, and died at ${JSON.stringify(reached)}.`)
  }
  return true
}

/** The points of the last life in a folder. */
function pointsOf(folder: string, before: Point[]): (TracedPoint & Point)[] {
  const lived = before.reduce((sum, { number }) => sum + number, 0)
  const points = tracesIn(folder).points.all().slice(lived)
  return points.map((point, index) => ({ ...point, number: index + 1 }))
}

/** A call that found nothing to do is no transition: neither it nor the point before it. */
function transitionsIn(points: (TracedPoint & Point)[]): Point[] {
  const idle = new Set<Point>()
  for (const after of points.filter((point) => point.idle)) {
    // A worker asks for one run at a time, so the call is the last of its name before.
    const before = points.findLast(
      ({ number, transition, when }) => when === 'before' && number < after.number && transition === after.transition,
    )
    for (const point of [before, after]) if (point) idle.add(point)
  }
  return points.filter((point) => !idle.has(point))
}

async function outcomeIn(folder: string, deaths: Point[]): Promise<Outcome> {
  const traces = tracesIn(folder)
  const store = sqlite(traces.database)
  try {
    const { items: runs } = await store.listRuns({})
    const { id = '', status = 'ready' } = runs[0] ?? {}
    const log = await store.readEvents(id, 0)
    const children = log.flatMap(({ type, data }) => (type === 'tool.started' && data.child ? [data.child] : []))
    const logs = [log, ...(await Promise.all(children.map((child) => store.readEvents(child, 0))))]
    const { items: asks } = await store.listAsks({ run: id, open: false })
    const [acts, effects, prompts] = [traces.acts.all(), traces.effects.all(), traces.prompts.all()]
    return { deaths, runs, status, log, logs, asks, acts, effects, prompts, ...conversationOf(log) }
  } finally {
    await store.close()
  }
}
