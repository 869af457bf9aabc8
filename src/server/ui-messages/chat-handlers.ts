import type { Context } from 'hono'
import type { Engine } from '../../engine/engine.ts'
import { type PersonHandle, QuerentError } from '../../protocol/core.ts'
import type { ServerSentEvent } from '../../protocol/server-sent-events.ts'
import type { Caller, Callers } from '../callers.ts'
import type { EventStreams } from '../event-streams.ts'
import { readBody } from '../read-body.ts'
import * as schemas from '../schemas.ts'
import { linesOf } from './lines.ts'
import { type ChatBody, newestOf, postToChat } from './post-chat.ts'
import { inputOf } from './posted.ts'
import { type Chat, replyStream, type Wanted } from './reply-stream.ts'
import { Transcript } from './transcript.ts'
import type { UiMessage } from './ui-message.ts'

/** What the handlers of chats work with. */
export interface ChatParts {
  engine: Pick<Engine, 'runs'>
  callers: Callers
  streams: EventStreams
  maxBodyBytes: number
}

type Handler = (context: Context) => Promise<Response>

/** A chat of `useChat` is a run whose key is the chat's id: each person has their own of any id. */
export function chatHandlers(parts: ChatParts): Record<'postChat' | 'chat' | 'chatStream', Handler> {
  return {
    async postChat(context) {
      const { agent = '' } = context.req.param()
      const known = await parts.callers.find(context.req.raw)
      const caller = known ?? (await parts.callers.starting(context.req.raw, agent))
      const body = await readBody(context.req.raw, schemas.chatBody, parts.maxBodyBytes)
      const newest = newestOf(body)
      const found = await runOf(caller.handle, agent, body.id)
      if (found) return stream(parts, caller, found.run, await postToChat(caller.handle, found.run, body))
      if (newest.role !== 'user') throw noSuchChat(body.id)
      if (known) await parts.callers.starting(context.req.raw, agent)
      return start(parts, caller, agent, body)
    },
    async chat(context) {
      const { agent = '', chat = '' } = context.req.param()
      const caller = await parts.callers.find(context.req.raw)
      const found = caller && (await runOf(caller.handle, agent, chat))
      if (!found) throw noSuchChat(chat)
      const { handle } = caller
      return context.json({ run: found.run, messages: await messagesOf(chatOf(parts, handle, found.run)) })
    },
    async chatStream(context) {
      const { agent = '', chat = '' } = context.req.param()
      const caller = await parts.callers.find(context.req.raw)
      const found = caller && (await runOf(caller.handle, agent, chat))
      // A page asks for every chat that it opens, a new one too.
      if (!found || !['ready', 'working'].includes(found.status)) return context.body(null, 204)
      return stream(parts, caller, found.run, 'newest')
    },
  }
}

async function runOf({ runs }: PersonHandle, agent: string, chat: string) {
  return (await runs.list({ agent, key: chat })).items[0]
}

/** The same for a chat that is somebody else's. */
function noSuchChat(chat: string): QuerentError {
  return new QuerentError(
    'T0001',
    `There is no chat ${JSON.stringify(chat)} for this caller. Check the id, and who is signed in.`,
  )
}

async function start(parts: ChatParts, caller: Caller, agent: string, body: ChatBody): Promise<Response> {
  const input = inputOf(newestOf(body))
  const { run } = await caller.handle.agent(agent).start(input, { key: body.id })
  const response = stream(parts, caller, run, { after: 0 })
  if (caller.cookie !== undefined) response.headers.set('Set-Cookie', caller.cookie)
  return response
}

function chatOf({ engine }: ChatParts, handle: PersonHandle, run: string): Chat {
  return { run, handle, lines: () => linesOf(engine, handle, run) }
}

async function messagesOf({ run, handle, lines }: Chat): Promise<UiMessage[]> {
  const { status, usage, error } = await handle.runs.get(run)
  const transcript = new Transcript(run, await lines())
  if (!['ready', 'working'].includes(status)) {
    transcript.reply().metadata = { run, status, usage, ...(error ? { error } : {}) }
  }
  return transcript.messages
}

function stream(parts: ChatParts, caller: Caller, run: string, wanted: Wanted): Response {
  const chat = chatOf(parts, caller.handle, run)
  const response = parts.streams.open(caller.id, (signal) => events(chat, wanted, signal))
  response.headers.set('X-Vercel-AI-UI-Message-Stream', 'v1')
  return response
}

async function* events(chat: Chat, wanted: Wanted, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  for await (const chunk of replyStream(chat, wanted, signal)) yield { data: JSON.stringify(chunk) }
  yield { data: '[DONE]' }
}
