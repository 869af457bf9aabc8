/**
 * How much one Postgres takes: cycles (start → asks → parked → answered → done) through real engines in 1, 2 and 4 worker
 * processes, started and answered by this one. `node --conditions querent-source bench/dispatch/load.ts`. Prints Markdown.
 * `load.ts URL` is one of the workers.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { agent, createEngine } from 'querent'
import { postgres } from 'querent/postgres'
import { scriptedModel } from 'querent/testing'
import { short } from '../figures.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { bytesOfDatabase, queryOnce } from '../query-once.ts'

const cycles = 600
const atOnce = 64
const warmUp = 50

function engineAt(url: string) {
  const turns = [
    { calls: [{ tool: 'question', input: { question: 'Size?', choices: ['S', 'M', 'L'] } }] },
    { text: 'Ordered.' },
  ]
  const asker = agent('asker', { model: scriptedModel(turns), questions: true })
  return createEngine({ agents: [asker], store: postgres(url, { connections: 16 }), concurrency: 32 })
}

const [place] = process.argv.slice(2)
if (place === undefined) await measureAll()
else {
  await engineAt(place).start()
  process.send?.('ready')
}

async function measureAll(): Promise<void> {
  const server = await startPostgres()
  try {
    console.log(`Postgres ${server.version}, fsync on, ${cycles} cycles, ${atOnce} at once\n`)
    console.log(
      '| worker processes | cycles/s | transactions per cycle | WAL per cycle, kB | a finished run on disk, kB |',
    )
    console.log('| --- | --- | --- | --- | --- |')
    for (const workers of [1, 2, 4]) console.log(`| ${workers} | ${(await measure(server, workers)).join(' | ')} |`)
  } finally {
    await server.stop()
  }
}

async function measure({ createDatabase }: PostgresServer, count: number): Promise<string[]> {
  const url = await createDatabase(`workers_${count}`)
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url)))
  const engine = engineAt(url)
  await live(engine, warmUp)
  await pause(1500)
  const [before, bytesBefore] = [await countsOf(url), await bytesOfDatabase(url)]
  const startedMs = performance.now()
  await live(engine, cycles)
  const tookMs = performance.now() - startedMs
  await pause(1500)
  const [after, bytesAfter] = [await countsOf(url), await bytesOfDatabase(url)]
  for (const worker of workers) worker.kill('SIGKILL')
  await engine.close()
  return [
    (cycles * 1000) / tookMs,
    (after.commits - before.commits) / cycles,
    (after.wal - before.wal) / cycles / 1000,
    (bytesAfter - bytesBefore) / cycles / 1000,
  ].map(short)
}

async function startWorker(url: string): Promise<ChildProcess> {
  const worker = fork(import.meta.filename, [url])
  await once(worker, 'message')
  return worker
}

async function live(engine: ReturnType<typeof engineAt>, count: number): Promise<void> {
  const queue = Array.from({ length: count }, (_, index) => index).values()
  const lane = async () => {
    for (const index of queue) {
      const ann = engine.as({ id: `person ${index % 100}` }).agent('asker')
      const { run } = await ann.start('I need a T-shirt')
      await ann.atRest(run)
      await ann.approve({ run, step: 'question 1.1', data: 'M' })
      await ann.atRest(run)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

async function countsOf(url: string): Promise<{ commits: number; wal: number }> {
  const [row] = await queryOnce(
    url,
    `select xact_commit::integer as commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal
      from pg_stat_database where datname = current_database()`,
  )
  return { commits: Number(row?.commits), wal: Number(row?.wal) }
}
