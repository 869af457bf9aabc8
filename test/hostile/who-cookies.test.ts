import { code } from 'querent'
import { devCookies, tokenSessions } from 'querent/server'
import { describe, expect, test } from 'vitest'
import { pathOf } from '../../src/protocol/wire.ts'
import { type OperationName, operations } from '../../src/server/operations.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { type Served, serve } from '../server/served.ts'

/*
 * Cookies go along whoever made the request. So a write must say which page made it, and a cookie must not be one that
 * somebody else put into the browser.
 */

const secret = 'a secret of at least thirty-two characters'
const token = 'a-token-that-nobody-guesses'

/** The cookie of a `Set-Cookie` header, as a browser sends it back. */
const pairOf = (header: string | null) => String(header).split(';')[0] as string

/** The three cookies that this server knows, each with a run of the person it stands for, who is asked something. */
const kinds = {
  async dev() {
    const dev = devCookies({ secret })
    return { ...(await parked({ identify: dev }, 'ann')), cookie: pairOf(await dev.signIn('ann')) }
  },
  async session() {
    const sessions = tokenSessions({ token, person: { id: 'ann' } })
    const all = await parked({ identify: sessions, sessions }, 'ann')
    const request = new Request(all.served.url)
    return { ...all, cookie: pairOf((await sessions.signIn(token, request)) ?? null) }
  },
  async anonymous() {
    const all = await parked({ secret })
    const { headers, body } = await all.served.ask('/api/agents/asker/runs', { body: { input: 'hi' } })
    const { run } = body as { run: string }
    await all.engine.runs.atRest(run)
    return { ...all, run, cookie: pairOf(headers.get('set-cookie')) }
  },
}

async function parked(options: Parameters<typeof serve>[1], person?: string) {
  const { open } = world()
  const engine = await open(asker([{ calls: [ask('Size?')] }, { text: 'Ok.' }], { access: 'everyone' }).agents)
  const served = await serve(engine, { secret, ...options })
  if (person === undefined) return { engine, served, run: '' }
  const { run } = await helperOf(engine, 'asker', person).start('hi')
  await engine.runs.atRest(run)
  return { engine, served, run }
}

const bodies: Partial<Record<OperationName, unknown>> = {
  start: { input: 'forged' },
  approve: { step: 'question 1.1', data: 'M' },
  refuse: { step: 'question 1.1' },
  say: { text: 'forged' },
  stop: {},
  postChat: {
    id: 'c',
    trigger: 'submit-message',
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  },
  signIn: { token },
  signOut: {},
}

const writes = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].method === 'POST')

/** Where a page may be that is not ours, and what it may leave out. */
const origins = (url: string): [string, Record<string, string>][] => {
  const { port } = new URL(url)
  return [
    ['says nothing', {}],
    ['is opaque', { origin: 'null' }],
    ['is another site', { origin: 'https://evil.example' }],
    ['is another port', { origin: 'http://127.0.0.1:1' }],
    ['is another name of this machine', { origin: `http://localhost:${port}` }],
    ['begins as ours does', { origin: `${url}.evil.example` }],
    ['has our name before an @', { origin: `http://127.0.0.1:${port}@evil.example` }],
    ['is another scheme', { origin: `ftp://127.0.0.1:${port}` }],
    ['is no URL', { origin: `127.0.0.1:${port}` }],
    ['is ours and another', { origin: `${url}, https://evil.example` }],
    ['has a referrer of ours alone', { referer: `${url}/` }],
  ]
}

describe.each(Object.entries(kinds))('a page of another site, in a browser that has the cookie: %s', (_, made) => {
  test('writes nothing, by no route', async () => {
    const { engine, served, run, cookie } = await made()
    expect(writes.filter((name) => !(name in bodies))).toEqual([])
    const state = async () => [(await engine.runs.list()).items.length, await engine.runs.log(run)]
    const before = await state()
    for (const name of writes) {
      const path = pathOf(operations[name].path, { agent: 'asker', run })
      for (const [what, headers] of origins(served.url)) {
        const answer = await served.ask(path, { body: bodies[name], headers: { cookie, ...headers } })
        expect(answer, `${name}, from what ${what}`).toMatchObject({ status: 403, body: { code: code.T0007 } })
        expect(answer.headers.get('set-cookie')).toBeNull()
      }
      // What a form can send without asking first is no JSON.
      const form = { cookie, origin: served.url, 'content-type': 'text/plain' }
      const sent = await served.ask(path, { body: JSON.stringify(bodies[name]), headers: form })
      expect(sent.status, name).toBe(415)
    }
    expect(await state()).toEqual(before)
  })

  test('reads nothing: no answer may be read by another origin, and a write is not asked for first', async () => {
    const { served, run, cookie } = await made()
    const origin = 'http://evil.example'
    for (const path of [`/api/runs/${run}`, '/api/asks', '/api/runs']) {
      const { status, headers } = await served.ask(path, { headers: { cookie, origin } })
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    }
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const preflight = await served.ask(`/api/runs/${run}/approve`, { method: 'OPTIONS', headers: asked })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })

  test('a cookie in any other form is nobody’s', async () => {
    const { served, cookie } = await made()
    const [name = '', value = ''] = cookie.split(/=(.*)/s)
    const [said = '', signature = ''] = decodeURIComponent(value).split(/\.(?=[^.]*$)/)
    const forged = [
      `${name}=`,
      `${name}=${said}`,
      `${name}=${encodeURIComponent(`${said}x.${signature}`)}`,
      `${name}=${encodeURIComponent(`x${said}.${signature}`)}`,
      `${name}=${encodeURIComponent(`${said}.${signature.slice(0, -5)}AAAA=`)}`,
      `${name}=${encodeURIComponent(`${said}.`)}`,
      `${name}x=${value}`,
      `x${name}=${value}`,
      `${name.toUpperCase()}=${value}`,
      // The first of a name counts; what follows is not tried.
      `${name}=${encodeURIComponent(`bob.${signature}`)}; ${cookie}`,
      // What is signed for one cookie is none for another.
      ...['querent_dev', 'querent_person', 'querent_session']
        .filter((each) => each !== name)
        .map((each) => `${each}=${value}`),
    ]
    for (const brought of forged) {
      expect(await served.ask('/api/asks', { headers: { cookie: brought } }), brought).toMatchObject({ status: 401 })
    }
    expect((await served.ask('/api/asks', { headers: { cookie } })).status).toBe(200)
  })
})

describe('session fixation', () => {
  test('over TLS cookies have a name that no neighbour and no network can give them', async () => {
    const { served } = await kinds.anonymous()
    const sessions = tokenSessions({ token, person: { id: 'ann' } })
    const page = new Request('https://app.example/')
    const https = { origin: served.url.replace('http:', 'https:') }
    const started = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' }, headers: https })
    const made = [await sessions.signIn(token, page), sessions.signOut(page), started.headers.get('set-cookie')]
    // What the prefix stands for in browsers: from this host, for all of it, over TLS.
    for (const header of made) {
      expect(header).toMatch(/^__Host-querent_/)
      expect(header).toMatch(/; Path=\/;.*; Secure/)
      expect(header).not.toMatch(/Domain/i)
    }
  })

  test('an anonymous cookie that somebody planted without it is not taken for a write over TLS: the visitor is a new one', async () => {
    const { served, engine, cookie, run } = await kinds.anonymous()
    const https = { cookie, origin: served.url.replace('http:', 'https:') }
    const started = await served.ask('/api/agents/asker/runs', { body: { input: 'mine' }, headers: https })
    const own = pairOf(started.headers.get('set-cookie'))
    expect([started.status, own]).toEqual([201, expect.stringMatching(/^__Host-querent_person=/)])
    // Whoever planted it reads nothing of what the visitor does.
    const mine = (started.body as { run: string }).run
    expect((await served.ask(`/api/runs/${mine}`, { headers: { cookie } })).status).toBe(404)
    expect((await served.ask(`/api/runs/${mine}`, { headers: { cookie: `${cookie}; ${own}` } })).status).toBe(200)
    const answer = { body: { step: 'question 1.1', data: 'M' }, headers: https }
    expect((await served.ask(`/api/runs/${run}/approve`, answer)).status).toBe(404)
    expect((await engine.runs.get(run)).asks).toHaveLength(1)
  })

  test('a session that was brought is not the one that begins: signing in sets its own, whatever came', async () => {
    const { served, cookie } = await kinds.session()
    const headers = { cookie: cookie.replace(/=.*/, '=planted'), origin: served.url }
    const answer = await served.ask('/api/sign-in', { body: { token }, headers })
    expect(pairOf(answer.headers.get('set-cookie'))).not.toContain('planted')
    expect(answer.status).toBe(200)
  })

  test('behind a proxy that ends TLS, what reads has no Origin, and its cookie is known', async () => {
    const { served } = await kinds.anonymous()
    const https = { origin: served.url.replace('http:', 'https:') }
    const { headers, body } = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' }, headers: https })
    const cookie = pairOf(headers.get('set-cookie'))
    const { run } = body as { run: string }
    expect((await served.ask(`/api/runs/${run}`, { headers: { cookie } })).status).toBe(200)
    expect((await served.ask(`/api/runs/${run}/stop`, { body: {}, headers: { cookie, ...https } })).status).toBe(202)
  })
})

test('a name that was made to lead here brings the local person nothing: devCookies knows this machine alone', async () => {
  const { served, cookie } = await kinds.dev()
  const hosts = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.0.0.1-evil.example']
  for (const host of hosts) {
    const request = new Request(`http://${host}/api/asks`, { headers: { cookie } })
    const answer = await (served as Served).server.fetch(request)
    expect([answer.status, (await answer.json()).code], host).toEqual([403, code.T0007])
  }
})
