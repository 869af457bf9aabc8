import { agent, code, type Engine } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../../engine/world.ts'
import { type Served, serve } from '../served.ts'
import { history, openChat } from './chats.ts'

const said = (text: string) => ({ id: 'm', role: 'user', parts: [{ type: 'text', text }] })

const body = (messages: unknown[], id = 'chat-1') => ({ id, trigger: 'submit-message', messages })

const path = '/api/agents/asker/chat'

/** A chat of Ann's that waits for her, and its parts. */
async function waiting() {
  const { open } = world()
  const { agents, model } = asker([{ calls: [ask('Size?')] }, { text: 'Ordered.' }])
  const engine = await open(agents)
  const server = await serve(engine)
  const page = openChat(server)
  await page.chat.sendMessage({ text: 'a shirt' })
  const [question] = page.parts() as { toolCallId: string }[]
  return { engine, model, server, page, toolCallId: question?.toolCallId ?? '' }
}

async function answersTo(server: Served, chat: string, as?: string) {
  const who = as === undefined ? {} : { as }
  const [messages, stream] = await Promise.all([
    server.ask(`${path}/${chat}`, who),
    server.ask(`${path}/${chat}/stream`, who),
  ])
  const text = JSON.stringify(messages.body).replaceAll(chat, '*')
  return { messages: [messages.status, text], stream: [stream.status, stream.body] }
}

describe('a chat of somebody else', () => {
  test('is none: the same as one that is not there, to whoever asks', async () => {
    const { server } = await waiting()
    for (const as of ['bob', undefined]) {
      const [theirs, none] = [await answersTo(server, 'chat-1', as), await answersTo(server, 'no-chat', as)]
      expect(theirs).toEqual(none)
      expect(theirs.messages[0]).toBe(404)
      expect(theirs.messages[1]).toContain(code.T0001)
      expect(theirs.stream).toEqual([204, ''])
    }
  })

  test('takes no answer: T0001, and the question is still open', async () => {
    const { server, page, engine, toolCallId, model } = await waiting()
    const answered = page.chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        'toolCallId' in part ? { ...part, state: 'output-available', output: 'M' } : part,
      ),
    }))
    const bob = await server.ask(path, { as: 'bob', body: body(answered) })
    const none = await server.ask(path, { as: 'bob', body: body(answered, 'no-chat') })
    expect([bob.status, none.status]).toEqual([404, 404])
    expect(JSON.stringify(bob.body).replaceAll('chat-1', '*')).toBe(
      JSON.stringify(none.body).replaceAll('no-chat', '*'),
    )
    expect(await server.ask(path, { body: body(answered) })).toMatchObject({ status: 401, body: { code: code.T0007 } })
    // In a chat of his own that he has begun, it is no ask of his run.
    await server.ask(path, { as: 'bob', body: body([...answered, said('mine')]) })
    expect((await engine.asks.list({ person: 'ann' })).items.map(({ id }) => id)).toEqual([toolCallId])
    expect(model.prompts.map(({ messages }) => JSON.stringify(messages)).join()).not.toContain('"M"')
  })

  test('of the same id is another one', async () => {
    const { server, page } = await waiting()
    const bobs = openChat(server, { person: 'bob' })
    await bobs.chat.sendMessage({ text: 'a cap' })
    expect(JSON.stringify(await history(server, { person: 'bob' }))).not.toContain('a shirt')
    expect(JSON.stringify(await history(server))).not.toContain('a cap')
    expect(bobs.chat.messages.at(-1)?.id).not.toBe(page.chat.messages.at(-1)?.id)
  })
})

test('who a body says that it is, is nothing to us', async () => {
  const { server, engine } = await waiting()
  await server.ask(path, { as: 'bob', body: { ...body([said('hi')], 'bobs'), as: 'ann', person: { id: 'ann' } } })
  const starters = (await engine.runs.list()).items.map(({ title }) => title)
  expect(starters).toEqual(['hi', 'a shirt'])
  expect((await engine.as({ id: 'bob' }).runs.list()).items.map(({ title }) => title)).toEqual(['hi'])
})

describe('nobody in particular', () => {
  const agents = () => [
    agent('asker', {
      access: 'everyone',
      questions: true,
      model: scriptedModel([{ calls: [ask('Size?')] }, { text: 'Ok.' }]),
    }),
    agent('closed', { model: scriptedModel([{ text: 'No.' }]) }),
  ]

  test('chats where everyone may, and is known again by a cookie', async () => {
    const { open } = world()
    const server = await serve(await open(agents()), { secret: 's'.repeat(32) })
    const first = await server.ask(path, { body: body([said('hi')]) })
    const cookie = /^querent_person=[^;]+/.exec(first.headers.get('set-cookie') ?? '')?.[0] ?? ''
    expect(first.status).toBe(200)
    expect((await server.ask(`${path}/chat-1`)).status).toBe(404)
    const messages = (await server.ask(`${path}/chat-1`, { headers: { cookie } })).body as {
      messages: { parts: object[] }[]
    }
    expect(messages.messages[1]?.parts[1]).toMatchObject({ type: 'tool-question', state: 'input-available' })
  })

  test('elsewhere is asked to sign in, whatever else is wrong', async () => {
    const { open } = world()
    const server = await serve(await open(agents()), { secret: 's'.repeat(32) })
    for (const sent of [body([said('hi')]), {}]) {
      const answer = await server.ask('/api/agents/closed/chat', { body: sent })
      expect(answer).toMatchObject({ status: 401, body: { code: code.T0007 } })
    }
  })
})

test('an agent that is not there, and one that this person may not start', async () => {
  const { open } = world()
  const locked = agent('locked', { access: ({ id }) => id === 'ann', model: scriptedModel([{ text: 'Hi.' }]) })
  const server = await serve(await open([locked]))
  const to = (name: string, as: string) => server.ask(`/api/agents/${name}/chat`, { as, body: body([said('hi')]) })
  expect(await to('nobody', 'ann')).toMatchObject({ status: 404, body: { code: code.T1005 } })
  expect(await to('locked', 'bob')).toMatchObject({ status: 403, body: { code: code.T0007 } })
  expect((await to('locked', 'ann')).status).toBe(200)
})

test('a run that was started in another way with this key is the chat', async () => {
  const { server, engine } = await waiting()
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('from elsewhere', { key: 'order-7' })
  await ann.atRest(run)
  const [message, reply] = await history(server, { id: 'order-7' })
  expect(message?.parts).toMatchObject([{ type: 'text', text: 'from elsewhere' }])
  expect(reply?.metadata).toMatchObject({ run, status: 'waiting' })
})

test('a chat with an agent goes on under its new name, and in a process that has no agents', async () => {
  const { open, close } = world()
  const turns = [{ calls: [ask('Size?')] }, { text: 'Ordered.' }]
  const before = await open(asker(turns).agents)
  await openChat(await serve(before)).chat.sendMessage({ text: 'a shirt' })
  await close(before)
  const renamed = agent('shirts', { aliases: ['asker'], questions: true, model: scriptedModel(turns) })
  const worker: Engine = await open([renamed])
  const answering = await serve(await open([], { idle: true }))
  const page = openChat(answering, { messages: await history(answering) })
  const [question] = page.parts() as { toolCallId: string }[]
  await page.after(() =>
    page.chat.addToolOutput({ tool: 'question', toolCallId: question?.toolCallId ?? '', output: 'M' }),
  )
  expect(page.parts()).toMatchObject([{ output: 'M' }, { text: 'Ordered.' }])
  const renewed = await history(await serve(worker), { agent: 'shirts' })
  expect(renewed.map(({ id }) => id)).toEqual((await history(answering)).map(({ id }) => id))
  expect((await worker.runs.list()).items).toHaveLength(1)
})

test('a list gives the run of a key, which is one of an agent', async () => {
  const { server, engine } = await waiting()
  const listed = await server.ask('/api/runs?agent=asker&key=chat-1', { as: 'ann' })
  expect(listed).toMatchObject({ status: 200, body: { items: [{ title: 'a shirt' }] } })
  expect((await server.ask('/api/runs?agent=asker&key=chat-1', { as: 'bob' })).body).toEqual({ items: [] })
  expect(await server.ask('/api/runs?key=chat-1', { as: 'ann' })).toMatchObject({
    status: 400,
    body: { code: code.T0008 },
  })
  expect((await engine.as({ id: 'ann' }).runs.list({ agent: 'asker', key: 'other' })).items).toEqual([])
})
