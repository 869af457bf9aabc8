import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { createInterface } from 'node:readline'
import { agent, createEngine, type ToolDefinition, tool } from 'querent'
import { postgres } from 'querent/postgres'
import { type FaultPoint, faultStore, scriptedModel } from 'querent/testing'
import { systemClock } from '../../src/core/ambient.ts'

/*
 * A worker that does as it is told: `node holder.ts <job>`, one command a line on its standard input. It prints what
 * happens to it, so that a test can wait for that and for nothing else.
 */

export interface HolderJob {
  url: string
  name: string
  /** The machine that it says it is on. */
  host: string
  /** Of those below. */
  agents: string[]
  /** It looks for work only where it is told of a change, never by itself. */
  neverLooks?: boolean
}

const job = JSON.parse(process.argv[2] ?? '') as HolderJob
os.hostname = () => job.host
syncBuiltinESMExports()
const go = Promise.withResolvers<void>()

/** A tool that does its work when it is told to, and says whose process did it. */
function slow(name: string, traits: Pick<ToolDefinition, 'retrySafe'>): ToolDefinition {
  return tool({
    name,
    description: 'Works for a long time.',
    input: { type: 'object' },
    ...traits,
    async execute(_, { signal }) {
      signal.addEventListener('abort', () => console.log(`aborted ${name}`))
      console.log(`running ${name}`)
      await go.promise
      return `${name} by ${job.name}`
    },
  })
}

const deadly = tool({
  name: 'deadly',
  description: 'Takes its process with it.',
  input: { type: 'object' },
  retrySafe: true,
  execute() {
    console.log('dying')
    process.kill(process.pid, 'SIGKILL')
  },
})

const calling = (name: string) => scriptedModel([{ calls: [{ tool: name, input: {} }] }, { text: 'Did it.' }])
const thinking = scriptedModel([
  ({ signal }) => {
    signal.addEventListener('abort', () => console.log('aborted model'))
    console.log('running model')
    return { text: `Thought by ${job.name}.`, hold: go.promise }
  },
])
const asking = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }] },
  { text: 'Ordered.' },
])

const agents = [
  agent('pour', { model: calling('pour'), tools: [slow('pour', { retrySafe: false })] }),
  agent('read', { model: calling('read'), tools: [slow('read', { retrySafe: true })] }),
  agent('deadly', { model: calling('deadly'), tools: [deadly] }),
  agent('model', { model: thinking }),
  agent('ask', { model: asking, questions: true }),
].filter(({ name }) => job.agents.includes(name))

function atPoint({ transition, when, result }: FaultPoint): void {
  if (when === 'before') return
  if (transition === 'claimRun') console.log(result ? `claimed ${(result as { run: string }).run}` : 'claimed nothing')
  if ((result as { case?: string } | undefined)?.case === 'lost') console.log(`lost ${transition}`)
}

const say = (message: string, data?: Record<string, unknown>) => console.log(`said ${message} ${JSON.stringify(data)}`)
const engine = createEngine({
  agents,
  store: faultStore(postgres(job.url, { connections: 3 }), atPoint),
  clock: job.neverLooks ? { now: systemClock.now, after: () => () => undefined } : systemClock,
  logger: { info: () => undefined, warn: say, error: say },
})
const ann = engine.as({ id: 'ann' })

const commands: Record<string, (...words: string[]) => unknown> = {
  async start(name = '') {
    console.log(`started ${(await ann.agent(name).start('Please.')).run}`)
  },
  go: () => go.resolve(),
}

await engine.start()
console.log('begun')
const underWay: unknown[] = []
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', ...words] = line.split(' ')
  underWay.push(commands[name]?.(...words))
}
go.resolve()
await Promise.all(underWay)
await engine.close()
