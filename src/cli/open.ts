import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createEngine } from '../builtin.ts'
import type { AgentRecord } from '../core/agent.ts'
import { visible } from '../core/visible.ts'
import type { QuerentConfig } from '../engine/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../engine/parts.ts'
import type { Store } from '../store/store.ts'
import { postgres } from '../postgres.ts'
import { sqlite } from '../sqlite.ts'
import type { Io } from './io.ts'
import type { Called } from './print-ask.ts'
import { UsageError } from './usage-error.ts'

/** Tried in this order, in the current folder. */
const configNames = ['querent.config.ts', 'querent.config.mts', 'querent.config.mjs', 'querent.config.js']

/** What a command works on. */
export interface Opened {
  engine: Engine
  store: Store
  agents: readonly AgentRecord[]
  /** Whether this process can work on runs of that agent. */
  has(agent: string): boolean
  /** An engine that knows runs of that agent: one without agents where it is not here, since answering needs none. */
  engineFor(agent: string): Engine
}

/**
 * Opens what the options name. A database takes the place of the store in the config. One that is named alone knows no
 * agent: asks can be listed and answered, and a worker elsewhere goes on with the runs.
 * @throws UsageError where there is no config or database; QuerentError where they are wrong.
 */
export async function open(called: Called, io: Io): Promise<Opened> {
  const config = await configOf(called, io)
  const { agents } = config
  const names = new Set(agents.flatMap((agent) => [agent.name, ...agent.aliases]))
  const options = { clock: io.clock, logger: loggerTo(io), ...config }
  const engine = createEngine({ ...options, agents })
  return {
    engine,
    store: config.store,
    agents,
    has: (agent) => names.has(agent),
    engineFor: (agent) => (names.has(agent) ? engine : createEngine({ ...options, agents: [] })),
  }
}

/**
 * `QUERENT_DATABASE` says where the runs are, for the same config on many machines: a URL with a password in it does not
 * belong on a command line, which others on the machine can read.
 */
async function configOf(called: Called, io: Io): Promise<QuerentConfig> {
  const database = called.database ?? (io.env.QUERENT_DATABASE || undefined)
  if (database === undefined) return loadConfig(called, io)
  const store = storeOf(database, io)
  const isAlone = called.config === undefined && (called.database !== undefined || foundConfig(io) === undefined)
  return isAlone ? { agents: [], store } : { ...(await loadConfig(called, io)), store }
}

/** A typing error must not make a new, empty database, in which nothing waits. */
function storeOf(database: string, io: Io): Store {
  if (/^postgres(ql)?:\/\//.test(database)) return postgres(database)
  const path = resolve(io.folder, database)
  if (!existsSync(path)) throw new UsageError(`There is no database ${visible(path, 'line')}.`)
  return sqlite(path)
}

async function loadConfig(called: Called, io: Io): Promise<QuerentConfig> {
  const path = configPath(called, io)
  const config = (await importConfig(path)).default
  if (isConfig(config)) return config
  throw new UsageError(
    `${visible(path, 'line')} has no config as its default export. ` +
      "Write: export default defineConfig({ agents: [...], store: sqlite('querent.db') })",
  )
}

async function importConfig(path: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    if (!(error instanceof SyntaxError && inCommonJs.test(error.message))) throw error
    throw new UsageError(
      `${visible(path, 'line')} is a module, and its folder is CommonJS. ` +
        'Say `npm pkg set type=module`, or name the file querent.config.mts.',
    )
  }
}

/** What Node says of a module in a folder whose package.json has "type": "commonjs". */
const inCommonJs = /Cannot use import statement outside a module|Unexpected token 'export'/

function configPath(called: Called, io: Io): string {
  if (called.config !== undefined) {
    const path = resolve(io.folder, called.config)
    if (existsSync(path)) return path
    throw new UsageError(`There is no config file ${visible(path, 'line')}.`)
  }
  const found = foundConfig(io)
  if (found) return found
  throw new UsageError(
    'There is no querent.config.ts in this folder. Name one with --config FILE, or a database with --database FILE.',
  )
}

function foundConfig({ folder }: Io): string | undefined {
  return configNames.map((name) => resolve(folder, name)).find(existsSync)
}

function isConfig(value: unknown): value is QuerentConfig {
  return (
    typeof value === 'object' &&
    value !== null &&
    'agents' in value &&
    Array.isArray(value.agents) &&
    'store' in value &&
    typeof value.store === 'object'
  )
}

function loggerTo(io: Io): Logger {
  const write = (message: string, data?: Record<string, unknown>) => {
    const details = data === undefined ? '' : ` ${JSON.stringify(data)}`
    io.stderr.write(`querent: ${visible(message + details, 'line')}\n`)
  }
  return { info: () => undefined, warn: write, error: write }
}
