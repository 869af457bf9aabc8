import { type AgentOptions, agent, type Engine, type Helper, type ViewEvent } from 'querent'
import { onTestFinished } from 'vitest'
import type { InputSchema } from '../../src/core/tool.ts'
import { type World, world } from '../engine/world.ts'
import type { Dialect, Said, Wire } from './dialects.ts'
import { languageModelAt } from './language-models.ts'
import type { PlainAnswer, ProviderServer } from './servers/sse-server.ts'

/** An agent `asker` on a provider's server, in this process, on a clock that stands still. */
export interface Served extends World {
  server: ProviderServer<Said>
  engine: Engine
  ann: Helper
  /** Starts a run, and gives it when it is at rest. */
  startToRest(input?: Parameters<Helper['start']>[0]): ReturnType<Helper['atRest']>
  /** Starts a run that somebody watches from before its first model call. */
  startWatched(): Promise<{ run: string; seenUntil(last: ViewEvent['type']): Promise<ViewEvent[]> }>
  /** A request, read. */
  sent(request: number): Wire
}

export interface ServedOptions extends AgentOptions<InputSchema | undefined> {
  /** Default: that of `languageModelAt`. */
  modelId?: string
}

/** What the agent is served, and what it is otherwise. Gone when the test ends. */
export async function serve(
  dialect: Dialect,
  script: (Said | PlainAnswer)[],
  { modelId, ...options }: ServedOptions = {},
): Promise<Served> {
  const server = await dialect.start()
  server.script(...script)
  onTestFinished(() => server.close())
  const around = world()
  const model = languageModelAt[dialect.name](server.url, modelId)
  const engine = await around.open([agent('asker', { model, instructions: 'Be brief.', ...options })])
  // Comes before the hook of the world, which drains by a clock that nobody moves then.
  onTestFinished(() => stopped(engine, around))
  const ann = engine.as({ id: 'ann' }).agent('asker')
  return {
    ...around,
    server,
    engine,
    ann,
    startToRest: async (input = 'Which shirt do I wear?') => ann.atRest((await ann.start(input)).run),
    async startWatched() {
      await stopped(engine, around)
      const { run } = await ann.start('Hello')
      const events = ann.watch(run)[Symbol.asyncIterator]()
      await events.next()
      await engine.start()
      return { run, seenUntil: (last) => seenUntil(events, last) }
    },
    sent: (request) => dialect.read(server.requests[request]?.body ?? ''),
  }
}

async function seenUntil(events: AsyncIterator<ViewEvent>, last: ViewEvent['type']): Promise<ViewEvent[]> {
  const seen: ViewEvent[] = []
  while (seen.at(-1)?.type !== last) {
    const next = await events.next()
    if (next.done) throw new Error(`The run ended without ${last}.`)
    seen.push(next.value)
  }
  await events.return?.()
  return seen
}

/** Stops an engine whose clock stands still, without waiting for a model that may never end. */
export async function stopped(engine: Engine, { clock }: World): Promise<void> {
  let through = false
  const stopping = engine.stop({ graceMs: 1 }).finally(() => {
    through = true
  })
  while (!through) {
    clock.advance(1)
    await new Promise(setImmediate)
  }
  await stopping
}
