import { connect } from 'node:net'
import { code } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { openStream, type Request, type Served, serve } from './served.ts'

async function parked(input: object = { question: 'How many?', shape: { type: 'integer' } }) {
  const { open } = world()
  const { agents, model } = asker([{ calls: [ask(input as Record<string, unknown>)] }, { text: 'Thanks.' }])
  const engine = await open(agents)
  const served = await serve(engine, { limits: { bodyBytes: 2000 } })
  const { run } = await helperOf(engine, 'asker').start('go')
  await helperOf(engine, 'asker').atRest(run)
  return { engine, served, run, model }
}

const atStep = { step: 'question 1.1' }

const wrongBodies: [string, string, Request, number, RegExp][] = [
  ['no JSON', 'approve', { body: '{"step":' }, 400, /not JSON/],
  ['nothing', 'approve', { body: '' }, 400, /not JSON/],
  ['a list', 'approve', { body: [] }, 400, /expected object/],
  ['null', 'approve', { body: null }, 400, /expected object/],
  ['half a character', 'say', { body: '"\uD800"' }, 400, /./],
  ['no content type', 'stop', { body: '{}', headers: { 'content-type': '' } }, 415, /application\/json/],
  ['a form', 'stop', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
  ['a like type', 'stop', { body: '{}', headers: { 'content-type': 'application/jsonx' } }, 415, /application\/json/],
  ['too large', 'say', { body: { text: 'x'.repeat(3000) } }, 413, /at most 2000 bytes/],
  ['an unknown field', 'approve', { body: { ...atStep, data: 1, as: 'bob' } }, 400, /"as"/],
  ['a trigger', 'stop', { body: { trigger: 'system' } }, 400, /"trigger"/],
  ['a tool', 'approve', { body: { ...atStep, tool: 'x', input: {} } }, 400, /"tool"/],
  ['no place', 'approve', { body: { data: 1 } }, 400, /say which ask/],
  ['two places', 'approve', { body: { ...atStep, ask: 'ask_1', data: 1 } }, 400, /say which ask/],
  ['a place of two forms', 'refuse', { body: { ask: 'ask_1', n: 1 } }, 400, /say which ask/],
  ['a step that is a number', 'approve', { body: { step: 1, data: 1 } }, 400, /\/step .*expected string/],
  ['round 0', 'approve', { body: { ...atStep, repeat: 0, data: 1 } }, 400, /\/repeat/],
  ['half an n', 'approve', { body: { ...atStep, n: 1.5, data: 1 } }, 400, /\/n /],
  ['an empty answerId', 'approve', { body: { ...atStep, data: 1, answerId: '' } }, 400, /\/answerId/],
  ['a long answerId', 'refuse', { body: { ...atStep, answerId: 'x'.repeat(201) } }, 400, /\/answerId/],
  ['a reason that is no text', 'refuse', { body: { ...atStep, reason: 5 } }, 400, /\/reason/],
  ['a text that is a number', 'say', { body: { text: 5 } }, 400, /\/text must be a text/],
  ['an empty text', 'say', { body: { text: ' ' } }, 400, /empty/],
  ['an unknown part', 'say', { body: { text: [{ type: 'video', url: 'x' }] } }, 400, /\/text must be/],
  ['a part with more', 'say', { body: { text: [{ type: 'text', text: 'x', providerOptions: {} }] } }, 400, /\/text/],
]

describe('a body that cannot be read is T0008, and nothing is done', () => {
  test.each(wrongBodies)('%s', async (_, action, request, status, message) => {
    const { engine, served, run } = await parked()
    const before = await engine.runs.log(run)
    const answer = await served.ask(`/api/runs/${run}/${action}`, { as: 'ann', ...request })
    expect(answer).toMatchObject({ status, body: { code: code.T0008, status } })
    expect((answer.body as { detail: string }).detail).toMatch(message)
    expect(await engine.runs.log(run)).toEqual(before)
  })

  test('of a start, too: no trigger, no person, no tool comes from a body', async () => {
    const { served, engine } = await parked()
    for (const more of [{ trigger: 'system' }, { as: { id: 'bob' } }, { person: 'bob' }, { tools: [] }, { key: '' }]) {
      const answer = await served.ask('/api/agents/asker/runs', { as: 'ann', body: { input: 'hi', ...more } })
      expect(answer).toMatchObject({ status: 400, body: { code: code.T0008 } })
    }
    expect((await engine.runs.list()).items).toHaveLength(1)
  })

  test('bytes that are not UTF-8', async () => {
    const { served, run } = await parked()
    const response = await fetch(`${served.url}/api/runs/${run}/say`, {
      method: 'POST',
      headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
      body: Buffer.from('{"text":"caf\u00e9"}', 'latin1'),
    })
    expect([response.status, await response.json()]).toMatchObject([400, { code: code.T0008 }])
  })

  test('too large without saying so: counted as it comes', async () => {
    const { served, run } = await parked()
    const piece = new TextEncoder().encode('x'.repeat(1000))
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(piece) })
    const response = await fetch(`${served.url}/api/runs/${run}/say`, {
      method: 'POST',
      headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test('depth: an answer of 100,000 lists is told not to fit, and the server lives', async () => {
    const { open } = world()
    const engine = await open(asker([{ calls: [ask('Size?')] }]).agents)
    const served = await serve(engine)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    const deep = `{"step":"question 1.1","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const answer = await served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: deep })
    expect([400, 413, 422]).toContain(answer.status)
    expect(await served.ask('/api/asks', { as: 'ann' })).toMatchObject({ status: 200 })
  })
})

describe('a query that cannot be read is T0008', () => {
  test.each([
    '/api/runs?limit=0',
    '/api/runs?limit=201',
    '/api/runs?limit=1.5',
    '/api/runs?limit=many',
    '/api/runs?status=parked',
    '/api/runs?active=yes',
    '/api/runs?person=bob',
    '/api/runs?after=garbage',
    '/api/asks?after=garbage',
    '/api/asks?starter=bob',
    '/api/runs/RUN/events?after=-1',
    '/api/runs/RUN/events?after=x',
    '/api/runs/RUN/events?until=done',
  ])('%s', async (path) => {
    const { served, run } = await parked()
    const answer = await served.ask(path.replace('RUN', run), { as: 'ann' })
    expect(answer).toMatchObject({ status: 400, body: { code: code.T0008 } })
  })
})

describe('where a write comes from', () => {
  const stopFrom = (served: Served, run: string, headers: Record<string, string>) =>
    served.ask(`/api/runs/${run}/stop`, { as: 'ann', body: {}, headers })

  test('another origin, none from a browser, and what is no origin are T0007; nothing is done', async () => {
    const { served, run, engine } = await parked()
    const wrong: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${served.url}.evil.example` },
      { origin: 'http://127.0.0.1:1' },
      { cookie: 'a=b' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ]
    for (const headers of wrong) {
      const answer = await stopFrom(served, run, headers)
      expect(answer, JSON.stringify(headers)).toMatchObject({ status: 403, body: { code: code.T0007 } })
    }
    expect((await engine.runs.get(run)).status).toBe('waiting')
  })

  test.each([
    ['its own', (url: string) => ({ origin: url, cookie: 'a=b' })],
    ['its own, behind a proxy that ends TLS', (url: string) => ({ origin: url.replace('http:', 'https:') })],
    ['no browser at all', () => ({})],
  ])('%s may', async (_, headers) => {
    const { served, run } = await parked()
    expect(await stopFrom(served, run, headers(served.url))).toMatchObject({ status: 202 })
  })

  test('other origins may where they are given, and pages of theirs can read the answers: errors, too', async () => {
    const { open } = world()
    const origin = 'https://app.example'
    const served = await serve(await open(asker([]).agents, { idle: true }), { origins: [origin] })
    const body = { input: 'hi' }
    const started = await served.ask('/api/agents/asker/runs', { as: 'ann', body, headers: { origin } })
    expect(started.status).toBe(201)
    const refused = await served.ask('/api/runs', { headers: { origin } })
    expect(refused.status).toBe(401)
    for (const { headers } of [started, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('vary')).toContain('Origin')
    }
    const preflight = await served.ask('/api/agents/asker/runs', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/i)
    const evil = await served.ask('/api/runs', { as: 'ann', headers: { origin: 'https://evil.example' } })
    expect(evil.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('nobody else can read anything where none are given', async () => {
    const { served } = await parked()
    const answer = await served.ask('/api/runs', { as: 'ann', headers: { origin: 'https://evil.example' } })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('paths and methods', () => {
  test('an unknown path is 404, a wrong method 405, as problems', async () => {
    const { served, run } = await parked()
    expect(await served.ask('/api/nothing', { as: 'ann' })).toMatchObject({ status: 404, body: { code: code.T0008 } })
    for (const [path, method, allow] of [
      ['/api/runs', 'POST', 'GET'],
      [`/api/runs/${run}`, 'DELETE', 'GET, POST'],
      [`/api/runs/${run}/approve`, 'GET', 'POST'],
      [`/api/runs/${run}/events`, 'HEAD', 'GET, POST'],
      ['/api/runs', 'OPTIONS', 'GET, POST'],
    ] as const) {
      const { status, headers } = await served.ask(path, { as: 'ann', method })
      expect([status, headers.get('allow')], `${method} ${path}`).toEqual([405, allow])
    }
  })

  test('an id is one segment, whatever stands in it', async () => {
    const { served } = await parked()
    for (const id of ['a%2Fb', 'run%2F..%2F..', '%00', '%E0%A4%A', 'x'.repeat(5000)]) {
      const answer = await served.ask(`/api/runs/${id}/events`, { as: 'ann' })
      expect(answer.status, id).toBe(404)
    }
  })

  test('outside of /api there is nothing, or what is given for it', async () => {
    const { open } = world()
    const engine = await open([], { idle: true })
    expect((await (await serve(engine)).ask('/')).status).toBe(404)
    const served = await serve(engine, { fallback: ({ url }) => new Response(`page ${new URL(url).pathname}`) })
    expect(await served.ask('/a/b')).toMatchObject({ status: 200, body: 'page /a/b' })
    expect((await served.ask('/api/nothing')).status).toBe(404)
  })
})

describe('answers', () => {
  test('are problems as RFC 9457 has them, with what the error carries', async () => {
    const { served, run } = await parked()
    const answer = await served.ask(`/api/runs/${run}/approve`, { as: 'ann', body: { ...atStep, data: '3' } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer).toMatchObject({
      status: 422,
      body: {
        type: 'urn:querent:error:T0002',
        title: expect.any(String),
        status: 422,
        code: code.T0002,
        retry: false,
        detail: expect.stringContaining('still waits'),
        data: { issues: [{ path: '', message: expect.any(String) }] },
      },
    })
  })

  test('are nothing that runs, is framed or kept, whatever they are', async () => {
    const { served, run } = await parked()
    const stream = await openStream(`${served.url}/api/runs/${run}/events`, { as: 'ann' })
    const answers = [
      await served.ask(`/api/runs/${run}`, { as: 'ann' }),
      await served.ask('/api/runs'),
      await served.ask('/api/nothing'),
      await served.ask('/api/openapi.json'),
      stream,
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('cache-control')).toContain('no-store')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })

  test('an error nobody expected is 500 without a word of it; the log has it all', async () => {
    const { open } = world()
    const identify = () => {
      throw new Error('the password is hunter2')
    }
    const served = await serve(await open([], { idle: true }), { identify })
    const answer = await served.ask('/api/runs')
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
    expect(JSON.stringify(served.logged)).toContain('hunter2')
  })

  test('of a store that is closed, the title alone', async () => {
    const { open, close } = world()
    const engine = await open([], { idle: true })
    const served = await serve(engine)
    await close(engine)
    const answer = await served.ask('/api/runs', { as: 'ann' })
    expect(answer).toMatchObject({ status: 500, body: { code: code.T1008, detail: 'The engine or store is closed.' } })
  })
})

test('a request that is cut half-way through its body does nothing, and the server lives', async () => {
  const { served, run, engine } = await parked()
  const { port } = new URL(served.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST /api/runs/${run}/stop HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ann\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
  expect(await served.ask('/api/asks', { as: 'ann' })).toMatchObject({ status: 200 })
  expect((await engine.runs.get(run)).status).toBe('waiting')
})
