import { code, type ViewEvent } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { openStream, type Sent, serve } from './served.ts'

const play = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }])

/** A run that is over, and all that its person saw. */
async function finished() {
  const { open, clock } = world()
  const engine = await open(play().agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('a shirt')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  await ann.atRest(run)
  const seen: ViewEvent[] = []
  for await (const event of ann.watch(run)) seen.push(event)
  const served = await serve(engine)
  return { run, seen, served, engine, clock, path: `${served.url}/api/runs/${run}/events` }
}

const dataOf = (sent: Sent[]) => sent.filter(({ event }) => event === undefined).map(({ data }) => data)
const end: Sent = { event: 'end', data: {} }

describe('the stream of a run', () => {
  test('gives the view, each line with its number as id, and says that it is over', async () => {
    const { path, seen } = await finished()
    const stream = await openStream(path, { as: 'ann' })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const sent = await stream.rest()
    expect(sent).toEqual([...seen.map((event) => ({ id: String('seq' in event && event.seq), data: event })), end])
  })

  test('goes on behind Last-Event-ID, or behind "after", at every line', async () => {
    const { path, seen } = await finished()
    for (const [index, event] of seen.entries()) {
      const id = String('seq' in event && event.seq)
      const byHeader = await openStream(path, { as: 'ann', headers: { 'last-event-id': id } })
      const byQuery = await openStream(`${path}?after=${id}`, { as: 'ann' })
      for (const stream of [byHeader, byQuery]) {
        const sent = await stream.rest()
        expect(dataOf(sent)).toEqual(seen.slice(index + 1))
        expect(sent.at(-1)).toEqual(end)
      }
    }
  })

  test.each(['garbage', '-1', '1.5', '0x1', '99999', '9'.repeat(400), 'é', ' '])(
    'says resync for the id %j, and begins at the first line',
    async (id) => {
      const { path, seen } = await finished()
      const headers = { 'last-event-id': Buffer.from(id).toString('latin1') }
      const sent = await (await openStream(path, { as: 'ann', headers })).rest()
      const isNone = id.trim() === ''
      expect(sent[0]).toEqual(isNone ? { id: '1', data: seen[0] } : { event: 'resync', data: {} })
      expect(dataOf(sent)).toEqual(seen)
    },
  )

  test('gives live text without an id', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const { agents } = asker([{ text: 'One two', hold: held.promise }])
    const engine = await open(agents, { idle: true })
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('go')
    const stream = await openStream(`${served.url}/api/runs/${run}/events`, { as: 'ann' })
    await stream.next()
    await engine.start()
    expect(await stream.next()).toEqual({ data: { type: 'text.delta', text: 'One ' } })
    expect(await stream.next()).toEqual({ data: { type: 'text.delta', text: 'two' } })
    held.resolve()
    expect(await stream.next()).toMatchObject({ id: '2', data: { type: 'message', text: 'One two' } })
  })

  test('lives with no worker, and tells what another process wrote', async () => {
    const { open } = world()
    const page = await open([], { idle: true })
    const worker = await open(play().agents, { idle: true })
    const { run } = await helperOf(worker, 'asker').start('a shirt')
    const stream = await openStream(`${(await serve(page)).url}/api/runs/${run}/events`, { as: 'ann' })
    await stream.next()
    await worker.start()
    expect(await stream.next()).toMatchObject({ data: { type: 'message', text: 'Let me ask.' } })
    expect(await stream.next()).toMatchObject({ data: { type: 'ask.opened' } })
  })

  test('until=rest: nothing but the run, once it is at rest', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    const waiting = await openStream(`${served.url}/api/runs/${run}/events?until=rest`, { as: 'ann' })
    await engine.start()
    const sent = await waiting.rest()
    expect(sent).toEqual([{ event: 'rest', data: await helperOf(engine, 'asker').run(run) }])
    const atOnce = await openStream(`${served.url}/api/runs/${run}/events?until=rest`, { as: 'ann' })
    expect(await atOnce.rest()).toEqual(sent)
  })
})

describe('a stream that is open', () => {
  /** A run that waits, on a server with the world's clock. */
  async function waiting(limits: object = {}) {
    const { open, clock } = world()
    const engine = await open(play().agents)
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    await helperOf(engine, 'asker').atRest(run)
    const served = await serve(engine, { clock, limits })
    return { run, clock, engine, served, path: `${served.url}/api/runs/${run}/events` }
  }

  test('says every 15 seconds that it lives', async () => {
    const { path, clock } = await waiting()
    const stream = await openStream(path, { as: 'ann' })
    // At once: whatever stands between sees that an answer has begun.
    await stream.beat()
    for (let event = 0; event < 3; event++) await stream.next()
    let beaten = 0
    for (const beat of [1, 2, 3]) {
      const came = stream.beat().then(() => beaten++)
      // The server arms its timer when what it said before has been read, a moment later.
      while (beaten < beat && clock.now() < Date.UTC(2026, 0, 1, 0, 14)) {
        clock.advance(15_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await came
    }
    expect(beaten).toBe(3)
  })

  test('is ended after 15 minutes, without a word that the run is over', async () => {
    const { path, clock } = await waiting()
    const stream = await openStream(path, { as: 'ann' })
    for (let event = 0; event < 3; event++) await stream.next()
    const rest = stream.rest()
    clock.advance(15 * 60_000)
    expect(await rest).toEqual([])
  })

  test('T0013 where one person has too many; who leaves makes room; others are not touched by it', async () => {
    const { path, served } = await waiting({ streams: 2 })
    const first = await openStream(path, { as: 'ann' })
    await openStream(`${served.url}/api/events`, { as: 'ann' })
    const refused = await served.ask('/api/events', { as: 'ann' })
    expect(refused).toMatchObject({ status: 429, body: { code: code.T0013 } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await openStream(`${served.url}/api/events`, { as: 'bob' })).status).toBe(200)
    await first.close()
    // The server hears of it a moment later.
    let again = await openStream(path, { as: 'ann' })
    while (again.status === 429) again = await openStream(path, { as: 'ann' })
    expect(again.status).toBe(200)
  })

  test('is ended by close(), which takes nothing more', async () => {
    const { path, served } = await waiting()
    const streams = [await openStream(path, { as: 'ann' }), await openStream(`${served.url}/api/events`, { as: 'ann' })]
    const all = Promise.all(streams.map((stream) => stream.rest()))
    await served.server.close()
    for (const sent of await all) expect(sent.map(({ event }) => event)).not.toContain('end')
    expect(await served.ask('/api/runs', { as: 'ann' })).toMatchObject({ status: 503, body: { code: code.T1008 } })
    expect(served.logged).toEqual([])
  })

  test('that nobody reads is ended by close() as well', async () => {
    const { served, run } = await waiting()
    const request = new Request(`${served.url}/api/runs/${run}/events`, { headers: { authorization: 'Bearer ann' } })
    const unread = await served.server.fetch(request)
    await served.server.close()
    expect(await unread.text()).toBe(':\n\n')
  })
})
