import {
  type AgentOptions,
  type AgentRecord,
  agent,
  createEngine,
  type Engine,
  type EngineOptions,
  type Helper,
  type RunEvent,
  type RunView,
} from 'querent'
import {
  type FakeClock,
  type FaultPoint,
  fakeClock,
  faultStore,
  type ScriptedModel,
  type ScriptedPrompt,
  scriptedModel,
  type TurnSource,
} from 'querent/testing'
import { onTestFinished } from 'vitest'
import { newTestStore, type TestStore } from '../setup/test-store.ts'
import { clockOf, type LogLine, mortal, newDelays, newJournal, type Process } from './process.ts'

export interface OpenOptions extends Partial<EngineOptions> {
  /** Not started: it starts runs and answers, and works on nothing. */
  idle?: boolean
  /** Called before and after each transition of its store. One that waits holds the process up. */
  atPoint?: (point: FaultPoint) => void | Promise<void>
  /** The process dies at the first point for which this is true. */
  dieAt?: (point: FaultPoint) => boolean
}

/** One database in a folder of its own, a clock that stands still, and as many engines on it as a test opens. */
export interface World {
  path: string
  database: TestStore
  clock: FakeClock
  /** What engines logged as warnings and errors. */
  logged: LogLine[]
  /** Resolves when an engine has logged this message so many times. */
  said(message: string, times?: number): Promise<void>
  /** Resolves when an engine has a timer for this long from now, or had one. */
  armed(delayMs: number): Promise<void>
  /** An engine with its own handle on the database: another process, but for the memory it could share and does not. */
  open(agents: readonly AgentRecord[], options?: OpenOptions): Promise<Engine>
  /** Ends an engine as a crash would not: drained and closed. */
  close(engine: Engine): Promise<void>
  /**
   * Ends an engine as SIGKILL would: from now on nothing it does reaches the database, and nothing the database says
   * reaches it. Time goes on until its claims have lapsed.
   */
  kill(engine: Engine): Promise<void>
  /** Resolves when an engine has died: at its `dieAt`, or by `kill`. */
  died(engine: Engine): Promise<void>
}

type Store = EngineOptions['store']

/** Longer than a claim holds without a sign of life. */
const leasePassedMs = 11_000

/** Makes a world that is gone when the test ends. */
export function world(): World {
  const database = newTestStore()
  const clock = fakeClock()
  const processes = new Map<Engine, Process>()
  const journal = newJournal()
  const delays = newDelays()
  const bury = async (process: Process) => {
    process.dead = true
    process.buried = true
    for (const cancel of process.timers) cancel()
    await process.closeStore()
    clock.advance(leasePassedMs)
  }
  const close = async (engine: Engine) => {
    const process = processes.get(engine)
    processes.delete(engine)
    if (process?.dead) await process.closeStore()
    else await engine.close()
  }
  onTestFinished(async () => {
    for (const engine of processes.keys()) await close(engine)
    await database.remove()
  })
  return {
    path: database.path,
    database,
    clock,
    logged: journal.lines,
    said: journal.said,
    armed: delays.armed,
    close,
    async open(agents, { idle = false, atPoint, dieAt, ...options } = {}) {
      const { process, store } = newProcess(database.open({ clock }), { atPoint, dieAt })
      const own = { store, clock: clockOf(process, clock, delays.note), logger: journal.loggerOf(process) }
      const engine = createEngine({ agents, ...own, ...options })
      processes.set(engine, process)
      if (!idle) await engine.start()
      return engine
    },
    async kill(engine) {
      const process = processes.get(engine)
      if (!process) return
      await bury(process)
      process.died.resolve()
    },
    async died(engine) {
      const process = processes.get(engine)
      if (!process) return
      await process.died.promise
      if (!process.buried) await bury(process)
    },
  }
}

function newProcess(raw: Store, { atPoint, dieAt }: Pick<OpenOptions, 'atPoint' | 'dieAt'>) {
  const process: Process = {
    dead: false,
    buried: false,
    died: Promise.withResolvers(),
    timers: new Set(),
    closeStore: () => raw.close(),
  }
  const store = faultStore(raw, async (point) => {
    await atPoint?.(point)
    if (process.dead || !dieAt?.(point)) return
    process.dead = true
    process.died.resolve()
    // Before a transition it never comes to pass, after it nobody hears that it did.
    await new Promise(() => undefined)
  })
  return { process, store: mortal(store, process) }
}

/** The helper of a person with an agent. */
export function helperOf(engine: Engine, agentName: string, person = 'ann'): Helper {
  return engine.as({ id: person }).agent(agentName)
}

/** An agent `asker` that plays turns and may ask; made anew for each process. */
export function asker(
  turns: TurnSource[],
  options: AgentOptions = {},
): { model: ScriptedModel; agents: [AgentRecord]; asker: AgentRecord } {
  const model = scriptedModel(turns)
  const record = agent('asker', { questions: true, ...options, model }) as AgentRecord
  return { model, agents: [record], asker: record }
}

/** A call of the question tool. */
export function ask(input: Record<string, unknown> | string) {
  return { tool: 'question', input: (typeof input === 'string' ? { question: input } : input) as never }
}

/** Follows a run to its end, over all waits, and gives it. */
export async function ended(helper: Helper, run: string): Promise<RunView> {
  for await (const _ of helper.watch(run));
  return helper.run(run)
}

/** The results in the last tool message of a prompt, in order. */
export function resultsIn(prompt: ScriptedPrompt | undefined): { type: string; value: unknown }[] {
  const message = prompt?.messages.findLast(({ role }) => role === 'tool') as
    | { content: { output: { type: string; value: unknown } }[] }
    | undefined
  return (message?.content ?? []).map((part) => part.output)
}

/** The log's types, in order. */
export function typesOf(log: readonly RunEvent[]): string[] {
  return log.map((event) => event.type)
}

/** The code of the error that a promise rejects with, and its data. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; data: Record<string, unknown> }> {
  try {
    await promise
  } catch (error) {
    const { code, message, data } = error as { code: string; message: string; data: Record<string, unknown> }
    return { code, message, data }
  }
  throw new Error('It was expected to be refused, and was not.')
}
