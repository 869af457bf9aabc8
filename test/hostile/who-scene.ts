import { type Ask, agent, type Engine } from 'querent'
import { tokenSessions } from 'querent/server'
import { scriptedModel } from 'querent/testing'
import { onTestFinished } from 'vitest'
import { ask, helperOf, type World, world } from '../engine/world.ts'
import { bearer, type Request, type Served, serve } from '../server/served.ts'

/** Who may make a request: five people, as the server sees them. */
export const callers = ['nobody', 'visitor', 'other', 'starter', 'elsewhere'] as const

/**
 * `nobody`: without any identity. `visitor`: an anonymous person with a run of their own. `other`: Bob, signed in.
 * `starter`: Ann, whose runs these are. `elsewhere`: Ann again, at a process that lacks the agent.
 */
export type CallerName = (typeof callers)[number]

/** What Ann has: a run that waits, a chat that waits, one whose reply is being made, and the words in them. */
export interface Anns {
  run: string
  ask: Ask
  chat: string
  /** An agent and the id of a chat with it, whose model is still talking. */
  talking: { agent: string; chat: string }
  /** The ask of the chat that waits. */
  chatAsk: Ask
}

export interface Heard {
  status: number
  headers: Headers
  text: string
}

export interface Scene extends World {
  engine: Engine
  /** A process on the same database that has other agents. */
  elsewhere: Engine
  served: Served
  anns: Anns
  /** Makes a request as one of them. Of a stream the first event stands for its body. */
  call(caller: CallerName, path: string, request?: Request): Promise<Heard>
  /** Everything that stands in Ann's logs. */
  logs(): Promise<unknown>
}

/** What stands in all that Ann and her agents say to each other. */
export const secretWord = 'secret-shirt'

export const secret = 'a secret of at least thirty-two characters'
export const token = 'a-token-that-nobody-guesses'

/** Ann's runs in one process, another process that lacks their agent, and both served. Gone when the test ends. */
export async function scene(): Promise<Scene> {
  const w = world()
  const turns = [{ calls: [ask(`Which ${secretWord}?`)] }, { text: 'Thanks.' }]
  const shop = () =>
    agent('shop', { access: 'everyone', questions: true, model: scriptedModel([{ calls: [ask('Which hat?')] }]) })
  const engine = await w.open([
    agent('asker', { questions: true, model: scriptedModel(turns) }),
    agent('talker', { model: scriptedModel([{ text: `A ${secretWord}`, hold: new Promise(() => undefined) }]) }),
    shop(),
  ])
  // One of them never ends by itself, and the clock on which an engine waits for that stands still.
  onTestFinished(() => engine.stop({ graceMs: 0 }))
  const elsewhere = await w.open([shop()], { idle: true })
  const sessions = tokenSessions({ token, person: { id: 'ann' } })
  const options = { secret, sessions, identify: bearer }
  const [served, servedElsewhere] = [await serve(engine, options), await serve(elsewhere, options)]
  const anns = await annsOf(engine)
  const visitor = await served.ask('/api/agents/shop/runs', { body: { input: 'hello' } })
  const cookie = String(visitor.headers.get('set-cookie')).split(';')[0] as string
  const identities: Record<CallerName, Request> = {
    nobody: {},
    visitor: { headers: { cookie, origin: served.url } },
    other: { as: 'bob' },
    starter: { as: 'ann' },
    elsewhere: { as: 'ann' },
  }
  return {
    ...w,
    engine,
    elsewhere,
    served,
    anns,
    call(caller, path, { headers, ...request } = {}) {
      const identity = identities[caller]
      const { url } = caller === 'elsewhere' ? servedElsewhere : served
      return answerOf(url + path, { ...identity, ...request, headers: { ...identity.headers, ...headers } })
    },
    async logs() {
      const { items } = await engine.as({ id: 'ann' }).runs.list()
      return Promise.all(items.map(({ run }) => engine.runs.log(run)))
    },
  }
}

async function annsOf(engine: Engine): Promise<Anns> {
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start(`a ${secretWord}`)
  const chat = 'chat-of-ann'
  const second = await ann.start(`a ${secretWord}`, { key: chat })
  const talking = { agent: 'talker', chat: 'talk-of-ann' }
  await helperOf(engine, talking.agent).start(`a ${secretWord}`, { key: talking.chat })
  const [asked] = (await ann.atRest(run)).asks
  const [chatAsk] = (await ann.atRest(second.run)).asks
  return { run, ask: asked as Ask, chat, talking, chatAsk: chatAsk as Ask }
}

/** An answer as it came, its body as text. Of a stream there is the first event alone: most do not end. */
async function answerOf(url: string, { as, body, method, headers }: Request): Promise<Heard> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    signal: leaving.signal,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const text = isStream ? await firstEvent(response) : await response.text()
  leaving.abort()
  return { status: response.status, headers: response.headers, text }
}

async function firstEvent({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const event = text
      .split('\n\n')
      .find((block, index, all) => /^(id|event|data)/.test(block) && index < all.length - 1)
    if (event !== undefined) return event
  }
  return text
}
