import type { z } from 'zod'
import { type Code, code } from '../protocol/core.ts'
import { paths } from '../protocol/wire.ts'
import * as schemas from './schemas.ts'

/** One thing that can be asked of the server. The router and the OpenAPI document are made from the same table. */
export interface Operation {
  method: 'GET' | 'POST'
  path: string
  summary: string
  query?: z.ZodType
  body?: z.ZodType
  /** What it is answered with. `events`: a stream of server-sent events, each with this as its data. */
  answer: { status: 200 | 201 | 202; schema?: z.ZodType; events?: boolean }
  codes: Code[]
}

const { T0001, T0002, T0003, T0004, T0005, T0006, T0007, T0008, T0009, T0010, T0011, T0012, T0013, T0014 } = code

const settlingCodes = [T0001, T0006, T0004, T0003, T0005, T0008, T0009, T0012]

export const operations = {
  listAgents: {
    method: 'GET',
    path: paths.agents,
    summary: 'The agents that this person may start. For nobody: those that are there for everyone.',
    answer: { status: 200, schema: schemas.agentList },
    codes: [],
  },
  start: {
    method: 'POST',
    path: paths.start,
    summary: 'Starts a run. With a key a repeat gives the same run.',
    body: schemas.startBody,
    answer: { status: 201, schema: schemas.started },
    codes: [T0007, code.T1005, T0008, T0012, T0014],
  },
  listRuns: {
    method: 'GET',
    path: paths.runs,
    summary: 'The runs of this person, newest first.',
    query: schemas.runQuery,
    answer: { status: 200, schema: schemas.runPage },
    codes: [T0007, T0008],
  },
  getRun: {
    method: 'GET',
    path: paths.run,
    summary: 'A run with its conversation.',
    answer: { status: 200, schema: schemas.runView },
    codes: [T0001],
  },
  approve: {
    method: 'POST',
    path: paths.approve,
    summary: 'Answers a question, or approves a call.',
    body: schemas.approveBody,
    answer: { status: 200, schema: schemas.settling },
    codes: [...settlingCodes, T0002, T0010],
  },
  refuse: {
    method: 'POST',
    path: paths.refuse,
    summary: 'Refuses an ask.',
    body: schemas.refuseBody,
    answer: { status: 200, schema: schemas.settling },
    codes: settlingCodes,
  },
  say: {
    method: 'POST',
    path: paths.say,
    summary: 'Sends a message. Open asks are withdrawn; a run that is over goes on.',
    body: schemas.sayBody,
    answer: { status: 202, schema: schemas.runState },
    codes: [T0001, T0008, T0009, T0011, T0012, T0014],
  },
  stop: {
    method: 'POST',
    path: paths.stop,
    summary: 'Stops a run at once.',
    body: schemas.stopBody,
    answer: { status: 202, schema: schemas.runState },
    codes: [T0001, T0008],
  },
  runEvents: {
    method: 'GET',
    path: paths.runEvents,
    summary:
      'What happens in a run. `id` is the line of the log, live text has none; `Last-Event-ID` or `after` goes on behind ' +
      'a line. `resync`: that line is none of this log, what follows begins with the first. `end`: the run is over. With ' +
      '`until=rest` nothing but one event `rest` with the run, when it is at rest.',
    query: schemas.runEventsQuery,
    answer: { status: 200, schema: schemas.viewEvent, events: true },
    codes: [T0001, T0008, T0013],
  },
  postChat: {
    method: 'POST',
    path: paths.chat,
    summary:
      "What the AI SDK's `useChat` posts. The id of the chat is the key of its run: a first message starts it, later ones " +
      'are said, answers to open asks are given; nothing else of the history counts. Answered with the reply, until the run ' +
      'is at rest, as a UI message stream.',
    body: schemas.chatBody,
    answer: { status: 200, schema: schemas.uiChunk, events: true },
    codes: [T0001, T0007, code.T1005, T0008, T0009, T0011, T0012, T0013, T0014],
  },
  chat: {
    method: 'GET',
    path: paths.chatMessages,
    summary: 'A chat as messages for `useChat`.',
    answer: { status: 200, schema: schemas.chat },
    codes: [T0001],
  },
  chatStream: {
    method: 'GET',
    path: paths.chatStream,
    summary: 'The reply that a run is making, from its beginning, as a UI message stream. 204 where it makes none.',
    answer: { status: 200, schema: schemas.uiChunk, events: true },
    codes: [T0013],
  },
  listAsks: {
    method: 'GET',
    path: paths.asks,
    summary: 'What waits for this person, nearest deadline first.',
    query: schemas.askQuery,
    answer: { status: 200, schema: schemas.askPage },
    codes: [T0007, T0008],
  },
  events: {
    method: 'GET',
    path: paths.events,
    summary: 'What waits for this person, and their runs, as it changes. Each connection begins with a snapshot.',
    answer: { status: 200, schema: schemas.personEvent, events: true },
    codes: [T0007, T0013],
  },
  signIn: {
    method: 'POST',
    path: paths.signIn,
    summary: 'Signs a page in, where a 401 has `data.signIn: "token"`: takes the token, sets a cookie.',
    body: schemas.signInBody,
    answer: { status: 200, schema: schemas.signInState },
    codes: [T0007, T0008],
  },
  signOut: {
    method: 'POST',
    path: paths.signOut,
    summary: 'Takes the cookie away.',
    body: schemas.signOutBody,
    answer: { status: 200, schema: schemas.signInState },
    codes: [T0008],
  },
  openapi: {
    method: 'GET',
    path: paths.openapi,
    summary: 'This document.',
    answer: { status: 200 },
    codes: [],
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
