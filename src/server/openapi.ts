import { z } from 'zod'
import { problemType } from '../protocol/problem.ts'
import { type Operation, operations } from './operations.ts'
import * as schemas from './schemas.ts'

/** Names under which schemas stand in the document; others stand in place. */
const named = z.registry<{ id: string }>()
for (const [name, schema] of Object.entries({
  StartBody: schemas.startBody,
  ApproveBody: schemas.approveBody,
  RefuseBody: schemas.refuseBody,
  SayBody: schemas.sayBody,
  StopBody: schemas.stopBody,
  AgentList: schemas.agentList,
  SignInBody: schemas.signInBody,
  SignOutBody: schemas.signOutBody,
  SignInState: schemas.signInState,
  Started: schemas.started,
  Settling: schemas.settling,
  RunState: schemas.runState,
  Ask: schemas.ask,
  AskPage: schemas.askPage,
  RunSummary: schemas.runSummary,
  RunPage: schemas.runPage,
  RunView: schemas.runView,
  ViewEvent: schemas.viewEvent,
  PersonEvent: schemas.personEvent,
  ChatBody: schemas.chatBody,
  Chat: schemas.chat,
  UiMessageChunk: schemas.uiChunk,
  Problem: schemas.problem,
})) {
  named.add(schema, { id: name })
}

type JsonObject = Record<string, unknown>

/** The OpenAPI 3.1 document of this server. */
export function openApi(): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const [name, operation] of Object.entries(operations)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(name, operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Querent', version: '1', description: 'Runs of agents that can stop and ask a person.' },
    paths,
    components: { schemas: components() },
  }
}

function components(): JsonObject {
  const { schemas: all } = z.toJSONSchema(named, { io: 'input', uri: uriOf })
  return Object.fromEntries(Object.entries(all).map(([name, { $schema, $id, ...schema }]) => [name, schema]))
}

const uriOf = (id: string) => `#/components/schemas/${id}`

function describe(operationId: string, operation: Operation): JsonObject {
  const { path, summary, query, body, answer, codes } = operation
  const described: JsonObject = {
    operationId,
    summary,
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    responses: { [answer.status]: answerOf(answer), default: problemAnswer(codes) },
  }
  if (body) described.requestBody = { required: true, content: { 'application/json': { schema: refTo(body) } } }
  return described
}

function answerOf({ schema, events }: Operation['answer']): JsonObject {
  const type = events ? 'text/event-stream' : 'application/json'
  return {
    description: events ? 'Server-sent events. The data of each is JSON, as the schema has it.' : 'Done.',
    content: { [type]: { schema: schema ? refTo(schema) : {} } },
  }
}

function problemAnswer(codes: readonly string[]): JsonObject {
  return {
    description: codes.length > 0 ? `An error: ${codes.join(', ')}.` : 'An error.',
    content: { [problemType]: { schema: refTo(schemas.problem) } },
  }
}

/** Every body and answer has a name in the document. */
function refTo(schema: z.ZodType): JsonObject {
  return { $ref: uriOf(named.get(schema)?.id as string) }
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }))
}

function queryParameters(query: z.ZodType): JsonObject[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
}
