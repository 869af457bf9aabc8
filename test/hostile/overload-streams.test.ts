import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { openStream, type Served, serve } from '../server/served.ts'

async function desk(options: Parameters<typeof serve>[1] = {}) {
  const { open } = world()
  const engine = await open(asker([{ calls: [ask('Size?')] }, { text: 'Thanks.' }]).agents)
  return { engine, served: await serve(engine, options) }
}

describe('1,000 open streams', () => {
  test('of 1,000 people: each hears of their own runs alone, requests are served, and the end ends all of them', async () => {
    const { engine, served } = await desk()
    const people = Array.from({ length: 1000 }, (_, index) => `person${index}`)
    const streams = await Promise.all(people.map((as) => openStream(`${served.url}/api/events`, { as })))
    const snapshots = await Promise.all(streams.map((stream) => stream.next()))
    expect(snapshots.filter((sent) => (sent?.data as { type?: string })?.type !== 'snapshot')).toEqual([])
    const { run } = await helperOf(engine, 'asker', 'person7').start('hi')
    await engine.runs.atRest(run)
    const heard = (await streams[7]?.next())?.data as { run?: { run: string }; asks?: { run: string }[] }
    expect(heard.run?.run ?? heard.asks?.[0]?.run).toBe(run)
    const answer = { as: 'person7', body: { step: 'question 1.1', data: 'M' } }
    expect((await served.ask(`/api/runs/${run}/approve`, answer)).status).toBe(200)
    expect((await engine.runs.atRest(run)).text).toBe('Thanks.')
    await served.server.close()
    const rests = await Promise.all(streams.map((stream) => stream.rest()))
    // Nobody else was told anything.
    expect(rests.filter((rest, index) => index !== 7 && rest.length > 0)).toEqual([])
  })

  test('of one run, most of which nobody reads: the run goes on, and who reads misses nothing', async () => {
    const { engine, served } = await desk({ limits: { streams: 1000 } })
    const { run } = await helperOf(engine, 'asker').start('hi')
    await engine.runs.atRest(run)
    const url = `${served.url}/api/runs/${run}/events`
    const streams = await Promise.all(Array.from({ length: 1000 }, () => openStream(url, { as: 'ann' })))
    const oneMore = await served.ask(`/api/runs/${run}/events`, { as: 'ann' })
    expect(oneMore).toMatchObject({ status: 429, body: { code: 'T0013' } })
    const answer = { as: 'ann', body: { step: 'question 1.1', data: 'M' } }
    expect((await served.ask(`/api/runs/${run}/approve`, answer)).status).toBe(200)
    const [first] = streams
    const rest = (await first?.rest()) ?? []
    expect(rest.at(-1)?.event).toBe('end')
    expect(JSON.stringify(rest)).toContain('Thanks.')
    // Each of them makes room when it has ended.
    await Promise.all(streams.map((stream) => stream.close()))
    const again = await openStream(url, { as: 'ann' })
    expect(again.status).toBe(200)
  })
})

describe('a request that comes slowly', () => {
  /** A write whose body comes piece by piece, as the test lets it. */
  async function slowly(served: Served, path: string, body: string): Promise<Socket> {
    const { port } = new URL(served.url)
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const head = ['Host: 127.0.0.1', 'Authorization: Bearer ann', 'Content-Type: application/json', 'Connection: close']
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`)
    return socket
  }

  test('200 that never come to their end hold up nobody, and nothing of them is done', async () => {
    const { engine, served } = await desk()
    const { run } = await helperOf(engine, 'asker').start('hi')
    await engine.runs.atRest(run)
    const body = JSON.stringify({ step: 'question 1.1', data: 'slow' })
    const sockets: Socket[] = []
    for (let index = 0; index < 200; index++) {
      const socket = await slowly(served, `/api/runs/${run}/approve`, body)
      socket.write(body.slice(0, index % body.length))
      sockets.push(socket)
    }
    const before = await engine.runs.log(run)
    expect(before.map(({ type }) => type)).not.toContain('ask.settled')
    const answer = { as: 'ann', body: { step: 'question 1.1', data: 'M' } }
    expect((await served.ask(`/api/runs/${run}/approve`, answer)).status).toBe(200)
    // Cut half-way, none of them has answered anything.
    for (const socket of sockets) socket.destroy()
    expect((await engine.runs.atRest(run)).status).toBe('done')
    const settled = (await engine.runs.log(run)).filter(({ type }) => type === 'ask.settled')
    expect(settled).toMatchObject([{ data: { data: 'M' } }])
    expect(served.logged).toEqual([])
  })

  test('byte by byte it counts once it is whole, once', async () => {
    const { engine, served } = await desk()
    const { run } = await helperOf(engine, 'asker').start('hi')
    await engine.runs.atRest(run)
    const body = JSON.stringify({ step: 'question 1.1', data: 'M' })
    const socket = await slowly(served, `/api/runs/${run}/approve`, body)
    for (const byte of body) {
      expect((await engine.runs.get(run)).asks).toHaveLength(1)
      socket.write(byte)
    }
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
    expect((await engine.runs.atRest(run)).text).toBe('Thanks.')
  })

  test('one whose answer nobody waits for has been accepted all the same', async () => {
    const { engine, served } = await desk()
    const { run } = await helperOf(engine, 'asker').start('hi')
    await engine.runs.atRest(run)
    const body = JSON.stringify({ step: 'question 1.1', data: 'M' })
    const socket = await slowly(served, `/api/runs/${run}/approve`, body)
    socket.end(body)
    for await (const event of helperOf(engine, 'asker').watch(run)) if (event.type === 'ask.settled') break
    socket.destroy()
    expect((await engine.runs.atRest(run)).text).toBe('Thanks.')
    const again = { as: 'ann', body: { step: 'question 1.1', data: 'L' } }
    expect(await served.ask(`/api/runs/${run}/approve`, again)).toMatchObject({ status: 409, body: { code: 'T0003' } })
  })
})
