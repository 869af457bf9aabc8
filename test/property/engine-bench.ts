import { type Ask, createEngine, type Engine, type Json, QuerentError } from 'querent'
import { type FakeClock, fakeClock } from 'querent/testing'
import { clockOf, mortal, newJournal, type Process } from '../engine/process.ts'
import { newTestStore } from '../setup/test-store.ts'
import { Gates, type RandomAgent, type Seen } from './random-agent.ts'

/** What people did that was accepted, to be found again in the log. */
export interface Accepted {
  settled: { ask: string; outcome: 'approved' | 'refused'; data?: Json; reason?: string }[]
  said: { run: string; text: string }[]
}

interface Running {
  engine: Engine
  process: Process
}

/** One database and clock, and the processes that come and go on it. */
export class EngineBench {
  readonly clock: FakeClock = fakeClock()
  readonly journal = newJournal()
  readonly gates = new Gates()
  readonly seen: Seen = { prompts: new Map(), acted: new Map() }
  readonly accepted: Accepted = { settled: [], said: [] }
  readonly runs: string[] = []
  readonly story: string[] = []
  processes: Running[] = []
  private readonly database = newTestStore()
  private readonly random: RandomAgent

  constructor(random: RandomAgent) {
    this.random = random
    this.tell(random.story)
  }

  tell(line: string): void {
    this.story.push(`${this.clock.now() % 1e7} ${line}`)
  }

  store() {
    return this.database.open({ clock: this.clock })
  }

  async open(): Promise<void> {
    const raw = this.store()
    const process: Process = {
      dead: false,
      buried: false,
      died: Promise.withResolvers(),
      timers: new Set(),
      closeStore: () => raw.close(),
    }
    const engine = createEngine({
      agents: [this.random.inProcess(this.gates, this.seen)],
      store: mortal(raw, process),
      clock: clockOf(process, this.clock, () => undefined),
      logger: this.journal.loggerOf(process),
    })
    await engine.start()
    this.processes.push({ engine, process })
    this.tell('-- open')
  }

  /** Ends a process as SIGKILL would. Its claims are left to lapse. */
  async kill(index: number): Promise<void> {
    const [running] = this.processes.splice(index, 1)
    if (!running) return
    this.tell('-- kill')
    running.process.dead = true
    for (const cancel of running.process.timers) cancel()
    await running.process.closeStore()
  }

  /** Ends a process well. What it runs is given up when the time it has for that has passed. */
  async close(index: number): Promise<void> {
    const [running] = this.processes.splice(index, 1)
    if (!running) return
    this.tell('-- close')
    let closed = false
    const closing = running.engine.close().then(() => {
      closed = true
    })
    for (let turns = 0; !closed && turns < 1000; turns++) {
      await turn()
      if (turns % 20 === 10) this.clock.advance(10_001)
    }
    if (!closed) throw new Error('The engine does not close.')
    await closing
  }

  async end(): Promise<void> {
    this.gates.releaseAll()
    while (this.processes.length > 0) await this.close(0)
    await this.database.remove()
  }

  private get engine(): Engine {
    return (this.processes[0] as Running).engine
  }

  helper(index: number) {
    const { engine } = this.processes[index % this.processes.length] as Running
    return engine.as({ id: 'ann' }).agent('asker')
  }

  async start(): Promise<void> {
    const { run } = await this.helper(0).start(`run ${this.runs.length}`)
    this.runs.push(run)
    this.tell(`-- start ${run}`)
  }

  openAsks(): Promise<Ask[]> {
    return this.engine.as({ id: 'ann' }).asks({ limit: 200 })
  }

  /** Answers. Gives the code of what was refused. */
  async approve(ask: Ask, data: Json | undefined, by: number): Promise<string | undefined> {
    const given = data === undefined ? {} : { data }
    const refused = await codeOf(this.helper(by).approve(ask, given))
    if (refused === undefined) this.accepted.settled.push({ ask: ask.id, outcome: 'approved', ...given })
    this.tell(`-- approve ${ask.id.slice(0, 8)} ${ask.repeat} ${ask.step} ${JSON.stringify(data)}: ${refused ?? 'ok'}`)
    return refused
  }

  async refuse(ask: Ask, by: number): Promise<void> {
    const refused = await codeOf(this.helper(by).refuse(ask, { reason: 'no' }))
    if (refused === undefined) this.accepted.settled.push({ ask: ask.id, outcome: 'refused', reason: 'no' })
    this.tell(`-- refuse ${ask.id.slice(0, 8)} ${ask.repeat} ${ask.step}: ${refused ?? 'ok'}`)
    allow(refused, ['T0003', 'T0005'])
  }

  async say(run: string, by: number): Promise<void> {
    const text = `message ${this.accepted.said.length}`
    await this.helper(by).say({ run, text })
    this.accepted.said.push({ run, text })
    this.tell(`-- ${text}`)
  }

  /** The operator tries a run again, if it failed. */
  async retry(run: string): Promise<void> {
    const refused = await codeOf(this.engine.runs.retry(run))
    allow(refused, ['T0011'])
    if (refused === undefined) this.tell('-- retry')
  }

  async stop(run: string, by: number): Promise<void> {
    await this.helper(by).stop({ run })
    this.tell('-- stop')
  }
}

/** What the form of an ask would send. */
export function fitting(ask: Ask): Json | undefined {
  if (ask.kind === 'approval') return undefined
  return ask.options ? (ask.options[0]?.label ?? null) : 'an answer'
}

/** Throws where the code is not one of those that a person may meet by acting at any time. */
export function allow(refused: string | undefined, codes: string[]): void {
  if (refused !== undefined && !codes.includes(refused)) throw new Error(`It was refused with ${refused}.`)
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise
    return undefined
  } catch (error) {
    if (error instanceof QuerentError) return error.code
    throw error
  }
}

/** Lets everything go on that does not wait for the test. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
