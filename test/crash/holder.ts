import { createInterface } from 'node:readline'
import { agent, createEngine, type ToolDefinition, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { type FaultPoint, fakeClock, faultStore, scriptedModel, type TransitionName } from 'querent/testing'
import { startMs } from './traces.ts'

/*
 * A process that holds runs and does as it is told: `node holder.ts <job>`, one command a line on its standard input. It
 * prints what happens to it, so that a test can wait for that and for nothing else.
 */

export interface HolderJob {
  database: string
  name: string
  /** Whether its engine works on runs. Without, it answers only, as a command line does. */
  works: boolean
  /** How far its clock is ahead of the others'. */
  aheadMs?: number
  /** It does not hear of what other processes write. */
  isDeaf?: boolean
  /** Ends itself with SIGKILL after this transition. */
  killAfter?: TransitionName
}

const job = JSON.parse(process.argv[2] ?? '') as HolderJob
const clock = fakeClock(startMs + (job.aheadMs ?? 0))
const go = Promise.withResolvers<void>()

/** A tool that does its work when it is told to, and says whose process did it. */
function slowTool(name: string, traits: Pick<ToolDefinition, 'retrySafe'>): ToolDefinition {
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

const pour = slowTool('pour', { retrySafe: false })
const read = slowTool('read', { retrySafe: true })
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
  agent('pour', { model: calling('pour'), tools: [pour] }),
  agent('read', { model: calling('read'), tools: [read] }),
  agent('model', { model: thinking }),
  agent('ask', { model: asking, questions: true, limits: { ask: '7d' } }),
]

function atPoint({ transition, when, result }: FaultPoint): void {
  if (when === 'before') return
  if (transition === job.killAfter) process.kill(process.pid, 'SIGKILL')
  if (transition === 'claimRun') console.log(result ? 'claimed a run' : 'claimed nothing')
  if ((result as { case?: string } | undefined)?.case === 'lost') console.log(`lost ${transition}`)
}

const store = faultStore(sqlite(job.database, { clock }), atPoint)
const deaf: typeof store = {
  ...store,
  onChange: (listener) => store.onChange((run, elsewhere) => !elsewhere && listener(run, elsewhere)),
}
const engine = createEngine({ agents, store: job.isDeaf ? deaf : store, clock })
const ann = engine.as({ id: 'ann' }).agent('ask')

const commands: Record<string, (...words: string[]) => unknown> = {
  async start(name = '') {
    const { run } = await engine.as({ id: 'ann' }).agent(name).start('Please.')
    console.log(`started ${run}`)
  },
  async rest(run = '') {
    console.log(`rests ${(await ann.atRest(run)).status}`)
  },
  answer: (run = '', data = '') => ann.approve({ run, step: 'question 1.1', data }),
  go: () => go.resolve(),
  advance: (ms) => clock.advance(Number(ms)),
}

if (job.works) await engine.start()
console.log('begun')
const underWay: unknown[] = []
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', ...words] = line.split(' ')
  underWay.push(commands[name]?.(...words))
}
await Promise.all(underWay)
await engine.close()
