import { type Ask, code } from 'querent'
import { createClient, QuerentError } from 'querent/client'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, typesOf, world } from '../engine/world.ts'
import { hastyClock, serve } from '../server/served.ts'
import { cuttingProxy, type Fate } from './cutting-proxy.ts'

/** A run of Ann's that waits, behind a proxy that does with each request what comes next in the list. */
async function behind(fates: Fate[]) {
  const { open } = world()
  const { agents, model } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
  const engine = await open(agents)
  const { run } = await helperOf(engine, 'asker').start('go')
  const { asks } = await helperOf(engine, 'asker').atRest(run)
  const served = await serve(engine)
  const proxy = await cuttingProxy(
    () => served.url,
    () => fates.shift() ?? 'pass',
  )
  const client = served.client('ann', { url: proxy.url })
  const settlements = async () => typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.settled')
  return { engine, served, run, ask: asks[0] as Ask, proxy, client, model, settlements }
}

describe('what may not have arrived is sent again, and is not done twice', () => {
  test.each<[string, Fate[], boolean]>([
    ['never arrived', ['refuse'], false],
    ['arrived, and the answer was lost', ['lose the answer'], true],
    ['arrived twice, and both answers were lost', ['lose the answer', 'lose the answer'], true],
  ])('an answer that %s', async (_, fates, duplicate) => {
    const tries = fates.length + 1
    const { client, run, proxy, settlements, model } = await behind(fates)
    const settling = await client.runs.approve({ run, step: 'question 1.1', data: 'M' })
    expect(settling).toMatchObject({ duplicate, ask: { run } })
    expect(proxy.seen).toHaveLength(tries)
    await client.runs.atRest(run)
    expect([await settlements(), model.calls]).toEqual([['ask.settled'], 2])
  })

  test('a start, a message and a refusal whose answers were lost', async () => {
    const { client, engine, run, ask: open } = await behind(['lose the answer', 'pass', 'lose the answer', 'pass'])
    const started = await client.agent('asker').start('another')
    expect((await engine.runs.list()).items.map((each) => each.run).sort()).toEqual([run, started.run].sort())
    await client.runs.refuse(open, { reason: 'no' })
    await client.runs.atRest(run)
    await client.runs.say({ run, text: 'and now?' })
    await client.runs.atRest(run)
    const log = await engine.runs.log(run)
    expect(log.filter(({ type }) => type === 'message.added')).toHaveLength(1)
  })

  test('given up after three tries with T3004; the same answer given again is the same answer', async () => {
    const { client, run, proxy, settlements } = await behind([
      'lose the answer',
      'lose the answer',
      'lose the answer',
      'refuse',
      'refuse',
      'refuse',
    ])
    const answer = () => client.runs.approve({ run, step: 'question 1.1', data: 'M' })
    const first = await answer().catch((error: unknown) => error)
    expect(first).toBeInstanceOf(QuerentError)
    expect(first).toMatchObject({ code: code.T3004, status: 503, retry: true })
    expect(proxy.seen).toHaveLength(3)
    expect(await refusal(answer())).toMatchObject({ code: code.T3004 })
    expect(await answer()).toMatchObject({ duplicate: true })
    expect(await settlements()).toHaveLength(1)
    // Heard of, it is over: once more is another answer.
    expect(await refusal(answer())).toMatchObject({ code: code.T0003 })
  })

  test('another answer in between is another answer', async () => {
    const { client, run } = await behind(['lose the answer', 'lose the answer', 'lose the answer'])
    await refusal(client.runs.approve({ run, step: 'question 1.1', data: 'M' }))
    const other = refusal(client.runs.approve({ run, step: 'question 1.1', data: 'L' }))
    expect(await other).toMatchObject({ code: code.T0003, data: { answer: 'M' } })
  })

  test('what the server refuses is not sent again', async () => {
    const { client, run, proxy } = await behind([])
    expect(await refusal(client.runs.approve({ run, step: 'question 1.1', data: ' ' }))).toMatchObject({
      code: code.T0002,
    })
    expect(proxy.seen).toHaveLength(1)
  })
})

test('double submit: the same answer twice at once is settled once, two answers are told who was first', async () => {
  const { client, run, ask: open, settlements } = await behind([])
  const same = { data: 'M', answerId: 'form-1' }
  const both = await Promise.all([client.runs.approve(open, same), client.runs.approve(open, same)])
  expect(both.map(({ duplicate }) => duplicate).sort()).toEqual([false, true])
  const late = refusal(client.runs.approve({ run, step: 'question 1.1', data: 'M' }))
  expect(await late).toMatchObject({ code: code.T0003, data: { by: { type: 'person', id: 'ann' }, answer: 'M' } })
  expect(await settlements()).toHaveLength(1)
})

describe('what is no answer of Querent is T3004', () => {
  const clientOf = (respond: () => Response) => {
    let calls = 0
    const fetch = async () => {
      calls++
      return respond()
    }
    return { client: createClient({ url: 'http://app.example/', fetch, clock: hastyClock }), calls: () => calls }
  }

  test.each<[string, () => Response, number, number]>([
    ['a page of a proxy that is not ready', () => new Response('<html>', { status: 502 }), 3, 502],
    ['a page', () => new Response('<html>', { status: 404 }), 1, 404],
    ['a page where JSON should be', () => new Response('<html>'), 3, 503],
    ['a fault of the server', () => Response.json({ status: 500, title: 'x' }, { status: 500 }), 1, 500],
    ['a code nobody knows', () => Response.json({ code: 'T9999' }, { status: 400 }), 1, 400],
  ])('%s', async (_, respond, calls, status) => {
    const tried = clientOf(respond)
    const error = await tried.client.runs.get('run_1').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: code.T3004, status })
    expect(tried.calls()).toBe(calls)
  })

  test('a server that closes is tried again', async () => {
    let left = 2
    const closing = () => Response.json({ code: code.T1008, detail: 'closing' }, { status: 503 })
    const tried = clientOf(() => (left-- > 0 ? closing() : Response.json({ items: [] })))
    expect(await tried.client.asks()).toEqual([])
    expect(tried.calls()).toBe(3)
  })
})

test('headers are asked for anew at each request, and reach the server beside its own', async () => {
  const { served, run } = await behind([])
  const tokens = ['bob', 'ann']
  const headers = async () => ({ authorization: `Bearer ${tokens.shift()}` })
  const client = createClient({ url: served.url, headers })
  expect(await refusal(client.runs.get(run))).toMatchObject({ code: code.T0001 })
  expect(await client.runs.get(run)).toMatchObject({ run })
})
