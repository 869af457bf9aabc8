import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomId } from '../../core/ambient.ts'
import { createServer, inboxPage, nodeHandler, type Server, tokenSessions } from '../../server.ts'
import { type Command, type CommonOptions, printJson, withCommand } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import { interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { localPerson } from '../serve-identity.ts'
import { UsageError } from '../usage-error.ts'

export interface ServeOptions extends CommonOptions {
  port?: number
  host: string
}

const defaultPort = 4000

const secretMissing =
  'querent: QUERENT_SECRET is not set. Who is not signed in is known to this process alone: on several machines set it to ' +
  'the same random text on each, or whoever is sent to another one loses their runs.'

/** How long a request that is under way may take once the server ends. */
const graceMs = 5_000

/** `querent serve`: the engine, its API and the inbox page in one process, until it is interrupted. */
export function serve(io: Io, options: ServeOptions): Promise<ExitCode> {
  const { host } = options
  const port = options.port ?? portOf(io)
  const token = io.env.QUERENT_TOKEN || undefined
  if (token === undefined && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
    throw new UsageError(`${host} can be reached by others: set QUERENT_TOKEN, the token that lets them in.`)
  }
  return withCommand(io, options, async (command) => {
    const { engine, person, store } = command
    if (store.name !== 'sqlite' && !io.env.QUERENT_SECRET) io.stderr.write(`${secretMissing}\n`)
    const sessions = token === undefined ? undefined : tokenSessions({ token, person: { id: person }, clock: io.clock })
    const server = createServer(engine, {
      identify: sessions ?? localPerson(person),
      ...(sessions ? { sessions } : {}),
      // Without a secret of their own, anonymous persons last as long as this process.
      secret: io.env.QUERENT_SECRET || randomId('secret'),
      clock: io.clock,
      fallback: inboxPage(),
    })
    const http = await listen(server, host, port)
    try {
      const interrupted = interruption(io)
      await engine.start()
      announce(command, http, token !== undefined)
      await interrupted
    } finally {
      await close(io, server, http)
    }
    return exit.fine
  })
}

function portOf({ env }: Io): number {
  const { PORT } = env
  if (PORT === undefined || PORT === '') return defaultPort
  if (/^\d{1,5}$/.test(PORT) && Number(PORT) < 65_536) return Number(PORT)
  throw new UsageError(`PORT is ${JSON.stringify(PORT)}. Give a number from 0 to 65535, or --port.`)
}

async function listen(server: Server, host: string, port: number): Promise<HttpServer> {
  const handle = nodeHandler(server)
  const http = createHttpServer((incoming, outgoing) => void handle(incoming, outgoing))
  http.listen(port, host)
  try {
    await once(http, 'listening')
    return http
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new UsageError(`Port ${port} is taken. Choose another with --port.`)
    if (code === 'EACCES') throw new UsageError(`Port ${port} may not be used. Choose another with --port.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError(`There is no address ${host} here.`)
    throw error
  }
}

function announce(command: Command, http: HttpServer, hasToken: boolean): void {
  const { address, family, port } = http.address() as AddressInfo
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  const { agents, person, output } = command
  const names = agents.map(({ name }) => name).join(', ') || 'none; asks can be answered'
  // The token itself is printed nowhere: logs keep what is printed.
  const who = hasToken ? `whoever has QUERENT_TOKEN is ${person}; the page asks for it` : `you are ${person}`
  if (command.json) printJson(command, { url, person })
  else output.lines(`Querent serves at ${url}\n  agents: ${names}\n  ${who}; Ctrl-C ends it`)
}

/** Streams are cut and nothing new is taken; what is under way comes to its end. */
async function close(io: Io, server: Server, http: HttpServer): Promise<void> {
  const closed = once(http, 'close')
  http.close()
  await server.close()
  const cancel = io.clock.after(graceMs, () => http.closeAllConnections())
  await closed
  cancel()
}
