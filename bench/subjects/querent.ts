import { join } from 'node:path'
import { agent, createEngine, type EngineOptions } from 'querent'
import { answer, done, request, type Script } from '../script.ts'
import type { Place, System } from '../system.ts'
import { fakeModel } from './fake-model.ts'

/** Querent as its pages say to use it. `relaxed`: durability 'relaxed'. `ai-sdk`: the model is one of the AI SDK. */
export async function open({ folder, script, variant }: Place): Promise<System> {
  const { sqlite } = await import('querent/sqlite')
  const store = sqlite(join(folder, 'querent.db'), { durability: variant === 'relaxed' ? 'relaxed' : 'full' })
  return openOn(store, await modelOf(script, variant))
}

/** `ai` is loaded only where it is measured. */
async function modelOf(script: Script, variant: string): Promise<unknown> {
  if (variant !== 'ai-sdk') return fakeModel(script)
  const { mockModel } = await import('./mock-model.ts')
  return mockModel(script)
}

/** An engine on a store, as one person uses it. */
export async function openOn(store: EngineOptions['store'], model: unknown): Promise<System> {
  const limits = { steps: 10_000, perRun: { asks: 10_000 } }
  const engine = createEngine({ agents: [agent('asker', { model, questions: true, limits })], store })
  await engine.start()
  const ann = engine.as({ id: 'ann' })
  const asker = ann.agent('asker')
  return {
    async start() {
      const { run } = await asker.start(request)
      await asker.atRest(run)
      return run
    },
    async answer(run, nth) {
      await asker.approve({ run, step: `question ${nth}.1`, data: answer })
      const { status, text } = await asker.atRest(run)
      if (status !== 'waiting' && text !== done) throw new Error(`Run ${run} is ${status} and says ${text}.`)
    },
    list: async () => (await ann.asks({ limit: 200 })).length,
    close: () => engine.close(),
  }
}
