import { agent, code, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, asker, helperOf, world } from '../../engine/world.ts'
import { type Served, serve } from '../served.ts'
import { history, openChat, shown } from './chats.ts'

type Chunk = { type: string; id?: string; delta?: string; messageId?: string; errorText?: string }

const said = (text: string) => ({ id: text, role: 'user', parts: [{ type: 'text', text }] })

/** Opens the stream of a post, or of a resume, and reads it chunk by chunk. */
async function chunksFrom(server: Served, body?: object, { id = 'chat-1', as = 'ann' } = {}) {
  const base = `${server.url}/api/agents/asker/chat`
  const posted = { id, trigger: 'submit-message', ...body }
  const response = await fetch(body ? base : `${base}/${id}/stream`, {
    ...(body ? { method: 'POST', body: JSON.stringify(posted) } : {}),
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Chunk | undefined> => {
    for (;;) {
      const found = /^data: (.*)\n\n/m.exec(text)
      if (found) {
        text = text.slice(found.index + found[0].length)
        return found[1] === '[DONE]' ? undefined : JSON.parse(String(found[1]))
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += value
    }
  }
  return {
    response,
    next,
    /** What comes, up to a chunk of this type, or to this text. */
    async until(end: string): Promise<Chunk[]> {
      const chunks: Chunk[] = []
      for (let chunk = await next(); chunk; chunk = await next()) {
        chunks.push(chunk)
        if (chunk.type === end || typesOf(chunks).at(-1) === end) break
      }
      return chunks
    },
    close: async () => reader?.cancel().catch(() => undefined),
  }
}

/** The types of chunks; of text that comes, in however many pieces, the text. */
function typesOf(chunks: Chunk[]): string[] {
  const types: string[] = []
  for (const { type, delta } of chunks) {
    if (delta === undefined) types.push(type)
    else if (types.at(-1) === 'text-start') types.push(delta)
    else types.push(`${types.pop()}${delta}`)
  }
  return types
}

describe('the stream', () => {
  test('says that it is one', async () => {
    const { open } = world()
    const server = await serve(await open(asker([{ text: 'Hello.' }]).agents))
    const { response, until } = await chunksFrom(server, { messages: [said('hi')] })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(typesOf(await until('finish'))).toEqual(
      expect.arrayContaining(['start', 'start-step', 'text-start', 'Hello.', 'text-end', 'finish']),
    )
  })

  test('has text as it comes, and nothing twice', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const server = await serve(await open(asker([{ text: 'One two', hold: held.promise }, { text: 'Three.' }]).agents))
    const stream = await chunksFrom(server, { messages: [said('hi')] })
    expect(typesOf(await stream.until('One two'))).toEqual(['start', 'start-step', 'text-start', 'One two'])
    held.resolve()
    expect(typesOf(await stream.until('finish'))).toEqual(['text-end', 'finish'])
  })

  test('of a page that comes in the middle begins at the beginning', async () => {
    const { open } = world()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { agents } = asker([
      { text: 'Let me see.', calls: [{ tool: 'look', input: {} }] },
      { text: 'One two three', hold: second.promise },
    ])
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      retrySafe: true,
      execute: () => first.promise,
    })
    const [record] = asker([], { tools: [look] }).agents
    const server = await serve(await open([{ ...record, model: agents[0].model } as never]))
    const early = await chunksFrom(server, { messages: [said('hi')] })
    expect(typesOf(await early.until('tool-input-available'))).toEqual([
      ...['start', 'start-step', 'text-start', 'Let me see.', 'text-end', 'tool-input-available'],
    ])
    const late = await chunksFrom(server)
    expect(typesOf(await late.until('tool-input-available'))).toEqual([
      ...['start', 'start-step', 'text-start', 'Let me see.', 'text-end', 'tool-input-available'],
    ])
    first.resolve()
    expect(typesOf(await early.until('One two three'))).toEqual([
      ...['tool-output-available', 'start-step', 'text-start', 'One two three'],
    ])
    const later = await chunksFrom(server)
    await later.until('tool-output-available')
    expect(typesOf(await later.until('One two three'))).toEqual(['start-step', 'text-start', 'One two three'])
    second.resolve()
    expect(typesOf(await later.until('finish'))).toEqual(['text-end', 'finish'])
    expect(typesOf(await early.until('finish'))).toEqual(['text-end', 'finish'])
  })

  test('takes live text back where the model call failed half-way', async () => {
    const { open, clock, said: logged } = world()
    const held = Promise.withResolvers<void>()
    const turns = [{ text: 'Half ', error: 'broke off', hold: held.promise }, { text: 'Whole.' }]
    const server = await serve(await open(asker(turns).agents))
    const stream = await chunksFrom(server, { messages: [said('hi')] })
    expect(typesOf(await stream.until('Half '))).toEqual(['start', 'start-step', 'text-start', 'Half '])
    held.resolve()
    await logged('model call failed')
    expect(typesOf(await stream.until('reset-step'))).toEqual(['reset-step'])
    clock.advance(2000)
    expect(typesOf(await stream.until('finish'))).toEqual(['text-start', 'Whole.', 'text-end', 'finish'])
  })

  test('in a process that works on nothing has what is stored', async () => {
    const { open } = world()
    const turns = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'Ordered.' }]).agents
    const server = await serve(await open(turns(), { idle: true }))
    const page = openChat(server)
    const sent = page.chat.sendMessage({ text: 'a shirt' })
    await open(turns())
    await sent
    const [, question] = page.parts() as { toolCallId: string }[]
    expect(question).toMatchObject({ type: 'tool-question', state: 'input-available' })
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: question?.toolCallId ?? '', output: 'M' }),
    )
    expect(page.parts().at(-1)).toMatchObject({ text: 'Ordered.' })
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('that is cut says so, and the reply is whole after it was resumed', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const engine = await open(asker([{ text: 'One two', hold: held.promise }]).agents)
    const server = await serve(engine)
    const page = openChat(server)
    const sent = page.chat.sendMessage({ text: 'hi' })
    await page.shows('One two')
    await server.server.close()
    await sent
    expect([page.chat.status, page.errors[0]?.code]).toEqual(['error', code.T3004])
    held.resolve()
    const again = await serve(engine)
    await helperOf(engine, 'asker').atRest(page.run())
    const loaded = openChat(again, { messages: await history(again) })
    expect(loaded.parts()).toMatchObject([{ text: 'One two' }])
    expect(loaded.chat.messages.at(-1)?.id).toBe(page.chat.messages.at(-1)?.id)
  })
})

describe('a page that is loaded in the middle', () => {
  test('goes on with the reply that it has, on every page, with the same ids', async () => {
    const { open } = world()
    const held = Promise.withResolvers<string>()
    const work = tool({ name: 'work', description: 'Works.', input: { type: 'object' }, execute: () => held.promise })
    const { agents } = asker([{ text: 'Wait.', calls: [{ tool: 'work', input: {} }] }, { text: 'Ready.' }], {
      tools: [work],
    })
    const server = await serve(await open(agents))
    const first = openChat(server)
    const sent = first.chat.sendMessage({ text: 'go' })
    const started = await chunksFrom(server, { messages: [said('go')] })
    await started.until('tool-input-available')
    const messages = await history(server)
    expect(messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'Wait.' },
      { toolName: 'work', input: {} },
    ])
    const second = openChat(server, { messages })
    const resumed = await second.resume()
    held.resolve('done')
    await Promise.all([sent, resumed.ended])
    expect(second.parts()).toMatchObject([{ text: 'Wait.' }, { state: 'output-available' }, { text: 'Ready.' }])
    expect(second.chat.messages.map(({ id }) => id)).toEqual((await history(server)).map(({ id }) => id))
    expect(shown(second.chat.messages)).toEqual(shown(first.chat.messages))
  })

  test('is told that nothing comes where the person is asked, and answers what it loaded', async () => {
    const { open } = world()
    const turns = () => asker([{ calls: [ask('Size?')] }, { text: 'Ordered.' }])
    const before = await open(turns().agents)
    const old = await serve(before)
    await openChat(old).chat.sendMessage({ text: 'a shirt' })
    await old.kill()
    const { agents, model } = turns()
    const server = await serve(await open(agents))
    const page = openChat(server, { messages: await history(server) })
    await page.chat.resumeStream()
    expect([page.chat.status, page.errors]).toEqual(['ready', []])
    const [question] = page.parts() as { toolCallId: string }[]
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: question?.toolCallId ?? '', output: 'M' }),
    )
    expect(page.parts()).toMatchObject([{ output: 'M' }, { text: 'Ordered.' }])
    expect(model.calls).toBe(1)
  })

  test('and resumes gets what the person wrote elsewhere meanwhile answered as well', async () => {
    const { open } = world()
    const held = Promise.withResolvers<string>()
    const work = tool({ name: 'work', description: 'Works.', input: { type: 'object' }, execute: () => held.promise })
    const turns = [{ calls: [{ tool: 'work', input: {} }] }, { text: 'To both.' }]
    const engine = await open(asker(turns, { tools: [work] }).agents)
    const server = await serve(engine)
    const first = await chunksFrom(server, { messages: [said('go')] })
    await first.until('tool-input-available')
    const page = openChat(server, { messages: await history(server) })
    await helperOf(engine, 'asker').say({ run: page.run(), text: 'and this' })
    const { ended } = await page.resume()
    held.resolve('done')
    await ended
    // A reply is over where the next message stands, though its tool is still at work.
    expect(typesOf(await first.until('finish'))).toEqual(['finish'])
    const loaded = await history(server)
    expect(loaded.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(loaded[1]?.parts.at(-1)).toMatchObject({ toolName: 'work', state: 'output-available' })
    expect(page.parts()).toMatchObject([{ text: 'To both.' }])
    expect(page.chat.messages.at(-1)?.id).toBe(loaded.at(-1)?.id)
  })

  test('stop() ends the stream, and not the run', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const server = await serve(await open(asker([{ text: 'One two', hold: held.promise }]).agents))
    const page = openChat(server)
    const sent = page.chat.sendMessage({ text: 'hi' })
    await page.shows('One two')
    await page.chat.stop()
    await sent
    const resumed = await page.resume()
    held.resolve()
    await resumed.ended
    expect(page.parts()).toMatchObject([{ text: 'One two', state: 'done' }])
    expect(page.chat.messages).toHaveLength(2)
  })
})

describe('the end of a run', () => {
  test('that failed is an error with its code, and stands in the history', async () => {
    const { open } = world()
    const server = await serve(await open(asker([{ text: 'One.' }], { limits: { steps: 1 } }).agents))
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'a' })
    await page.chat.sendMessage({ text: 'b' })
    expect([page.chat.status, page.errors[0]?.code]).toEqual(['error', code.T2005])
    expect(page.chat.messages.at(-1)?.metadata).toMatchObject({ status: 'failed', error: { code: code.T2005 } })
    // How the run is, the newest reply alone says.
    expect(shown((await history(server)).slice(-1))).toEqual(shown(page.chat.messages.slice(-1)))
  })

  test('that was stopped elsewhere leaves nothing that a page would send by itself', async () => {
    const { open } = world()
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      approval: true,
      execute: () => 'x',
    })
    const turns = [{ calls: [ask('Size?'), { tool: 'pay', input: {} }] }]
    const engine = await open(asker(turns, { tools: [pay] }).agents)
    const server = await serve(engine)
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'a shirt' })
    await helperOf(engine, 'asker').stop({ run: page.run() })
    const [question] = page.parts() as { toolCallId: string }[]
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: question?.toolCallId ?? '', output: 'M' }),
    )
    expect(page.parts()).toMatchObject([
      { state: 'output-error', errorText: 'Withdrawn.' },
      { state: 'output-error', errorText: 'Withdrawn.' },
    ])
    expect(page.posted).toHaveLength(2)
    expect(page.chat.messages.at(-1)?.metadata).toMatchObject({ status: 'stopped' })
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('has its output as data', async () => {
    const { open } = world()
    const output = z.object({ size: z.string() })
    const model = scriptedModel([{ text: '{"size":"M"}' }, { text: '{"size":"L"}' }])
    const agents = [agent('asker', { model, output })]
    const page = openChat(await serve(await open(agents)))
    for (const [text, size] of [
      ['a', 'M'],
      ['b', 'L'],
    ] as const) {
      await page.chat.sendMessage({ text })
      expect(page.parts().at(-1)).toEqual({ type: 'data-output', id: 'output', data: { size } })
    }
  })
})
