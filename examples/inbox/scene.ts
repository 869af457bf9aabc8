/** Models that need no key: each reads what was said and answered so far, as a model does, and plays its part. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Json, Model, ModelRequest } from 'querent/model'
import { type ScriptedTurn, scriptedModel } from 'querent/testing'

/** What an actor knows of this round. */
export interface Scene {
  /** What the person said to open it. */
  said: string
  /** What came of each call since then, in order. */
  results: Result[]
}

/** What came of one call: a value, or why there is none. */
export interface Result {
  tool: string
  value: Json
  /** The person said no. */
  refused: boolean
  /** Why, where they said it. */
  reason?: string
  /** There is neither an answer nor a no: nobody answered in time, or it failed. */
  missing: boolean
}

/** A model that plays a part: `act` says what comes next. It keeps nothing itself, so that any process goes on with it. */
export function actor(act: (scene: Scene) => ScriptedTurn, { wordMs }: { wordMs: number }): Model {
  const turns = Array.from({ length: 500 }, () => (request: ModelRequest) => act(sceneOf(request)))
  const script = scriptedModel(turns)
  return {
    id: 'actor',
    async *step(request) {
      const { signal } = request
      if (wordMs > 0) await wait(wordMs * 10, undefined, { signal })
      for await (const part of script.step(request)) {
        if (part.type === 'text' && wordMs > 0) await wait(wordMs, undefined, { signal })
        yield part.type === 'reply' ? { ...part, usage: usageOf(request, part.messages) } : part
      }
    },
  }
}

/** About what a provider would count. */
function usageOf({ messages, instructions }: ModelRequest, reply: string[]) {
  const tokens = (text: string) => Math.ceil(text.length / 4)
  return { inputTokens: tokens(instructions + JSON.stringify(messages)), outputTokens: tokens(reply.join('')) }
}

function sceneOf({ messages }: ModelRequest): Scene {
  const opened = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages
    .slice(opened)
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .map(({ toolName, output }) => resultOf(toolName, output as { type: string; value: Json }))
  const content = messages[opened]?.content
  return { said: typeof content === 'string' ? content : '', results }
}

function resultOf(tool: string, { type, value }: { type: string; value: Json }): Result {
  const text = typeof value === 'string' ? value : ''
  const refused = text.startsWith('The person refused this.')
  const reason = /\sReason: (.*)/s.exec(text)?.[1]
  const missing = !refused && (type.startsWith('error') || text.startsWith('Nobody answered in time.'))
  return { tool, value, refused, missing, ...(refused && reason !== undefined ? { reason } : {}) }
}

/** What a tool said in the end: of an input that was changed, the model is told first. */
export function outcomeOf({ value }: Result): string {
  return String(value).split('\n').at(-1) ?? ''
}
