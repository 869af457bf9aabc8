import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { createEngine } from 'querent'
import { postgres } from 'querent/postgres'
import { faultStore } from 'querent/testing'
import { agentsOf } from './agents.ts'
import { randomOf } from './random.ts'
import { tracesIn } from './traces.ts'

/* A worker: `node worker.ts <job>`. It works until its standard input ends, or it is killed. */

export interface WorkerJob {
  url: string
  name: string
  /** The machine that it says it is on. */
  host: string
  folder: string
  seed: number
}

const job = JSON.parse(process.argv[2] ?? '') as WorkerJob
os.hostname = () => job.host
syncBuiltinESMExports()

const traces = tracesIn(job.folder)
const notice = (what: string) => traces.notices.add({ worker: job.name, what })
const store = faultStore(postgres(job.url), ({ when, transition, result }) => {
  if (when === 'after' && (result as { case?: string } | undefined)?.case === 'lost') notice(`lost ${transition}`)
})
const tell = (message: string, data?: Record<string, unknown>) => notice(`${message} ${JSON.stringify(data ?? {})}`)
const engine = createEngine({
  agents: agentsOf(traces, randomOf(job.seed)),
  store,
  logger: { info: () => undefined, warn: tell, error: tell },
})
await engine.start()
console.log('begun')
for await (const _ of process.stdin);
await engine.close()
