import { createServer as createHttpServer } from 'node:http'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { code } from 'querent'
import { createServer, devCookies, type JwtOptions, jwt } from 'querent/server'
import { fakeClock } from 'querent/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { bearer, serve } from './served.ts'

const secret = 'a secret of at least thirty-two characters'
const turns = [{ calls: [ask('Size?')] }, { text: 'Thanks.' }]

/** The cookie of an answer, as a browser sends it back. */
const cookieOf = (headers: Headers) => (headers.get('set-cookie') ?? '').split(';')[0] as string

describe('anonymous persons', () => {
  async function shop() {
    const { open } = world()
    const { asker: record } = asker(turns, { access: 'everyone' })
    const engine = await open([record, { ...record, name: 'members', access: 'signedIn' }])
    return { engine, served: await serve(engine, { secret }) }
  }

  test('are made where everyone may start and nobody is known; the run is theirs alone, by a cookie no script can read', async () => {
    const { served, engine } = await shop()
    const start = () => served.ask('/api/agents/asker/runs', { body: { input: 'hi' } })
    const first = await start()
    const { run } = first.body as { run: string }
    expect(first.status).toBe(201)
    expect(first.headers.get('set-cookie')).toMatch(/^querent_person=.+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = cookieOf(first.headers)
    const own = { cookie, origin: served.url }
    await engine.runs.atRest(run)
    expect(await served.ask(`/api/runs/${run}`, { headers: { cookie } })).toMatchObject({ body: { status: 'waiting' } })
    expect(await served.ask('/api/asks', { headers: { cookie } })).toMatchObject({ body: { items: [{ run }] } })
    const second = await start()
    expect(await served.ask(`/api/runs/${run}`, { headers: { cookie: cookieOf(second.headers) } })).toMatchObject({
      status: 404,
      body: { code: code.T0001 },
    })
    const answer = { body: { step: 'question 1.1', data: 'M' }, headers: own }
    expect(await served.ask(`/api/runs/${run}/approve`, answer)).toMatchObject({ status: 200 })
    const again = await served.ask('/api/agents/asker/runs', { body: { input: 'more' }, headers: own })
    expect(again.headers.get('set-cookie')).toBeNull()
    expect(await served.ask('/api/runs', { headers: { cookie } })).toMatchObject({ body: { items: [{}, {}] } })
  })

  test('are nobody to an agent for those who are signed in', async () => {
    const { served } = await shop()
    const { headers } = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' } })
    const answer = await served.ask('/api/agents/members/runs', {
      body: { input: 'hi' },
      headers: { cookie: cookieOf(headers), origin: served.url },
    })
    expect(answer).toMatchObject({ status: 401, body: { code: code.T0007 } })
  })

  test('get the cookie over TLS alone where the page has TLS', async () => {
    const { served } = await shop()
    const headers = { origin: served.url.replace('http:', 'https:') }
    const answer = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' }, headers })
    expect(answer.headers.get('set-cookie')).toContain('; Secure')
  })

  test('get none where they could not start, and one of somebody else’s making is none', async () => {
    const { served } = await shop()
    const refused = await served.ask('/api/agents/asker/runs', { body: { input: ' ' } })
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([400, null])
    const { headers } = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' } })
    const cookie = cookieOf(headers)
    const dev = (await devCookies({ secret }).signIn('ann')).split(';')[0]?.replace('querent_dev', 'querent_person')
    for (const forged of [
      'querent_person=ann',
      `${cookie}x`,
      cookie.replace('anonymous', 'anonymouz'),
      dev,
      'querent_person=',
    ]) {
      const answer = await served.ask('/api/runs', { headers: { cookie: String(forged) } })
      expect(answer, forged).toMatchObject({ status: 401 })
    }
  })

  test('need a secret: T1003 without one, or with one that could be guessed', async () => {
    const { open } = world()
    const engine = await open(asker([], { access: 'everyone' }).agents, { idle: true })
    for (const options of [{}, { secret: 'short' }]) {
      expect(() => createServer(engine, { identify: bearer, ...options })).toThrow(/secret/)
    }
  })
})

describe('devCookies', () => {
  test('says who somebody is by a cookie it made, on loopback alone', async () => {
    const { open } = world()
    const engine = await open(asker(turns).agents)
    const dev = devCookies({ secret })
    const served = await serve(engine, { identify: dev })
    const { run } = await helperOf(engine, 'asker').start('hi')
    const cookie = (await dev.signIn('ann')).split(';')[0] as string
    expect(await served.ask(`/api/runs/${run}`, { headers: { cookie } })).toMatchObject({ status: 200 })
    expect(await served.ask('/api/runs')).toMatchObject({ status: 401 })
    expect(await served.ask('/api/runs', { headers: { cookie: 'querent_dev=ann.xyz' } })).toMatchObject({ status: 401 })
    const elsewhere = await served.server.fetch(new Request('https://app.example/api/runs', { headers: { cookie } }))
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([403, { code: code.T0007 }])
  })

  test('T1003 for a secret that could be guessed', () => {
    expect(() => devCookies({ secret: 'secret' })).toThrow(/at least 32/)
  })
})

describe('jwt', () => {
  const clock = fakeClock()
  const issuer = 'https://id.example'
  const audience = 'querent'
  const inHours = (hours: number) => Math.floor(clock.now() / 1000) + hours * 3600
  const claims = (more: object = {}) => ({ sub: 'ann', iss: issuer, aud: audience, exp: inHours(1), ...more })
  const shared = new TextEncoder().encode(secret)
  const sign = (payload: object, alg = 'HS256', key: Parameters<SignJWT['sign']>[0] = shared) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(key)
  const requestWith = (token?: string) =>
    new Request('http://localhost/', token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })

  test('gives the person of a token that is signed, for us, and has not ended; nobody without one', async () => {
    const identify = jwt({ secret, issuer, audience, clock })
    expect(await identify(requestWith(await sign(claims({ role: 'admin' }))))).toMatchObject({
      id: 'ann',
      role: 'admin',
    })
    expect(await identify(requestWith())).toBeUndefined()
    const person = (all: Record<string, unknown>) => ({ id: `user:${String(all.sub)}` })
    const named = jwt({ secret, issuer, audience, clock, person })
    expect(await named(requestWith(await sign(claims())))).toEqual({ id: 'user:ann' })
  })

  test.each([
    ['has ended', () => sign(claims({ exp: inHours(-1) }))],
    ['never ends', () => sign({ ...claims(), exp: undefined })],
    ['is of nobody', () => sign({ ...claims(), sub: undefined })],
    ['is of another issuer', () => sign(claims({ iss: 'https://evil.example' }))],
    ['is for somebody else', () => sign(claims({ aud: 'billing' }))],
    ['is not yet valid', () => sign(claims({ nbf: inHours(1) }))],
    ['is signed by another key', () => sign(claims(), 'HS256', new TextEncoder().encode(`${secret}!`))],
    ['is signed in another way', () => sign(claims(), 'HS512')],
    ['is no token', () => Promise.resolve('a.b.c')],
    ['is not signed', async () => `${btoa('{"alg":"none"}')}.${(await sign(claims())).split('.')[1]}.`],
  ])('T0007 (401) for a token that %s', async (_, token) => {
    const { open } = world()
    const served = await serve(await open([], { idle: true }), { identify: jwt({ secret, issuer, audience, clock }) })
    const answer = await served.ask('/api/runs', { headers: { authorization: `Bearer ${await token()}` } })
    expect(answer).toMatchObject({ status: 401, body: { code: code.T0007 } })
  })

  test('with a public key, and with a set of them that is fetched; a public key taken for a secret signs nothing', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const pem = await exportSPKI(publicKey)
    const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }
    const http = createHttpServer((_, outgoing) => void outgoing.end(JSON.stringify(keys)))
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as { port: number }
    const algorithms = ['ES256']
    const token = await sign(claims(), 'ES256', privateKey)
    const forged = await sign(claims(), 'HS256', new TextEncoder().encode(pem))
    for (const key of [{ publicKey: pem }, { jwks: `http://127.0.0.1:${port}/keys` }]) {
      const identify = jwt({ ...key, algorithms, issuer, audience, clock })
      expect(await identify(requestWith(token))).toMatchObject({ id: 'ann' })
      await expect(identify(requestWith(forged))).rejects.toMatchObject({ code: code.T0007, status: 401 })
    }
  })

  test('a set of keys that cannot be had is a fault of the server, not of the token', async () => {
    const { open } = world()
    const identify = jwt({ jwks: 'http://127.0.0.1:1/keys', algorithms: ['ES256'], issuer, audience, clock })
    const served = await serve(await open([], { idle: true }), { identify })
    const { privateKey } = await generateKeyPair('ES256')
    const token = await sign(claims(), 'ES256', privateKey)
    const answer = await served.ask('/api/runs', { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(500)
    expect(served.logged).toHaveLength(1)
  })

  test.each<[string, Partial<JwtOptions>]>([
    ['no key', {}],
    ['two keys', { secret, publicKey: 'x' }],
    ['a short secret', { secret: 'short' }],
    ['no algorithm', { jwks: 'https://id.example/keys' }],
    ['a shared secret’s algorithm for a public key', { publicKey: 'x', algorithms: ['ES256', 'HS256'] }],
    ['a public key’s algorithm for a secret', { secret, algorithms: ['RS256'] }],
    ['no issuer', { secret, issuer: '' }],
    ['no audience', { secret, audience: [] }],
  ])('T1003 for %s', (_, options) => {
    expect(() => jwt({ issuer, audience, ...options })).toThrow(expect.objectContaining({ code: code.T1003 }))
  })
})

describe('createServer', () => {
  test.each([
    [{}, /identify/],
    [{ identify: bearer, origin: 'x' }, /unknown option "origin"/],
    [{ identify: bearer, origins: ['https://app.example/'] }, /scheme and host alone/],
    [{ identify: bearer, origins: ['*'] }, /scheme and host alone/],
    [{ identify: bearer, limits: { bodyBytes: 0 } }, /limits.bodyBytes is 0/],
  ])('T1003 for %j', async (options, message) => {
    const { open } = world()
    const engine = await open([], { idle: true })
    expect(() => createServer(engine, options as never)).toThrow(message)
  })

  test('T0007 where identify gives a person without an id', async () => {
    const { open } = world()
    const served = await serve(await open([], { idle: true }), { identify: () => ({ id: '' }) })
    expect(await served.ask('/api/runs')).toMatchObject({ status: 401, body: { code: code.T0007 } })
  })
})
