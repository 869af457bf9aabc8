/**
 * What it costs to bring a readied run to a worker in another process, by the rows themselves and by a job of pg-boss:
 * `node --conditions querent-source bench/dispatch/main.ts`. Prints Markdown.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../../src/store/store.ts'
import { newAsk, parked } from '../../src/testing/store-kit/fixtures.ts'
import { percentile, short } from '../figures.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { queryOnce } from '../query-once.ts'
import { countedQueries } from './count-queries.ts'
import { openStore, type Way } from './ways.ts'

const oneByOne = 100
const together = 600
const atOnce = 16
const idleMs = 10_000

type Figures = Record<string, string>

const server = await startPostgres()
try {
  const columns: [Way, Figures][] = []
  for (const way of ['rows', 'pg-boss', 'pg-boss, batches'] as const) columns.push([way, await measure(server, way)])
  const names = Object.keys(columns[0]?.[1] ?? {})
  console.log(`| Postgres ${server.version} | ${columns.map(([way]) => way).join(' | ')} |`)
  console.log(`| --- | ${columns.map(() => '---').join(' | ')} |`)
  for (const name of names) console.log(`| ${name} | ${columns.map(([, figures]) => figures[name]).join(' | ')} |`)
} finally {
  await server.stop()
}

async function measure({ createDatabase }: PostgresServer, way: Way): Promise<Figures> {
  const url = await createDatabase(way.replaceAll(/\W+/g, '_'))
  const { store, close } = await openStore(url, way)
  const worker = await startProcess(url, way, 'one')
  const warm = await parkAll(store, 50)
  for (const ask of warm) await settle(store, ask)
  await until(() => worker.done.size === 50)

  const waitsMs: number[] = []
  for (const ask of await parkAll(store, oneByOne)) {
    await settle(store, ask)
    const settledMs = Number(process.hrtime.bigint()) / 1e6
    await until(() => worker.claimed.has(ask.run))
    waitsMs.push((worker.claimed.get(ask.run) ?? Number.NaN) - settledMs)
    // People take their time: the next answer comes at any moment.
    await pause(60 + ((waitsMs.length * 37) % 80))
  }

  const asks = await parkAll(store, together)
  await pause(2000)
  const before = await countsOf(url, worker)
  const startedMs = performance.now()
  const queue = asks.values()
  const lane = async () => {
    for (const ask of queue) await settle(store, ask)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  await until(() => worker.done.size === 50 + oneByOne + together)
  const tookMs = performance.now() - startedMs
  await pause(2000)
  const after = await countsOf(url, worker)
  await pause(idleMs)
  const idle = await countsOf(url, worker)
  worker.child.kill('SIGKILL')
  const figures = {
    'commit → claim in another process, p50 ms': short(percentile(waitsMs, 0.5)),
    'p95 ms': short(percentile(waitsMs, 0.95)),
    [`cycles a second, ${atOnce} at once`]: short((together * 1000) / tookMs),
    'transactions per cycle': short((after.commits - before.commits) / together),
    'statements per cycle': short((after.queries - before.queries) / together),
    'statements a second of an idle worker': short((idle.worker - after.worker) / (idleMs / 1000)),
    'after kill -9 on another machine, s': short(await failover(url, { way, store, signal: 'SIGKILL' })),
    'after SIGSTOP, s': short(await failover(url, { way, store, signal: 'SIGSTOP' })),
  }
  await close()
  return figures
}

interface Parked {
  run: string
  ask: string
}

async function parkAll(store: Store, count: number): Promise<Parked[]> {
  const all: Parked[] = []
  for (let each = 0; each < count; each += 1) all.push(await parked(store, [newAsk()]))
  return all
}

function settle(store: Store, { ask }: Parked): Promise<unknown> {
  return store.settleAsk({ ask, outcome: 'approved', by: { type: 'system' }, data: 'M' })
}

/** How long it takes until another worker claims what a worker held that ended or froze. */
async function failover(
  url: string,
  { way, store, signal }: { way: Way; store: Store; signal: NodeJS.Signals },
): Promise<number> {
  const holder = await startProcess(url, way, `holder ${signal}`, 'hold')
  const [ask] = await parkAll(store, 1)
  if (!ask) throw new Error('Nothing was parked.')
  await settle(store, ask)
  await until(() => holder.claimed.has(ask.run))
  holder.child.kill(signal)
  const startedMs = performance.now()
  const other = await startProcess(url, way, `other ${signal}`)
  await until(() => other.claimed.has(ask.run))
  const tookMs = performance.now() - startedMs
  for (const { child } of [holder, other]) child.kill('SIGKILL')
  return tookMs / 1000
}

interface WorkerProcess {
  child: ChildProcess
  claimed: Map<string, number>
  done: Set<string>
  queries: number
}

async function startProcess(url: string, ...args: string[]): Promise<WorkerProcess> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [url, ...args])
  const worker: WorkerProcess = { child, claimed: new Map(), done: new Set(), queries: 0 }
  child.on('message', (said: { claimed?: string; atMs?: number; done?: string; queries?: number }) => {
    if (said.claimed !== undefined && said.atMs !== undefined) worker.claimed.set(said.claimed, said.atMs)
    if (said.done !== undefined) worker.done.add(said.done)
    if (said.queries !== undefined) worker.queries = said.queries
  })
  await once(child, 'message')
  return worker
}

async function countsOf(url: string, worker: WorkerProcess) {
  worker.child.send('count')
  await once(worker.child, 'message')
  const own = countedQueries()
  const [row] = await queryOnce(
    url,
    'select xact_commit::integer as commits from pg_stat_database where datname = current_database()',
  )
  return { commits: Number(row?.commits), queries: own + worker.queries, worker: worker.queries }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(1)
}
