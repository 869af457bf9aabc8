import { code } from 'querent'
import { createServer } from 'querent/server'
import { fakeClock } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, world } from '../engine/world.ts'
import { bearer, type Served, serve } from './served.ts'

const secret = 'a secret of at least thirty-two characters'

/** A server with small limits, on a clock that stands still. */
async function limited(limits: { startsPerMinute?: number; answersPerMinute?: number; newcomersPerMinute?: number }) {
  const { open } = world()
  const clock = fakeClock()
  const engine = await open(asker([{ calls: [ask('Size?')] }], { access: 'everyone' }).agents)
  const served = await serve(engine, { clock, limits, secret })
  return { served, clock, engine }
}

const startAs = (served: Served, as?: string) =>
  served.ask('/api/agents/asker/runs', { ...(as ? { as } : {}), body: { input: 'hi' } })

async function statuses(times: number, request: () => Promise<{ status: number }>): Promise<number[]> {
  const all: number[] = []
  for (let time = 0; time < times; time++) all.push((await request()).status)
  return all
}

describe('T0013 for a person who does too much in a minute', () => {
  test('starts: one more when its time has come, said in Retry-After; others are not touched by it', async () => {
    const { served, clock, engine } = await limited({ startsPerMinute: 3 })
    expect(await statuses(4, () => startAs(served, 'ann'))).toEqual([201, 201, 201, 429])
    const refused = await startAs(served, 'ann')
    expect(refused.headers.get('retry-after')).toBe('20')
    expect(refused.body).toMatchObject({ code: code.T0013, retry: true, data: { retryAfterMs: 20_000 } })
    expect((await engine.as({ id: 'ann' }).runs.list()).items).toHaveLength(3)
    expect((await startAs(served, 'bob')).status).toBe(201)
    clock.advance(19_999)
    expect((await startAs(served, 'ann')).headers.get('retry-after')).toBe('1')
    clock.advance(1)
    expect(await statuses(2, () => startAs(served, 'ann'))).toEqual([201, 429])
    clock.advance(3_600_000)
    expect(await statuses(4, () => startAs(served, 'ann'))).toEqual([201, 201, 201, 429])
  })

  test('messages count as starts do: they have a model called as well', async () => {
    const { served } = await limited({ startsPerMinute: 2 })
    const { run } = (await startAs(served, 'ann')).body as { run: string }
    const say = () => served.ask(`/api/runs/${run}/say`, { as: 'ann', body: { text: 'more' } })
    expect(await statuses(2, say)).toEqual([202, 429])
    expect(await startAs(served, 'ann')).toMatchObject({ status: 429, body: { code: code.T0013 } })
    // To look, to answer and to stop costs nobody anything.
    expect((await served.ask('/api/runs', { as: 'ann' })).status).toBe(200)
    expect((await served.ask(`/api/runs/${run}/stop`, { as: 'ann', body: {} })).status).toBe(202)
  })

  test('answers and refusals, those that do not fit among them; the ask still waits', async () => {
    const { served, clock, engine } = await limited({ answersPerMinute: 3 })
    const { run } = (await startAs(served, 'ann')).body as { run: string }
    await engine.runs.atRest(run)
    const answer = (data: unknown) =>
      served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: { step: 'question 1.1', data } })
    expect(await statuses(4, () => answer(' '))).toEqual([422, 422, 422, 429])
    const refuse = () => served.ask(`/api/runs/${run}/refuse`, { as: 'ann', body: { step: 'question 1.1' } })
    expect((await refuse()).status).toBe(429)
    expect((await engine.runs.get(run)).asks).toHaveLength(1)
    clock.advance(20_000)
    expect((await answer('M')).status).toBe(200)
  })

  test('says nothing of a run: of one of somebody else no more than of one that is not there', async () => {
    const { served } = await limited({ answersPerMinute: 1 })
    const { run } = (await startAs(served, 'ann')).body as { run: string }
    const tryAs = (as: string, id: string) =>
      served.ask(`/api/runs/${id}/approve`, { as, body: { step: 'question 1.1', data: 'M' } })
    expect([(await tryAs('bob', run)).status, (await tryAs('bob', 'run_none')).status]).toEqual([404, 429])
    expect([(await tryAs('eve', 'run_none')).status, (await tryAs('eve', run)).status]).toEqual([404, 429])
  })

  test('people whom nobody knows are counted together: each of them is new', async () => {
    const { served } = await limited({ newcomersPerMinute: 2 })
    const first = await startAs(served)
    expect(await statuses(2, () => startAs(served))).toEqual([201, 429])
    // Who is known already, by a cookie or a token, is not kept out by them.
    const cookie = String(first.headers.get('set-cookie')).split(';')[0] as string
    const again = await served.ask('/api/agents/asker/runs', {
      body: { input: 'hi' },
      headers: { cookie, origin: served.url },
    })
    expect(again.status).toBe(201)
    expect((await startAs(served, 'ann')).status).toBe(201)
  })

  test('a chat counts as its answers and messages do', async () => {
    const { served } = await limited({ startsPerMinute: 1 })
    const post = (id: string) => {
      const messages = [{ id: `${id}-1`, role: 'user', parts: [{ type: 'text', text: 'hi' }] }]
      return served.ask('/api/agents/asker/chat', { as: 'ann', body: { id, messages, trigger: 'submit-message' } })
    }
    expect([(await post('a')).status, (await post('b')).status]).toEqual([200, 429])
  })
})

test.each<[object, RegExp]>([
  [{ startPerMinute: 5 }, /unknown "startPerMinute"/],
  [{ startsPerMinute: 0 }, /startsPerMinute is 0/],
  [{ answersPerMinute: 1.5 }, /answersPerMinute is 1.5/],
])('T1003 for the limits %j', async (limits, message) => {
  const { open } = world()
  const engine = await open([], { idle: true })
  expect(() => createServer(engine, { identify: bearer, limits })).toThrow(message)
})

test('a limit that is undefined is the default, not none', async () => {
  const { open } = world()
  const served = await serve(await open(asker([]).agents, { idle: true }), { limits: { bodyBytes: undefined } })
  const answer = await served.ask('/api/agents/asker/runs', { as: 'ann', body: { input: 'x'.repeat(5_000_000) } })
  expect(answer).toMatchObject({ status: 413, body: { code: code.T0008 } })
})
