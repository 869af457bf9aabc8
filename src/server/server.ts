import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../engine/parts.ts'
import { type Clock, code, QuerentError, systemClock } from '../protocol/core.ts'
import { problemOf, problemType } from '../protocol/problem.ts'
import { Callers, type Identify } from './callers.ts'
import { EventStreams } from './event-streams.ts'
import { handlersOf } from './handlers.ts'
import { addHealth } from './health.ts'
import { ratesOf } from './limited-handle.ts'
import { type OperationName, operations } from './operations.ts'
import { checkOrigin } from './origin.ts'
import { limitsOf, type ServerLimits } from './server-limits.ts'
import type { TokenSessions } from './token-sessions.ts'

/** What `createServer` takes beside the engine. */
export interface ServerOptions {
  /**
   * Says who makes a request; nothing where it is nobody you know. It decides alone: no body ever says who somebody is.
   * See `jwt`, `tokenSessions` and `devCookies`.
   */
  identify: Identify
  /** Other origins whose pages may use this server, as `https://app.example`. Default: its own alone, and no CORS. */
  origins?: string[]
  /**
   * Default: bodies of 4 MiB; 32 streams a person, ended after 15 minutes, with a sign of life every 15 seconds; 120 starts
   * and messages and 600 answers of a person, and 120 anonymous newcomers, a minute.
   */
  limits?: Partial<ServerLimits>
  /** Signs the cookies of anonymous persons, at least 32 characters. Needed where an agent has `access: 'everyone'`. */
  secret?: string
  /** Lets pages sign in with a token, under `/api/sign-in`. Give the same as `identify`, or what `identify` asks. */
  sessions?: TokenSessions
  /** Answers what is not under `/api`: a page, its assets. Default: 404. */
  fallback?(request: Request): Response | Promise<Response>
  /** Default: the system's. */
  clock?: Clock
  /** Is told of what went wrong here. Default: errors on standard error. */
  logger?: Pick<Logger, 'error'>
}

/** The HTTP API of an engine, to be mounted anywhere. */
export interface Server {
  /** Answers a request. Never rejects. It needs no `this`. */
  fetch(request: Request): Promise<Response>
  /** Ends every stream and takes nothing more (503): clients try again, elsewhere. The engine is yours to close. */
  close(): Promise<void>
}

const consoleLogger = { error: (message: string, data?: object) => console.error(`querent: ${message}`, data ?? '') }

/**
 * Makes the HTTP API of an engine, under `/api`; `/healthz` and `/readyz` stand beside it. Persons see and do what
 * `engine.as(person)` lets them, no more.
 * @throws QuerentError T1003 where an option is wrong.
 */
export function createServer(engine: Engine, options: ServerOptions): Server {
  checkOptions(options)
  const { clock = systemClock, logger = consoleLogger, origins = [], fallback } = options
  const limits = limitsOf(options.limits)
  const report = (error: unknown) =>
    logger.error('a request failed', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  const streams = new EventStreams(clock, limits, report)
  const callers = new Callers(engine, { ...options, rates: ratesOf(clock, limits) })
  let closed = false
  const app = new Hono()
  app.use('/api/*', async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value)
  })
  if (origins.length > 0) app.use('/api/*', cors(corsOf(origins)))
  app.use('/api/*', async ({ req }, next) => {
    if (closed) throw new QuerentError('T1008', 'The server is closing.', { status: 503 })
    // A HEAD would open a stream that nobody reads.
    if (req.method !== 'GET' && req.method !== 'POST') throw wrongMethod(req.method, ['GET', 'POST'])
    if (req.method === 'POST') checkOrigin(req.raw, origins)
    await next()
  })
  addRoutes(app, handlersOf({ engine, callers, streams, sessions: options.sessions, maxBodyBytes: limits.bodyBytes }))
  addHealth(app, async () => (await engine.isReady()) && !closed)
  if (fallback) app.all('*', ({ req }) => fallback(req.raw))
  app.onError((error, context) => problemAnswer(context, error, report))
  return {
    fetch: async (request) => app.fetch(request),
    async close() {
      closed = true
      await streams.close()
    },
  }
}

/** An answer of the API is data: nothing may run it, frame it, or keep it. */
const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

function corsOf(origins: string[]): Parameters<typeof cors>[0] {
  return {
    origin: origins,
    credentials: true,
    allowMethods: ['GET', 'POST'],
    allowHeaders: ['Authorization', 'Content-Type', 'Last-Event-ID'],
    maxAge: 600,
  }
}

function addRoutes(app: Hono, handlers: Record<OperationName, (context: Context) => Promise<Response>>): void {
  const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')
  const entries = Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][]
  for (const [name, { method, path }] of entries) {
    app.on(method, honoPath(path), async (context) => {
      const response = await handlers[name](context)
      if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store')
      return response
    })
  }
  for (const [path, those] of Map.groupBy(entries, ([, operation]) => operation.path)) {
    const methods = those.map(([, { method }]) => method)
    app.all(honoPath(path), ({ req }) => {
      throw wrongMethod(req.method, methods)
    })
  }
  app.all('/api/*', () => {
    throw new QuerentError('T0008', 'There is nothing at this path. GET /api/openapi.json says what there is.', {
      status: 404,
    })
  })
}

function wrongMethod(method: string, taken: string[]): QuerentError {
  const allow = taken.join(', ')
  return new QuerentError('T0008', `${method} is not taken here, but ${allow}.`, { status: 405, data: { allow } })
}

function problemAnswer(context: Context, error: unknown, report: (error: unknown) => void): Response {
  const known = error instanceof QuerentError ? error : undefined
  // That it is closing is no news to who closed it: a line for each page that is open would bury what is.
  if (!known || (known.status >= 500 && !known.is(code.T1008))) report(error)
  const headers = {
    ...{ 'Content-Type': problemType, 'Cache-Control': 'no-store' },
    ...(known && (known.retry || known.status === 503) ? { 'Retry-After': retryAfterOf(known) } : {}),
    ...(known?.status === 405 ? { Allow: String(known.data.allow) } : {}),
  }
  if (known) return context.body(JSON.stringify(problemOf(known)), known.status as 500, headers)
  const title = 'Something went wrong in the server.'
  return context.body(JSON.stringify({ type: 'about:blank', title, status: 500, detail: title }), 500, headers)
}

/** In seconds, as HTTP has it. */
function retryAfterOf({ data }: QuerentError): string {
  return String(Math.max(1, Math.ceil(Number(data.retryAfterMs ?? 0) / 1000)))
}

const known = ['identify', 'origins', 'limits', 'secret', 'sessions', 'fallback', 'clock', 'logger']

function checkOptions(options: ServerOptions): void {
  const wrong = (message: string) => new QuerentError(code.T1003, message)
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw wrong(`createServer has the unknown option "${unknown}". Known: ${known.join(', ')}.`)
  if (typeof options.identify !== 'function') {
    throw wrong('createServer needs identify: a function of the request that gives a person, or nothing.')
  }
  for (const origin of options.origins ?? []) {
    if (URL.parse(origin)?.origin === origin) continue
    throw wrong(`origins has ${JSON.stringify(origin)}. Write scheme and host alone, such as "https://app.example".`)
  }
}
