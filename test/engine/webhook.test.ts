import { once as onceEvent } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Ask, questionText } from 'querent'
import { webhook } from 'querent/webhook'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { firstRestMs, once, parked, watched } from './notified.ts'
import { helperOf, world } from './world.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const oldSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server on this machine that keeps what it is sent, and answers what the test says: 204 where it says nothing. */
async function receiver(
  answer: (response: ServerResponse, count: number) => void = (response) => endWith(response, 204),
) {
  const received: Received[] = []
  let waiters: (() => void)[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    received.push({ path: request.url ?? '', headers: request.headers, body })
    answer(response, received.length)
    for (const wake of waiters.splice(0)) wake()
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await onceEvent(server, 'listening')
  const close = async () => {
    const closed = server.listening ? onceEvent(server, 'close') : undefined
    server.close()
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    close,
    async arrived(count: number): Promise<void> {
      while (received.length < count)
        await new Promise<void>((resolve) => {
          waiters = [...waiters, resolve]
        })
    },
  }
}

function endWith(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end('ignored')
}

/** What a receiver does with the standard's own library. It looks at the time: here it is that of the clock. */
function verified({ headers, body }: Received, key = secret): unknown {
  return new Webhook(key).verify(body, headers as Record<string, string>)
}

// The library of the standard has no clock to pass: it refuses what is five minutes old.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  return () => vi.useRealTimers()
})

/** An engine of one agent that asks once and then ends. */
async function engineTold(options: Parameters<typeof webhook>[0]) {
  const here = world()
  const timers = watched(here.clock)
  const advance = (ms: number) => {
    here.clock.advance(ms)
    vi.setSystemTime(here.clock.now())
  }
  vi.setSystemTime(here.clock.now())
  const engine = await here.open(once().agents, { notify: [webhook(options)], clock: timers.clock })
  return { ...here, engine, timers, advance }
}

describe('the signed webhook', () => {
  test('is verified by the library of the standard; it has the ask as people see it, and no answer', async () => {
    const { url, received, arrived } = await receiver()
    const { engine, clock } = await engineTold({ url, secret })
    const run = await parked(engine)
    const ann = helperOf(engine, 'asker')
    const [asked] = (await ann.run(run)).asks
    await ann.approve({ run, step: 'question 1.1', data: 'my own words' })
    await arrived(2)
    const at = new Date(clock.now()).toISOString()
    const [opened, settled] = received as [Received, Received]
    const shown = questionText(asked as Ask)
    expect(verified(opened)).toEqual({
      type: 'ask.opened',
      timestamp: at,
      data: { ask: asked, text: shown, person: { id: 'ann' } },
    })
    expect(verified(settled)).toEqual({
      type: 'ask.settled',
      timestamp: at,
      data: {
        ask: asked,
        person: { id: 'ann' },
        end: { outcome: 'approved', by: { type: 'person', id: 'ann' }, at },
      },
    })
    expect(settled.body).not.toContain('my own words')
    expect(opened.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': `${asked?.id}_opened`,
      'webhook-timestamp': String(clock.now() / 1000),
    })
    expect(settled.headers['webhook-id']).toBe(`${asked?.id}_settled`)
    expect(() => verified({ ...opened, body: opened.body.replace('Size', 'Site') })).toThrow('No matching signature')
  })

  test('signs with the new and the old secret while it is changed', async () => {
    const { url, received, arrived } = await receiver()
    const { engine } = await engineTold({ url, secret: [secret, oldSecret] })
    await parked(engine)
    await arrived(1)
    const [opened] = received as [Received]
    expect(verified(opened, secret)).toEqual(verified(opened, oldSecret))
  })

  test('posts again after a 500 with the same id, and the time of the try', async () => {
    const { url, received, arrived } = await receiver((response, count) => endWith(response, count === 1 ? 500 : 204))
    const { engine, timers, advance, logged } = await engineTold({ url, secret })
    await parked(engine)
    await timers.armed(firstRestMs)
    advance(firstRestMs)
    await arrived(2)
    const [first, second] = received as [Received, Received]
    expect(verified(second)).toMatchObject({ type: 'ask.opened' })
    expect(second.body).toBe(first.body)
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])).toBe(
      firstRestMs / 1000,
    )
    expect(logged.map((line) => line.data?.error)).toEqual(['The endpoint answered 500.'])
  })

  test('follows no redirect: neither what is sent nor its signature goes where nobody said', async () => {
    const elsewhere = await receiver()
    const { url, received } = await receiver((response, count) =>
      count === 1 ? endWith(response, 307, { location: elsewhere.url }) : endWith(response, 204),
    )
    const { engine, timers, advance, said, logged } = await engineTold({ url, secret })
    const run = await parked(engine)
    await said('a notifier failed')
    await timers.armed(firstRestMs)
    advance(firstRestMs)
    await helperOf(engine, 'asker').atRest(run)
    expect(logged.map((line) => line.data?.error)).toEqual(['The endpoint answered 307.'])
    expect(received[0]?.path).toBe('/hook')
    expect(elsewhere.received).toEqual([])
  })

  test('ends at 410 Gone', async () => {
    const { url, received } = await receiver((response) => endWith(response, 410))
    const { engine, said, advance, logged } = await engineTold({ url, secret })
    const run = await parked(engine)
    await said('a notifier is told no more until the engine is started again')
    await helperOf(engine, 'asker').stop({ run })
    advance(3_600_000)
    await engine.stop()
    expect(received).toHaveLength(1)
    expect(logged[0]?.data).toEqual({ notifier: 'webhook', why: 'The endpoint answered 410 Gone.' })
  })

  test('hangs up on a receiver that does not answer in time, and posts again', async () => {
    const hungUp = Promise.withResolvers<void>()
    const { url, received, arrived } = await receiver((response, count) => {
      if (count > 1) endWith(response, 204)
      else response.on('close', () => hungUp.resolve())
    })
    const { engine, timers, advance } = await engineTold({ url, secret, timeoutMs: 10_000 })
    const run = await parked(engine)
    await arrived(1)
    advance(10_000)
    await hungUp.promise
    await timers.armed(firstRestMs)
    advance(firstRestMs)
    await arrived(2)
    expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id'])
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    await arrived(3)
  })

  test('says why it reached nobody, and not the address: many have a secret in it', async () => {
    const { url, close } = await receiver()
    await close()
    const { engine, said, logged } = await engineTold({ url: `${url}/s3cret`, secret })
    const run = await parked(engine)
    await said('a notifier failed')
    expect(logged[0]?.data?.error).toContain('ECONNREFUSED')
    expect(JSON.stringify(logged)).not.toContain('s3cret')
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
  })

  test('does not wait for the body of a response, however long it is', async () => {
    const { url, received, arrived } = await receiver((response, count) => {
      response.writeHead(200)
      if (count > 1) response.end()
      else response.write('the first of very many')
    })
    const { engine } = await engineTold({ url, secret })
    const run = await parked(engine)
    await arrived(1)
    await helperOf(engine, 'asker').stop({ run })
    await arrived(2)
    expect(received.map(({ headers }) => headers['webhook-id']?.slice(-7))).toEqual(['_opened', 'settled'])
  })
})
