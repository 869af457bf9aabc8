import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentRecord, createEngine, type Engine, type EngineOptions, type Helper } from 'querent'
import { sqlite } from 'querent/sqlite'
import { type FakeClock, fakeClock } from 'querent/testing'
import { onTestFinished } from 'vitest'

/** One database in a folder of its own, a clock that stands still, and as many engines on it as a test opens. */
export interface World {
  path: string
  clock: FakeClock
  /** What engines logged as warnings and errors. */
  logged: { level: string; message: string; data?: Record<string, unknown> }[]
  /** An engine with its own handle on the database: another process, but for the memory it could share and does not. */
  open(agents: readonly AgentRecord[], options?: Partial<EngineOptions> & { idle?: boolean }): Promise<Engine>
  /** Ends an engine as a crash would not: drained and closed. */
  close(engine: Engine): Promise<void>
}

/** Makes a world that is gone when the test ends. */
export function world(): World {
  const dir = mkdtempSync(join(tmpdir(), 'querent-'))
  const path = join(dir, 'querent.db')
  const clock = fakeClock()
  const engines = new Set<Engine>()
  const logged: World['logged'] = []
  const note = (level: string) => (message: string, data?: Record<string, unknown>) => {
    logged.push({ level, message, ...(data ? { data } : {}) })
  }
  const close = async (engine: Engine) => {
    engines.delete(engine)
    await engine.close()
  }
  onTestFinished(async () => {
    for (const engine of engines) await close(engine)
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    path,
    clock,
    logged,
    close,
    async open(agents, { idle = false, ...options } = {}) {
      const logger = { info: () => undefined, warn: note('warn'), error: note('error') }
      const engine = createEngine({ agents, store: sqlite(path, { clock }), clock, logger, ...options })
      engines.add(engine)
      if (!idle) await engine.start()
      return engine
    },
  }
}

/** The helper of a person with an agent. */
export function helperOf(engine: Engine, agent: string, person = 'ann'): Helper {
  return engine.as({ id: person }).agent(agent)
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
