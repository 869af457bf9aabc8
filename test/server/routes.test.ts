import { code } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, typesOf, world } from '../engine/world.ts'
import { openStream, type Request, serve } from './served.ts'

const turns = [{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }]

/** A run of Ann's that waits, on a server. */
async function parked() {
  const { open } = world()
  const engine = await open(asker(turns).agents)
  const served = await serve(engine)
  const { run } = await helperOf(engine, 'asker').start('a shirt')
  const view = await helperOf(engine, 'asker').atRest(run)
  return { engine, run, served, asked: view.asks[0]?.id as string }
}

/** Every route, as a request on a run. Those on no run are for whoever is signed in. */
const ofRun: [string, (run: string, ask: string) => [string, Request]][] = [
  ['GET run', (run) => [`/api/runs/${run}`, {}]],
  ['approve by step', (run) => [`/api/runs/${run}/approve`, { body: { step: 'question 1.1', data: 'M' } }]],
  ['approve by id', (run, id) => [`/api/runs/${run}/approve`, { body: { ask: id, data: 'M' } }]],
  ['refuse', (run) => [`/api/runs/${run}/refuse`, { body: { step: 'question 1.1', reason: 'no' } }]],
  ['say', (run) => [`/api/runs/${run}/say`, { body: { text: 'wait' } }]],
  ['stop', (run) => [`/api/runs/${run}/stop`, { body: {} }]],
  ['events', (run) => [`/api/runs/${run}/events`, {}]],
  ['events until rest', (run) => [`/api/runs/${run}/events?until=rest`, {}]],
]

describe.each(ofRun)('%s of a run', (_, requestOf) => {
  test('T0001 for nobody and for another person, whatever stands in the body; the same as for a run that is not there', async () => {
    const { run, served, asked, engine } = await parked()
    const [path, request] = requestOf(run, asked)
    const before = await engine.runs.log(run)
    const body = request.body as object | undefined
    const tries: [string, Request][] = [
      [path, request],
      [path, { ...request, as: 'bob' }],
      ...(body
        ? [
            [path, { as: 'bob', body: { ...body, as: 'ann', person: { id: 'ann' } } }] as [string, Request],
            [path, { as: 'bob', body: 'no JSON' }] as [string, Request],
          ]
        : []),
    ]
    for (const [where, what] of tries) {
      const answer = await served.ask(where, what)
      const [elsewhere] = requestOf('run_none', asked)
      const absent = await served.ask(elsewhere, what)
      expect(answer).toMatchObject({ status: 404, body: { code: code.T0001 } })
      expect(JSON.stringify(answer.body).replaceAll(run, 'run_none')).toBe(JSON.stringify(absent.body))
    }
    expect(await engine.runs.log(run)).toEqual(before)
  })
})

test('the starter reads, streams, answers, and the run goes on', async () => {
  const { run, served, asked, engine } = await parked()
  const get = await served.ask(`/api/runs/${run}`, { as: 'ann' })
  expect(get).toMatchObject({ status: 200, body: { run, agent: 'asker', status: 'waiting', asks: [{ id: asked }] } })
  const stream = await openStream(`${served.url}/api/runs/${run}/events`, { as: 'ann' })
  expect(await stream.next()).toMatchObject({ id: '1', data: { type: 'message', role: 'user', text: 'a shirt' } })
  const approved = await served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: { ask: asked, data: 'M' } })
  expect(approved).toMatchObject({ status: 200, body: { ask: { id: asked, step: 'question 1.1' }, duplicate: false } })
  const sent = await stream.rest()
  expect(sent.at(-2)).toMatchObject({ data: { type: 'status', status: 'done' } })
  expect(sent.at(-1)).toEqual({ event: 'end', data: {} })
  expect(typesOf(await engine.runs.log(run))).toContain('ask.settled')
})

test('the starter refuses, writes and stops', async () => {
  const { run, served } = await parked()
  const refused = await served.ask(`/api/runs/${run}/refuse`, { as: 'ann', body: { step: 'question 1.1' } })
  expect(refused).toMatchObject({ status: 200, body: { duplicate: false } })
  const said = await served.ask(`/api/runs/${run}/say`, { as: 'ann', body: { text: 'two', key: 'k' } })
  expect(said).toMatchObject({ status: 202, body: { run } })
  const stopped = await served.ask(`/api/runs/${run}/stop`, { as: 'ann', body: {} })
  expect(stopped.status).toBe(202)
  expect(['stopped', 'done', 'failed']).toContain((stopped.body as { status: string }).status)
})

describe('lists', () => {
  test('T0007 (401) for nobody; each person sees their own alone', async () => {
    const { run, served, asked } = await parked()
    for (const path of ['/api/runs', '/api/asks', '/api/events']) {
      expect(await served.ask(path)).toMatchObject({ status: 401, body: { code: code.T0007, status: 401 } })
    }
    expect(await served.ask('/api/runs', { as: 'bob' })).toMatchObject({ status: 200, body: { items: [] } })
    expect(await served.ask('/api/asks', { as: 'bob' })).toMatchObject({ status: 200, body: { items: [] } })
    const events = await openStream(`${served.url}/api/events`, { as: 'bob' })
    expect((await events.next())?.data).toMatchObject({ type: 'snapshot', asks: [], runs: [] })
    expect(await served.ask('/api/runs', { as: 'ann' })).toMatchObject({
      body: { items: [{ run, asks: [{ id: asked }] }] },
    })
    expect(await served.ask('/api/asks', { as: 'ann' })).toMatchObject({ body: { items: [{ id: asked, run }] } })
  })

  test('go page by page, and take filters', async () => {
    const { open } = world()
    const engine = await open(asker([{ calls: [ask('Size?')] }]).agents)
    const served = await serve(engine)
    const runs: string[] = []
    for (const input of ['one', 'two', 'three']) {
      const { run } = await helperOf(engine, 'asker').start(input)
      runs.unshift((await helperOf(engine, 'asker').atRest(run)).run)
    }
    for (const path of ['/api/runs', '/api/asks']) {
      const first = await served.ask(`${path}?limit=2`, { as: 'ann' })
      const { items, cursor } = first.body as { items: { run: string }[]; cursor: string }
      const second = await served.ask(`${path}?limit=2&after=${encodeURIComponent(cursor)}`, { as: 'ann' })
      const rest = second.body as { items: { run: string }[]; cursor?: string }
      expect([...items, ...rest.items].map(({ run }) => run).sort()).toEqual([...runs].sort())
      expect(rest.cursor).toBeUndefined()
    }
    await helperOf(engine, 'asker').stop({ run: runs[0] as string })
    const listed = async (query: string) => {
      const { body } = await served.ask(`/api/runs?${query}`, { as: 'ann' })
      return (body as { items: { run: string }[] }).items.map(({ run }) => run)
    }
    expect(await listed('status=stopped')).toEqual([runs[0]])
    expect(await listed('active=true')).toEqual(runs.slice(1))
    expect(await listed('active=false')).toEqual(runs)
    expect(await listed('agent=asker&status=waiting')).toEqual(runs.slice(1))
    expect(await listed('agent=other')).toEqual([])
  })
})

describe('starting', () => {
  test('201 with the run and where it is; a key makes a repeat harmless', async () => {
    const { open } = world()
    const engine = await open(asker(turns).agents)
    const served = await serve(engine)
    const body = { input: 'a shirt', key: 'k1' }
    const first = await served.ask('/api/agents/asker/runs', { as: 'ann', body })
    const { run } = first.body as { run: string }
    expect(first.status).toBe(201)
    expect(first.headers.get('location')).toBe(`/api/runs/${run}`)
    expect(await engine.runs.get(run)).toMatchObject({ trigger: 'chat', agent: 'asker' })
    expect(await served.ask('/api/agents/asker/runs', { as: 'ann', body })).toMatchObject({
      status: 201,
      body: { run },
    })
    const other = await served.ask('/api/agents/asker/runs', { as: 'ann', body: { input: 'x', key: 'k1' } })
    expect(other).toMatchObject({ status: 409, body: { code: code.T0014 } })
    expect((await served.ask('/api/agents/asker/runs', { as: 'bob', body })).body).not.toEqual({ run })
  })

  test('nobody gets 401, who may not gets 403, and an agent that is not there 404, named to those alone who are signed in', async () => {
    const { open } = world()
    const { asker: forAll } = asker(turns)
    const agents = [forAll, { ...forAll, name: 'inner', access: 'system' as const }]
    const picky = { ...forAll, name: 'picky', access: ({ id }: { id: string }) => id === 'ann' }
    const served = await serve(await open([...agents, picky], { idle: true }))
    const startAs = (agent: string, as?: string) =>
      served.ask(`/api/agents/${agent}/runs`, { ...(as ? { as } : {}), body: { input: 'hi' } })
    for (const agent of ['asker', 'inner', 'picky', 'none']) {
      expect(await startAs(agent)).toMatchObject({ status: 401, body: { code: code.T0007 } })
    }
    expect(await startAs('inner', 'ann')).toMatchObject({ status: 403, body: { code: code.T0007 } })
    expect(await startAs('picky', 'bob')).toMatchObject({ status: 403, body: { code: code.T0007 } })
    expect(await startAs('picky', 'ann')).toMatchObject({ status: 201 })
    const none = await startAs('none', 'ann')
    expect(none).toMatchObject({ status: 404, body: { code: code.T1005 } })
    expect(JSON.stringify(none.body)).not.toContain('inner')
  })
})
