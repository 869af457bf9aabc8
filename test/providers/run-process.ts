import { agent, createEngine, type Json, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { languageModelAt, type ProviderName } from './language-models.ts'

/** What a process does before it works on what is ready. */
export type Command =
  | { start: string }
  | { approve: { run: string; step: string; data: Json } }
  | { say: { run: string; text: string } }
  /** Nothing: it goes on with the only run there is. */
  | 'work'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks something up.',
  input: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'], additionalProperties: false },
  retrySafe: true,
  execute: (input) => `found ${(input as { q: string }).q}`,
})

const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }

/** Makes the agent as every process of these tests has it. */
function askerAt(provider: ProviderName, url: string, questions: boolean | { deliver: 'message' }) {
  return agent('asker', {
    model: languageModelAt[provider](url),
    instructions: 'Be brief. Ünïcode.',
    tools: [lookUp],
    questions,
    settings: provider === 'anthropic' ? { providerOptions: thinking } : {},
  })
}

// Run as a program: does one thing, works until the run is at rest, says so, and stays until it is killed.
if (process.argv[1] === import.meta.filename) {
  const [, , provider, url, path, deliver, text] = process.argv as [string, string, ProviderName, ...string[]]
  const asker = askerAt(provider, url as string, deliver === 'message' ? { deliver } : true)
  const engine = createEngine({ agents: [asker], store: sqlite(path as string) })
  const ann = engine.as({ id: 'ann' }).agent('asker')
  // Before the engine starts: what is written is there for whoever works, as in a process that only answers.
  const command = JSON.parse(text as string) as Command
  const run = await obey(command)
  await engine.start()
  process.stdout.write(`${JSON.stringify(await ann.atRest(run))}\n`)
  process.stdin.resume()

  async function obey(given: Command): Promise<string> {
    if (given === 'work') return (await ann.working())[0]?.run as string
    if ('start' in given) return (await ann.start(given.start)).run
    if ('say' in given) return (await ann.say(given.say)).run
    await ann.approve(given.approve)
    return given.approve.run
  }
}
