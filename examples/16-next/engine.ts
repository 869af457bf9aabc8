/** One engine for the process: in development Next loads modules again, and a second engine would work beside the first. */
import { agent, createEngine, type Engine } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const model = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Which size?' } }] },
  { text: 'Ordered.' },
])
export const shirts = agent('shirts', { model, questions: true })

const kept = globalThis as typeof globalThis & { querent?: Promise<Engine> }

async function started(): Promise<Engine> {
  const engine = createEngine({ agents: [shirts], store: sqlite('querent.db') })
  await engine.start()
  return engine
}

kept.querent ??= started()
export const engine = await kept.querent
