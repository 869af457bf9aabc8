import { appendFileSync } from 'node:fs'
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { agent, createEngine, type Json, type RunView } from 'querent'
import { askTool, openaiAgents } from 'querent/openai-agents'
import { sqlite } from 'querent/sqlite'
import { toolsNoting } from './sdk-world.ts'

/** What a process does before it works on what is ready. */
export type Command =
  | { start: string }
  | { approve: { run: string; step: string; data?: Json } }
  | { refuse: { run: string; step: string; reason: string } }
  | { say: { run: string; text: string } }
  /** Nothing: it goes on with the only run there is. */
  | 'work'

/** The agent as every process of these tests has it, with the real provider of the SDK. */
function clerkAt(url: string, effects: string) {
  const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: url, useResponses: true })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const clerk = new Agent({
    name: 'Clerk',
    instructions: 'Be brief. Ünïcode.',
    model: 'served',
    modelSettings: { store: false, retry: { maxRetries: 0 } },
    tools: [askTool(), ...toolsNoting((done) => appendFileSync(effects, `${done}\n`))],
  })
  return agent('clerk', { driver: openaiAgents(clerk, { runner }), questions: true })
}

// Run as a program: does one thing, works until the run is at rest, says so, and stays until it is killed.
if (process.argv[1] === import.meta.filename) {
  const [, , url, path, effects, text] = process.argv as string[]
  const engine = createEngine({ agents: [clerkAt(url as string, effects as string)], store: sqlite(path as string) })
  const ann = engine.as({ id: 'ann' }).agent('clerk')
  const run = await obey(JSON.parse(text as string) as Command)
  await engine.start()
  const atRest: RunView = await ann.atRest(run)
  process.stdout.write(`${JSON.stringify(atRest)}\n`)
  process.stdin.resume()

  async function obey(given: Command): Promise<string> {
    if (given === 'work') return (await ann.working())[0]?.run as string
    if ('start' in given) return (await ann.start(given.start)).run
    if ('say' in given) return (await ann.say(given.say)).run
    if ('approve' in given) await ann.approve(given.approve)
    else await ann.refuse(given.refuse)
    return 'approve' in given ? given.approve.run : given.refuse.run
  }
}
