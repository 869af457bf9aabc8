import { z } from 'zod'
import type {
  Ask,
  AskEnd,
  Json,
  ListPage,
  OwnRunFilter,
  PersonEvent,
  RunSummary,
  RunView,
  Settling,
  Usage,
  UserInput,
  ViewEvent,
  ViewMessage,
} from '../protocol/core.ts'
import { code } from '../protocol/core.ts'
import type { Problem } from '../protocol/problem.ts'
import type { AgentList, RunState, SayBody, SignInBody, SignInState, StartBody, Started } from '../protocol/wire.ts'
import type { ChatBody } from './ui-messages/post-chat.ts'
import type { PostedMessage } from './ui-messages/posted.ts'

/*
 * What goes over the wire, as schemas: those of requests check them, and the OpenAPI document is made from all. Requests
 * have no unknown fields; answers may get more.
 */

/** Any JSON. What was parsed is nothing else. */
const json = z.unknown() as z.ZodType<Json>

const shortText = z.string().min(1).max(200)

const userPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), image: z.string(), mediaType: z.string().optional() }),
  z.strictObject({
    type: z.literal('file'),
    data: z.string(),
    mediaType: z.string(),
    filename: z.string().optional(),
  }),
])

const userInput: z.ZodType<UserInput> = z
  .union([z.string(), z.array(userPart).min(1)], { error: 'must be a text, or a list of text, image and file parts' })
  .meta({ description: 'A text, or a list of parts; files as base64 or URLs.' })

export const startBody: z.ZodType<StartBody> = z.strictObject({ input: userInput, key: shortText.optional() })

/** Which ask is meant, as fields: one object, so that each wrong field is told by its name. */
const place = {
  ask: z.string().optional(),
  step: z.string().optional(),
  repeat: z.int().min(1).optional(),
  n: z.int().min(1).optional(),
}

/** The fields of `place` after a look that exactly one of its two forms was given. */
export type PlaceFields = { ask?: string; step?: string; repeat?: number; n?: number; answerId?: string }

function placed<T extends PlaceFields>(schema: z.ZodType<T>): z.ZodType<T> {
  return schema
    .refine(
      ({ ask, step, repeat, n }) =>
        ask === undefined ? step !== undefined : step === undefined && repeat === undefined && n === undefined,
      { error: 'say which ask is meant: "ask" (its id), or "step" with "repeat" and "n" where needed' },
    )
    .meta({ oneOf: [{ required: ['ask'] }, { required: ['step'] }] })
}

export const approveBody: z.ZodType<PlaceFields & { data?: Json }> = placed(
  z.strictObject({ ...place, data: json.optional(), answerId: shortText.optional() }),
)

export const refuseBody: z.ZodType<PlaceFields & { reason?: string }> = placed(
  z.strictObject({ ...place, reason: z.string().max(10_000).optional(), answerId: shortText.optional() }),
)

export const sayBody: z.ZodType<SayBody> = z.strictObject({ text: userInput, key: shortText.optional() })

export const stopBody = z.strictObject({})

const runStatus = z.enum(['ready', 'working', 'waiting', 'done', 'failed', 'stopped'])

const pageQuery = { after: z.string().optional(), limit: z.coerce.number().int().min(1).max(200).optional() }

export const askQuery = z.strictObject(pageQuery)

export const runQuery: z.ZodType<OwnRunFilter> = z.strictObject({
  ...pageQuery,
  status: runStatus.optional(),
  agent: z.string().optional(),
  key: shortText.optional(),
  active: z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).optional(),
})

export const runEventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional(),
  until: z.literal('rest').optional(),
})

export const agentList: z.ZodType<AgentList> = z.object({
  items: z.array(z.object({ name: z.string(), description: z.string().optional() })),
})

export const signInBody: z.ZodType<SignInBody> = z.strictObject({ token: z.string().min(1).max(10_000) })

export const signOutBody = z.strictObject({})

export const signInState: z.ZodType<SignInState> = z.object({ signedIn: z.boolean() })

export const started: z.ZodType<Started> = z.object({ run: z.string() })

export const runState: z.ZodType<RunState> = z.object({ run: z.string(), status: runStatus })

const instant = z.iso.datetime()

export const ask = z.object({
  id: z.string(),
  kind: z.string(),
  run: z.string(),
  agent: z.string(),
  path: z.array(z.string()),
  repeat: z.int(),
  step: z.string() as unknown as z.ZodType<Ask['step']>,
  n: z.int(),
  tool: z.string(),
  input: json,
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).optional(),
  editable: z.literal(true).optional(),
  since: instant,
  until: instant.optional(),
}) satisfies z.ZodType<Ask>

const askEnd = z.object({
  outcome: z.enum(['approved', 'refused', 'expired', 'withdrawn']),
  by: z.enum(['you', 'system', 'clock', 'run']),
  at: instant,
  data: json.optional(),
  reason: z.string().optional(),
}) satisfies z.ZodType<AskEnd>

export const settling: z.ZodType<Settling> = z.object({ ask, duplicate: z.boolean() })

const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
  estimated: z.literal(true).optional(),
}) satisfies z.ZodType<Usage>

const errorCode = z.enum(code)

const runError = z.object({ code: errorCode, message: z.string() })

export const runSummary = z.object({
  run: z.string(),
  agent: z.string(),
  status: runStatus,
  trigger: z.enum(['chat', 'system', 'schedule', 'webhook', 'manual', 'delegate']),
  repeat: z.int(),
  title: z.string(),
  asks: z.array(ask),
  output: json.optional(),
  usage,
  error: runError.optional(),
  startedAt: instant,
  endedAt: instant.optional(),
}) satisfies z.ZodType<RunSummary>

const line = { seq: z.int(), at: instant }

const viewMessage: z.ZodType<ViewMessage> = z.union([
  z.object({ role: z.enum(['user', 'assistant']), ...line, text: z.string() }),
  z.object({ role: z.literal('ask'), ...line, ask, end: askEnd.optional() }),
])

export const runView: z.ZodType<RunView> = z.object({
  ...runSummary.shape,
  messages: z.array(viewMessage),
  text: z.string(),
  seq: z.int(),
})

const below = { under: z.int(), at: instant }

export const viewEvent: z.ZodType<ViewEvent> = z.union([
  z.object({ type: z.literal('message'), ...line, role: z.enum(['user', 'assistant']), text: z.string() }),
  z.object({ type: z.literal('ask.opened'), ...line, ask }),
  z.object({ type: z.literal('ask.settled'), ...line, ask, end: askEnd }),
  z.object({ type: z.literal('ask.opened'), ...below, ask }),
  z.object({ type: z.literal('ask.settled'), ...below, ask, end: askEnd }),
  z.object({
    type: z.literal('tool'),
    ...line,
    step: z.string(),
    tool: z.string(),
    state: z.enum(['started', 'returned']),
  }),
  z.object({
    type: z.literal('status'),
    ...line,
    status: z.enum(['done', 'failed', 'stopped']),
    output: json.optional(),
    error: runError.optional(),
  }),
  z.object({ type: z.literal('text.delta'), text: z.string() }),
  z.object({ type: z.literal('text.reset') }),
])

export const personEvent: z.ZodType<PersonEvent> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), at: instant, asks: z.array(ask), runs: z.array(runSummary) }),
  z.object({ type: z.literal('asks'), asks: z.array(ask) }),
  z.object({ type: z.literal('run'), run: runSummary }),
])

function pageOf<T>(items: z.ZodType<T>): z.ZodType<ListPage<T>> {
  return z.object({ items: z.array(items), cursor: z.string().optional() })
}

export const askPage = pageOf<Ask>(ask)
export const runPage = pageOf<RunSummary>(runSummary)

const uiMessage = z
  .looseObject({
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant']),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ description: 'A UIMessage of the AI SDK.' }) satisfies z.ZodType<PostedMessage>

/** The AI SDK's, which may add to it, as the page may: other fields are nothing to us. */
export const chatBody: z.ZodType<ChatBody> = z.looseObject({
  id: shortText,
  messages: z.array(uiMessage).min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']),
  messageId: z.string().optional(),
})

export const chat = z.object({ run: z.string(), messages: z.array(uiMessage) })

export const uiChunk = z
  .looseObject({ type: z.string() })
  .meta({ description: 'A UIMessageChunk of the AI SDK. The last event is `[DONE]`.' })

export const problem: z.ZodType<Problem> = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: errorCode,
  retry: z.boolean(),
  data: z.record(z.string(), z.unknown()).optional(),
})
