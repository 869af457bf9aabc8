import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { createClient } from 'querent/client'
import { createServer, inboxPage, nodeHandler } from 'querent/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { asker, ask as question, world } from '../engine/world.ts'
import { ask, bearer, hastyClock, openStream } from './served.ts'

type Handler = ReturnType<typeof nodeHandler>

/** An Express app, mounted as `mount` does, listening. */
async function listening(mount: (app: Express, handler: Handler) => void) {
  const { open } = world()
  const engine = await open(asker([{ calls: [question('Size?')] }, { text: 'Thanks.' }]).agents)
  const server = createServer(engine, { identify: bearer, fallback: inboxPage({ folder: '/nowhere' }) })
  const app = express()
  mount(app, nodeHandler(server))
  const http = app.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(async () => {
    const closed = once(http, 'close')
    http.close()
    await server.close()
    http.closeAllConnections()
    await closed
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** The whole journey, and a stream. */
async function journey(url: string): Promise<void> {
  const client = createClient({ url, headers: { authorization: 'Bearer ann' }, clock: hastyClock })
  const { run } = await client.agent('asker').start('go')
  await client.runs.atRest(run)
  const stream = await openStream(`${url}/api/runs/${run}/events`, { as: 'ann' })
  expect(await stream.next()).toMatchObject({ id: '1' })
  await client.runs.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await client.runs.atRest(run)).text).toBe('Thanks.')
  expect((await stream.rest()).at(-1)).toMatchObject({ event: 'end' })
  expect(await ask(`${url}/api/runs/${run}/approve`, { as: 'ann', body: 'no JSON' })).toMatchObject({ status: 400 })
}

describe('in Express, before what parses bodies', () => {
  test.each<[string, (app: Express, handler: Handler) => void]>([
    ["app.all('/api/*path', …)", (app, handler) => app.all('/api/*path', handler)],
    ["app.use('/api', …)", (app, handler) => app.use('/api', handler)],
    ['app.use(…), page and all', (app, handler) => app.use(handler)],
  ])('%s', async (_, mount) => {
    const url = await listening((app, handler) => {
      mount(app, handler)
      app.use(express.json())
    })
    await journey(url)
  })

  test('other routes of the app are as they were', async () => {
    const url = await listening((app, handler) => {
      app.use('/api', handler)
      app.use(express.json())
      app.post('/own', (request, response) => void response.json(request.body))
    })
    expect(await ask(`${url}/own`, { body: { a: 1 } })).toMatchObject({ status: 200, body: { a: 1 } })
    expect(await ask(`${url}/api`, { as: 'ann' })).toMatchObject({ status: 404 })
  })
})

test.each([
  ['express.json()', () => express.json()],
  ['express.text()', () => express.text({ type: '*/*' })],
])('behind %s a write is T0008 and says what to do; nothing hangs, and reads are as they were', async (_, parser) => {
  const url = await listening((app, handler) => {
    app.use(parser())
    app.use('/api', handler)
  })
  const write = await ask(`${url}/api/agents/asker/runs`, { as: 'ann', body: { input: 'go' } })
  expect(write).toMatchObject({
    status: 400,
    body: { code: 'T0008', detail: expect.stringContaining('express.json()') },
  })
  expect(write.headers.get('content-type')).toBe('application/problem+json')
  expect(await ask(`${url}/api/runs`, { as: 'ann' })).toMatchObject({ status: 200, body: { items: [] } })
})
