import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createEngine, type Engine } from 'querent'
import { postgres } from 'querent/postgres'
import { type PostgresServer, startPostgres } from '../setup/postgres-server.ts'
import { agentsOf, shares } from './agents.ts'
import { Crew } from './crew.ts'
import { type Left, leftIn } from './left.ts'
import { type Random, randomOf } from './random.ts'
import { tracesIn } from './traces.ts'
import { untilTold } from './until-told.ts'

export interface Chaos {
  seed: number
  runs: number
  kills: number
  freezes: number
  restarts: number
  /** Told what happens, as it happens. */
  say?(line: string): void
}

/** What was left, and how long it took. */
export interface Outcome extends Left {
  chaos: Chaos
  tookMs: number
  /** Of processes that were not killed: how they ended, where not well, and what they printed to standard error. */
  complaints: string[]
}

const workers = 3
const gapMs = [400, 1200] as const
/** Longer than a lease. */
const frozenMs = [11_000, 14_000] as const
/** How long the last runs may take when nothing is done to them any more. */
const patienceMs = 120_000

/** Lets workers do their work on a database of their own, kills and freezes them, and gives what is left. */
export async function liveInChaos(chaos: Chaos): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-chaos-'))
  const server = await startPostgres()
  const random = randomOf(chaos.seed)
  const crew = new Crew({ url: server.url, folder, random })
  const store = postgres(server.url)
  const engine = createEngine({ agents: agentsOf(tracesIn(folder), random), store })
  const startedAt = Date.now()
  try {
    await store.migrate()
    await crew.begin(workers)
    const strikes = strikesOf(chaos, random)
    await Promise.all([startRuns(engine, chaos, strikes.length), strike({ strikes, crew, server, random, chaos })])
    chaos.say?.('nothing more is done to them')
    await untilOver(engine)
    const tookMs = Date.now() - startedAt
    const complaints = await crew.end()
    return { ...(await leftIn(store, server.url, folder)), chaos, tookMs, complaints }
  } finally {
    await crew.clear()
    await store.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts runs over the time that the strikes take, so that there is always something to strike. */
async function startRuns(engine: Engine, { runs }: Chaos, strikes: number): Promise<void> {
  const names = Object.entries(shares).flatMap(([name, share]) => Array<string>(share).fill(name))
  const everyMs = (strikes * (gapMs[0] + gapMs[1])) / 2 / runs
  for (let number = 1; number <= runs; number += 1) {
    const ann = engine.as({ id: 'ann' }).agent(names[number % names.length] ?? '')
    const { code } = await untilTold(() => ann.start(`Job ${number}`, { key: `job ${number}` }))
    if (code) throw new Error(`Job ${number} was not started: ${code}.`)
    await wait(everyMs)
  }
}

type Strike = 'kill' | 'freeze' | 'restart'

function strikesOf({ kills, freezes, restarts }: Chaos, random: Random): Strike[] {
  const of = (strike: Strike, count: number) => Array<Strike>(count).fill(strike)
  return random.shuffled([...of('kill', kills), ...of('freeze', freezes), ...of('restart', restarts)])
}

interface Striking {
  strikes: Strike[]
  crew: Crew
  server: PostgresServer
  random: Random
  chaos: Chaos
}

async function strike({ strikes, crew, server, random, chaos }: Striking): Promise<void> {
  const { say } = chaos
  const thaws: Promise<void>[] = []
  for (const each of strikes) {
    await wait(random.between(...gapMs))
    if (each === 'kill') say?.(`killed ${await crew.kill()}`)
    else if (each === 'freeze') thaws.push(crew.freeze(random.between(...frozenMs), (name) => say?.(`froze ${name}`)))
    else {
      await server.crash()
      await server.start()
      say?.('restarted the database')
    }
  }
  await Promise.all(thaws)
}

/** Resolves when every run is over, or patience is: the checks then say what is not. */
async function untilOver(engine: Engine): Promise<void> {
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    const { value } = await untilTold(() => engine.runs.list({ active: true, limit: 1 }))
    if (value?.items.length === 0 || Date.now() > giveUpAt) return
    await wait(200)
  }
}
