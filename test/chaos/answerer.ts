import { setTimeout as wait } from 'node:timers/promises'
import { type Ask, createEngine, type Json } from 'querent'
import { postgres } from 'querent/postgres'
import { randomOf } from './random.ts'
import { tracesIn } from './traces.ts'
import { untilTold } from './until-told.ts'

/*
 * One who answers whatever waits, in a process without agents: `node answerer.ts <job>`, until its standard input ends.
 * Two of them look at the same list, and give different answers.
 */

export interface AnswererJob {
  url: string
  name: string
  folder: string
  seed: number
  /** Writes messages and stops runs now and then. */
  interferes: boolean
}

const job = JSON.parse(process.argv[2] ?? '') as AnswererJob
const random = randomOf(job.seed)
const traces = tracesIn(job.folder)
const store = postgres(job.url, { connections: 4 })
const engine = createEngine({ agents: [], store })
const ann = engine.as({ id: 'ann' })

function dataFor({ kind, options }: Ask): Json | undefined {
  if (kind === 'approval') return undefined
  return options ? random.of(options).label : `${job.name} says ${random.between(1, 1_000_000)}`
}

async function give(ask: Ask): Promise<void> {
  const answerId = `${job.name} ${ask.id}`
  const approves = random.next() < 0.9
  const data = dataFor(ask)
  const { code, again } = await untilTold(() =>
    approves ? ann.runs.approve(ask, { data, answerId }) : ann.runs.refuse(ask, { answerId }),
  )
  const outcome = approves ? 'approved' : 'refused'
  traces.told.add({ ask: ask.id, answerId, outcome, again, ...(approves ? { data } : {}), code })
}

/** Half of what has a deadline is left to it. */
function isLeft(ask: Ask): boolean {
  return ask.until !== undefined && ask.id.charCodeAt(ask.id.length - 1) % 2 === 0
}

async function interfere({ run, agent }: Ask): Promise<void> {
  const chance = random.next()
  if (agent === 'shop' && chance < 0.1) await untilTold(() => ann.runs.say({ run, text: 'Wait.', key: `wait ${run}` }))
  if (chance > 0.97) await untilTold(() => ann.runs.stop({ run }))
}

let ends = false
process.stdin.on('end', () => {
  ends = true
})
process.stdin.resume()
await untilTold(() => ann.asks())
console.log('begun')
while (!ends) {
  const { value: asks = [] } = await untilTold(() => ann.asks({ limit: 100 }))
  const chosen = random.shuffled(asks.filter((ask) => !isLeft(ask))).slice(0, 6)
  const [first] = chosen
  if (job.interferes && first) await interfere(first)
  await Promise.all(chosen.map(give))
  await wait(random.between(20, 120))
}
await engine.close()
