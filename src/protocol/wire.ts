import type { AgentSummary, Json, RunStatus, Step, UserInput } from './core.ts'

/* The bodies and paths that go over the wire. `src/server/schemas.ts` checks them; the client writes them. */

/** What `GET /api/agents` is answered with: all that the caller may start. */
export interface AgentList {
  items: AgentSummary[]
}

/** `POST signIn`, where a 401 has said `data.signIn: 'token'`. A cookie that no script reads comes with the answer. */
export interface SignInBody {
  token: string
}

/** What `signIn` and `signOut` are answered with. */
export interface SignInState {
  signedIn: boolean
}

/** `POST startPath`. Answered with 201 and `Started`. */
export interface StartBody {
  input: UserInput
  key?: string
}

export interface Started {
  run: string
}

/** Which ask is meant: by its id, or by its place. */
export type AskPlace = { ask: string } | { step: Step | (string & {}); repeat?: number; n?: number }

export type ApproveBody = AskPlace & { data?: Json; answerId?: string }

export type RefuseBody = AskPlace & { reason?: string; answerId?: string }

export interface SayBody {
  text: UserInput
  key?: string
}

/** What `say` and `stop` are answered with, and 202. */
export interface RunState {
  run: string
  status: RunStatus
}

/** Path patterns, as the server routes and documents them. */
export const paths = {
  agents: '/api/agents',
  start: '/api/agents/{agent}/runs',
  runs: '/api/runs',
  run: '/api/runs/{run}',
  approve: '/api/runs/{run}/approve',
  refuse: '/api/runs/{run}/refuse',
  say: '/api/runs/{run}/say',
  stop: '/api/runs/{run}/stop',
  runEvents: '/api/runs/{run}/events',
  chat: '/api/agents/{agent}/chat',
  chatMessages: '/api/agents/{agent}/chat/{chat}',
  chatStream: '/api/agents/{agent}/chat/{chat}/stream',
  asks: '/api/asks',
  events: '/api/events',
  signIn: '/api/sign-in',
  signOut: '/api/sign-out',
  openapi: '/api/openapi.json',
} as const

/** A path with its places filled in, each as one segment whatever it holds. */
export function pathOf(pattern: string, values: Record<string, string>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}

/**
 * Names of server-sent events beside those of the view, which are `message` and tell their type in their data. `end`: the
 * run is over, and so is the stream. `rest`: the run came to rest, and its view. `resync`: the id that was sent is none of
 * this log; what follows begins at its first line.
 */
export type StreamEvent = 'end' | 'rest' | 'resync'
