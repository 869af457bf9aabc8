import { type AgentRecord, code, type Engine, type PersonEvent, type ViewEvent } from 'querent'
import { createClient } from 'querent/client'
import { fakeClock } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from '../engine/world.ts'
import { type Served, serve } from '../server/served.ts'
import { cuttingProxy, type Fate } from './cutting-proxy.ts'

const turns = [
  { text: 'Let me ask.', calls: [ask('Size?')] },
  { text: 'And the colour.', calls: [ask('Colour?')] },
  { text: 'It is ordered.' },
]

const play = () => asker(turns).agents as AgentRecord[]

async function finished(engine: Engine): Promise<{ run: string; seen: ViewEvent[] }> {
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('a shirt')
  for (const data of ['M', 'blue']) {
    const { asks } = await ann.atRest(run)
    await ann.approve(asks[0] as never, { data })
  }
  await ann.atRest(run)
  return { run, seen: await all(ann.watch(run)) }
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const event of events) seen.push(event)
  return seen
}

describe('a run is watched over a bad line', () => {
  test.each([
    ['between events', false],
    ['inside of the next', true],
  ])('cut %s, at every one of them: every event once, in order', async (_, inside) => {
    const { open } = world()
    const engine = await open(play())
    const { run, seen } = await finished(engine)
    const served = await serve(engine)
    expect(seen.length).toBeGreaterThan(8)
    for (let at = 0; at <= seen.length; at++) {
      const fates: Fate[] = [{ cutAfterEvents: at, inside }]
      const proxy = await cuttingProxy(
        () => served.url,
        () => fates.shift() ?? 'pass',
      )
      expect(await all(served.client('ann', { url: proxy.url }).runs.watch(run))).toEqual(seen)
      expect(proxy.seen).toHaveLength(2)
    }
  })

  test('cut after each event, refused in between: still every event once', async () => {
    const { open } = world()
    const engine = await open(play())
    const { run, seen } = await finished(engine)
    const served = await serve(engine)
    let connection = 0
    const proxy = await cuttingProxy(
      () => served.url,
      () => (connection++ % 2 === 0 ? { cutAfterEvents: 1, inside: connection % 4 === 1 } : 'refuse'),
    )
    expect(await all(served.client('ann', { url: proxy.url }).runs.watch(run))).toEqual(seen)
  })

  test('while it goes on: asked, answered and ended over connections that live for one event', async () => {
    const { open } = world()
    const engine = await open(play())
    const served = await serve(engine)
    const proxy = await cuttingProxy(
      () => served.url,
      (path) => (path.includes('/events') && !path.includes('until') ? { cutAfterEvents: 1 } : 'pass'),
    )
    const client = served.client('ann', { url: proxy.url })
    const { run } = await client.agent('asker').start('a shirt')
    const seen: ViewEvent[] = []
    for await (const event of client.runs.watch(run)) {
      if ('seq' in event) seen.push(event)
      if (event.type === 'ask.opened') await client.runs.approve(event.ask, { data: 'M' })
    }
    expect(seen).toEqual(await all(helperOf(engine, 'asker').watch(run)))
  })

  test('live text that was cut is taken back, and given again as a whole: it is not shown with a hole', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const engine = await open(asker([{ text: 'One two', hold: held.promise }]).agents, { idle: true })
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('go')
    const fates: Fate[] = [{ cutAfterEvents: 2 }]
    const proxy = await cuttingProxy(
      () => served.url,
      () => fates.shift() ?? 'pass',
    )
    const seen: string[] = []
    const watching = (async () => {
      for await (const event of served.client('ann', { url: proxy.url }).runs.watch(run)) {
        seen.push(event.type === 'text.delta' ? `delta ${event.text}` : event.type)
        if (event.type === 'message' && event.role === 'user') await engine.start()
        if (event.type === 'text.delta' && event.text === 'One two') held.resolve()
      }
    })()
    await watching
    expect(seen).toEqual(['message', 'delta One ', 'text.reset', 'delta One two', 'message', 'status'])
  })
})

describe('the server goes away', () => {
  /** The same port, so that a client finds the new one where the old one was. */
  const restart = async (engine: Engine, old: Served) => serve(engine, { port: Number(new URL(old.url).port) })

  test('killed and started under open streams: they go on, and miss nothing', async () => {
    const { open, kill } = world()
    const first = await open(play())
    let served = await serve(first)
    const client = served.client('ann')
    const { run } = await client.agent('asker').start('a shirt')
    await client.runs.atRest(run)
    const seen: ViewEvent[] = []
    const watching = (async () => {
      for await (const event of client.runs.watch(run)) if ('seq' in event) seen.push(event)
    })()
    const lists = client.events()[Symbol.asyncIterator]()
    expect((await lists.next()).value).toMatchObject({ type: 'snapshot', asks: [{ run }] })
    const resting = async () => client.runs.atRest(run)
    await served.kill()
    await kill(first)
    const second = await open(play())
    served = await restart(second, served)
    expect((await resting()).status).toBe('waiting')
    expect((await lists.next()).value).toMatchObject({ type: 'snapshot', asks: [{ run }] })
    await client.runs.approve({ run, step: 'question 1.1', data: 'M' })
    const { asks } = await client.runs.atRest(run)
    await client.runs.approve(asks[0] as never, { data: 'blue' })
    await watching
    expect(seen).toEqual(await all(helperOf(second, 'asker').watch(run)))
    await lists.return?.()
  })

  test('ended gracefully: streams are cut, not ended, and go on with the next server', async () => {
    const { open, close } = world()
    const first = await open(play())
    const old = await serve(first)
    const client = old.client('ann')
    const { run } = await client.agent('asker').start('a shirt')
    await client.runs.atRest(run)
    const seen: ViewEvent[] = []
    const opened = Promise.withResolvers<void>()
    const watching = (async () => {
      for await (const event of client.runs.watch(run)) {
        if ('seq' in event) seen.push(event)
        if (event.type === 'ask.opened') opened.resolve()
      }
    })()
    await opened.promise
    await old.server.close()
    await old.kill()
    await close(first)
    const second = await open(play())
    await restart(second, old)
    await client.runs.stop({ run })
    await watching
    expect(seen).toEqual(await all(helperOf(second, 'asker').watch(run)))
  })

  test('with another log behind it: T0008, and not half of one run and half of another', async () => {
    const { open } = world()
    const engine = await open(play(), { idle: true })
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    const watched = served.client('ann').runs.watch(run, { after: 99 })
    expect(await refusal(watched[Symbol.asyncIterator]().next())).toMatchObject({ code: code.T0008 })
    const inProcess = helperOf(engine, 'asker').watch(run, { after: 99 })
    expect(await refusal(inProcess[Symbol.asyncIterator]().next())).toMatchObject({ code: code.T0008 })
  })
})

describe('streams end', () => {
  test('with T0001 where the run is not theirs, without a second try', async () => {
    const { open } = world()
    const engine = await open(play(), { idle: true })
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    const proxy = await cuttingProxy(
      () => served.url,
      () => 'pass',
    )
    const bob = served.client('bob', { url: proxy.url })
    expect(await refusal(all(bob.runs.watch(run)))).toMatchObject({ code: code.T0001 })
    expect(await refusal(bob.runs.atRest(run))).toMatchObject({ code: code.T0001 })
    const nobody = served.client('', { url: proxy.url })
    expect(await refusal(all(nobody.events()))).toMatchObject({ code: code.T0007 })
    expect(proxy.seen).toHaveLength(3)
  })

  test('quietly when aborted, connected or not, and when the reader leaves', async () => {
    const { open } = world()
    const engine = await open(play())
    const served = await serve(engine)
    const client = served.client('ann')
    const { run } = await client.agent('asker').start('a shirt')
    await client.runs.atRest(run)
    const aborting = new AbortController()
    let events = 0
    for await (const event of client.runs.watch(run, { signal: aborting.signal })) {
      events++
      if (event.type === 'ask.opened') aborting.abort()
    }
    expect(events).toBe(3)
    for await (const _ of client.runs.watch(run, { signal: AbortSignal.abort() }))
      throw new Error('nothing was to come')
    for await (const _ of client.runs.watch(run)) break
    const lists = new AbortController()
    for await (const _ of client.events({ signal: lists.signal })) lists.abort()
    const offline = served.client('ann', { url: 'http://127.0.0.1:1' })
    const leaving = new AbortController()
    const watching = all(offline.runs.watch(run, { signal: leaving.signal }))
    leaving.abort()
    expect(await watching).toEqual([])
  })

  test('atRest rejects with the reason of its signal', async () => {
    const { open } = world()
    const engine = await open(play(), { idle: true })
    const client = (await serve(engine)).client('ann')
    const { run } = await client.agent('asker').start('a shirt')
    const aborting = new AbortController()
    const resting = client.runs.atRest(run, { signal: aborting.signal })
    aborting.abort(new Error('enough'))
    await expect(resting).rejects.toThrow('enough')
    const early = AbortSignal.abort(new Error('early'))
    await expect(client.runs.atRest(run, { signal: early })).rejects.toThrow('early')
  })

  test('a person’s lists go on after a cut, with a snapshot', async () => {
    const { open } = world()
    const engine = await open(play(), { idle: true })
    const served = await serve(engine)
    const fates: Fate[] = [{ cutAfterEvents: 1 }]
    const proxy = await cuttingProxy(
      () => served.url,
      () => fates.shift() ?? 'pass',
    )
    const seen: PersonEvent[] = []
    for await (const event of served.client('ann', { url: proxy.url }).events()) {
      seen.push(event)
      if (seen.length === 1) await helperOf(engine, 'asker').start('a shirt')
      if (event.type === 'snapshot' && event.runs.length === 1) break
      if (event.type === 'run') break
    }
    expect(seen.map(({ type }) => type).slice(0, 2)).toEqual(['snapshot', 'snapshot'])
  })
})

const stream = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/event-stream' } })

/** Lets time pass in steps of so many milliseconds, at most ten minutes of it. */
async function elapse(clock: ReturnType<typeof fakeClock>, { ms, until }: { ms: number; until?: () => boolean }) {
  for (const end = clock.now() + 600_000; clock.now() < end && !until?.(); clock.advance(ms)) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** How the connection of somebody's lists is while ten minutes pass, and how often it was made. */
async function tenMinutesOf(answer: (init?: RequestInit) => Promise<Response>) {
  const clock = fakeClock()
  const states: string[] = []
  const leaving = new AbortController()
  let connections = 0
  const fetch = (_: unknown, init?: RequestInit) => {
    connections++
    return answer(init)
  }
  const lists = createClient({ url: 'http://app.example', fetch, clock }).events({
    signal: leaving.signal,
    onConnection: ({ state }) => states.push(state),
  })
  const reading = all(lists)
  await elapse(clock, { ms: 100 })
  leaving.abort()
  await reading
  return { states: new Set(states), connections }
}

const never = (init?: RequestInit) =>
  new Promise<never>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))

test('a server that is silent from the first is offline', async () => {
  expect((await tenMinutesOf(never)).states).toEqual(new Set(['offline']))
})

test('what is no stream is no connection, whatever its status', async () => {
  const portal = async () => new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } })
  expect((await tenMinutesOf(portal)).states).toEqual(new Set(['offline']))
})

test('connections that end with their snapshot are made ever less often', async () => {
  const snapshot = { type: 'snapshot', at: '2026-01-01T00:00:00.000Z', asks: [], runs: [] }
  const { connections } = await tenMinutesOf(async () => stream(`data: ${JSON.stringify(snapshot)}\n\n`))
  // Every 5 to 10 seconds in the end.
  expect(connections).toBeGreaterThan(60)
  expect(connections).toBeLessThan(130)
})

test('a call that is not answered is sent again, and given up: nobody waits for ever', async () => {
  const clock = fakeClock()
  let calls = 0
  const fetch = (_: unknown, init?: RequestInit) => {
    calls++
    return never(init)
  }
  const asking = refusal(createClient({ url: 'http://app.example', fetch, clock }).asks())
  let isOver = false
  void asking.then(() => (isOver = true))
  await elapse(clock, { ms: 9_000, until: () => isOver })
  expect([await asking, calls]).toMatchObject([{ code: code.T3004 }, 3])
})

test('a connection that has been silent for 45 seconds is cut, and made again', async () => {
  const clock = fakeClock()
  const cut = Promise.withResolvers<void>()
  let connections = 0
  const fetch = async (_: unknown, init?: RequestInit) => {
    connections++
    if (connections > 1) return stream('event: rest\ndata: {"status":"done"}\n\n')
    init?.signal?.addEventListener('abort', () => cut.resolve())
    return stream(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(':\n\n'))
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      }),
    )
  }
  const resting = createClient({ url: 'http://app.example', fetch, clock }).runs.atRest('run_1')
  let done = false
  const rested = resting.then((view) => {
    done = true
    return view
  })
  // The timer is armed anew when something comes, and again when it is time to try again.
  await elapse(clock, { ms: 9_000, until: () => done })
  await cut.promise
  expect([(await rested).status, connections]).toEqual(['done', 2])
})
