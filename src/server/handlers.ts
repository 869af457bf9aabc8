import type { Context } from 'hono'
import type { z } from 'zod'
import { type AskAt, type AskRef, type PersonEvent, QuerentError, type ViewEvent } from '../protocol/core.ts'
import type { ServerSentEvent } from '../protocol/server-sent-events.ts'
import { pathOf, paths, type StreamEvent } from '../protocol/wire.ts'
import type { Caller } from './callers.ts'
import type { EventSource } from './event-streams.ts'
import { openApi } from './openapi.ts'
import type { OperationName } from './operations.ts'
import { readBody, readQuery } from './read-body.ts'
import * as schemas from './schemas.ts'
import type { TokenSessions } from './token-sessions.ts'
import { type ChatParts, chatHandlers } from './ui-messages/chat-handlers.ts'

/** What handlers work with. */
export interface HandlerParts extends ChatParts {
  sessions?: TokenSessions | undefined
}

type Handler = (context: Context) => Promise<Response>

/** What each operation does. */
export function handlersOf(parts: HandlerParts): Record<OperationName, Handler> {
  const { callers } = parts
  const document = openApi()
  return {
    listAgents: async (context) => context.json({ items: await callers.agents(context.req.raw) }),
    start: (context) => start(parts, context),
    async listRuns(context) {
      const { handle } = await callers.signedIn(context.req.raw)
      return context.json(await handle.runs.list(readQuery(context.req.raw, schemas.runQuery)))
    },
    async listAsks(context) {
      const { handle } = await callers.signedIn(context.req.raw)
      return context.json(await handle.askPage(readQuery(context.req.raw, schemas.askQuery)))
    },
    async events(context) {
      const { id, handle } = await callers.signedIn(context.req.raw)
      return parts.streams.open(id, (signal) => personEvents(handle.events({ signal })))
    },
    openapi: async (context) => context.json(document),
    ...sessionHandlers(parts),
    ...runHandlers(parts),
    ...chatHandlers(parts),
  }
}

function sessionHandlers({ sessions, maxBodyBytes }: HandlerParts): Record<'signIn' | 'signOut', Handler> {
  const none = () =>
    new QuerentError('T0008', 'Nobody signs in here: who calls is known in another way.', { status: 404 })
  return {
    async signIn(context) {
      const { token } = await readBody(context.req.raw, schemas.signInBody, maxBodyBytes)
      if (!sessions) throw none()
      const cookie = await sessions.signIn(token, context.req.raw)
      if (cookie === undefined)
        throw new QuerentError('T0007', 'This is not the token of this server.', { status: 401 })
      context.header('Set-Cookie', cookie)
      return context.json({ signedIn: true })
    },
    async signOut(context) {
      await readBody(context.req.raw, schemas.signOutBody, maxBodyBytes)
      if (!sessions) throw none()
      context.header('Set-Cookie', sessions.signOut(context.req.raw))
      return context.json({ signedIn: false })
    },
  }
}

async function start({ callers, maxBodyBytes }: HandlerParts, context: Context): Promise<Response> {
  const agent = paramOf(context, 'agent')
  const caller = await callers.starting(context.req.raw, agent)
  const { input, key } = await readBody(context.req.raw, schemas.startBody, maxBodyBytes)
  const started = await caller.handle.agent(agent).start(input, { key })
  // Who could not start anything needs no name.
  if (caller.cookie !== undefined) context.header('Set-Cookie', caller.cookie)
  context.header('Location', pathOf(paths.run, started))
  return context.json(started, 201)
}

function runHandlers(
  parts: HandlerParts,
): Record<'getRun' | 'approve' | 'refuse' | 'say' | 'stop' | 'runEvents', Handler> {
  return {
    async getRun(context) {
      const { caller, run } = await runOf(parts, context)
      return context.json(await caller.handle.runs.get(run))
    },
    async approve(context) {
      const { caller, run, body } = await writeOf(parts, context, schemas.approveBody)
      const { data, answerId } = body
      return context.json(await caller.handle.runs.approve(placeOf(run, body), { data, answerId }))
    },
    async refuse(context) {
      const { caller, run, body } = await writeOf(parts, context, schemas.refuseBody)
      const { reason, answerId } = body
      return context.json(await caller.handle.runs.refuse(placeOf(run, body), { reason, answerId }))
    },
    async say(context) {
      const { caller, run, body } = await writeOf(parts, context, schemas.sayBody)
      return context.json(await caller.handle.runs.say({ run, ...body }), 202)
    },
    async stop(context) {
      const { caller, run } = await writeOf(parts, context, schemas.stopBody)
      return context.json(await caller.handle.runs.stop({ run }), 202)
    },
    async runEvents(context) {
      const { caller, run } = await runOf(parts, context)
      // Where it is not theirs, that comes before what is wrong with the query; and the log's last line is needed.
      const { seq } = await caller.handle.runs.get(run)
      const { after = 0, until } = readQuery(context.req.raw, schemas.runEventsQuery)
      if (until) return parts.streams.open(caller.id, (signal) => restEvent(caller, run, signal))
      const from = lineOf(context.req.header('Last-Event-ID'), after)
      const known = from !== undefined && from <= seq
      return parts.streams.open(caller.id, runEvents(caller, run, known ? from : 'resync'))
    },
  }
}

function paramOf(context: Context, name: string): string {
  return context.req.param(name) ?? ''
}

async function runOf({ callers }: HandlerParts, context: Context): Promise<{ caller: Caller; run: string }> {
  const run = paramOf(context, 'run')
  return { caller: await callers.ofRun(context.req.raw, run), run }
}

/** A write to a run. That a run is not theirs comes before what is wrong with the body. */
async function writeOf<T>(
  parts: HandlerParts,
  context: Context,
  schema: z.ZodType<T>,
): Promise<{ caller: Caller; run: string; body: T }> {
  const { caller, run } = await runOf(parts, context)
  try {
    return { caller, run, body: await readBody(context.req.raw, schema, parts.maxBodyBytes) }
  } catch (error) {
    await caller.handle.runs.get(run)
    throw error
  }
}

function placeOf(run: string, { ask, step = '', repeat, n }: schemas.PlaceFields): AskAt | AskRef {
  return ask === undefined ? { run, step, repeat, n } : { run, id: ask }
}

/** The line after which a stream goes on; nothing where the id is none that we gave. */
function lineOf(lastEventId: string | undefined, after: number): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return after
  return /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined
}

function runEvents(caller: Caller, run: string, from: number | 'resync'): EventSource {
  return async function* (signal) {
    if (from === 'resync') yield named('resync', {})
    const after = from === 'resync' ? 0 : from
    for await (const event of caller.handle.runs.watch(run, { after, signal })) yield viewEvent(event)
    if (!signal.aborted) yield named('end', {})
  }
}

async function* restEvent(caller: Caller, run: string, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const rest = await caller.handle.runs.atRest(run, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (rest) yield named('rest', rest)
}

async function* personEvents(events: AsyncIterable<PersonEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) yield { data: JSON.stringify(event) }
}

function viewEvent(event: ViewEvent): ServerSentEvent {
  const data = JSON.stringify(event)
  return 'seq' in event ? { id: String(event.seq), data } : { data }
}

function named(event: StreamEvent, data: object): ServerSentEvent {
  return { event, data: JSON.stringify(data) }
}
