import { code } from 'querent'
import { tokenSessions } from 'querent/server'
import { describe, expect, test } from 'vitest'
import { ask, asker, world } from '../engine/world.ts'
import { serve } from './served.ts'

const token = 'a-token-that-nobody-guesses'

/** A server that a token opens, and a browser that has signed in. */
async function opened() {
  const { open, clock } = world()
  const engine = await open(asker([{ calls: [ask('Size?')] }]).agents, { idle: true })
  const sessions = tokenSessions({ token, person: { id: 'ann' }, clock })
  const served = await serve(engine, { identify: sessions, sessions })
  const signIn = (brought: unknown, headers: Record<string, string> = { origin: served.url }) =>
    served.ask('/api/sign-in', { body: { token: brought }, headers })
  const { headers } = await signIn(token)
  const cookie = String(headers.get('set-cookie')).split(';')[0] as string
  return { served, engine, clock, signIn, cookie, own: { cookie, origin: served.url } }
}

describe('a session', () => {
  test('begins with the token, in a cookie that no script reads and no other site sends', async () => {
    const { served, signIn, own, engine } = await opened()
    const answer = await signIn(token)
    expect(answer).toMatchObject({ status: 200, body: { signedIn: true } })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^querent_session_\w{8}=.+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(answer.headers.get('set-cookie')).not.toContain(token)
    expect(await served.ask('/api/asks', { headers: own })).toMatchObject({ status: 200 })
    const started = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' }, headers: own })
    expect(started.status).toBe(201)
    const [run] = (await engine.as({ id: 'ann' }).runs.list()).items
    expect((started.body as { run: string }).run).toBe(run?.run)
  })

  test('is asked for: the 401 of a list says that a token will do; of a run nobody hears anything', async () => {
    const { served } = await opened()
    for (const path of ['/api/asks', '/api/runs', '/api/events']) {
      expect(await served.ask(path)).toMatchObject({ status: 401, body: { data: { signIn: 'token' } } })
    }
    expect(await served.ask('/api/runs/run_1')).toMatchObject({ status: 404, body: { code: code.T0001 } })
  })

  test('is over TLS alone where the page has TLS', async () => {
    const { served, signIn } = await opened()
    const { headers } = await signIn(token, { origin: served.url.replace('http:', 'https:') })
    expect(headers.get('set-cookie')).toContain('; Secure')
  })

  test('begins with nothing else, and from no other site', async () => {
    const { signIn } = await opened()
    for (const wrong of ['', 'x', `${token} `, 5, null]) {
      const answer = await signIn(wrong)
      expect([400, 401]).toContain(answer.status)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect(await signIn(token, { origin })).toMatchObject({ status: 403, body: { code: code.T0007 } })
    }
  })

  test('does not let another site write, though its cookie was sent along', async () => {
    const { served, cookie } = await opened()
    const headersOf: Record<string, string>[] = [{}, { origin: 'http://localhost:1' }, { origin: 'null' }]
    for (const more of headersOf) {
      const answer = await served.ask('/api/agents/asker/runs', { body: { input: 'hi' }, headers: { cookie, ...more } })
      expect(answer).toMatchObject({ status: 403, body: { code: code.T0007 } })
    }
  })

  test('ends after 30 days, at the sign-out, and with the token', async () => {
    const { served, clock, own, cookie, engine } = await opened()
    const out = await served.ask('/api/sign-out', { body: {}, headers: own })
    expect(out).toMatchObject({ status: 200, body: { signedIn: false } })
    expect(out.headers.get('set-cookie')).toMatch(/^querent_session_\w{8}=; Max-Age=0; Path=\/; HttpOnly$/)
    const sessions = tokenSessions({ token: `${token}!`, person: { id: 'ann' }, clock })
    const other = await serve(engine, { identify: sessions, sessions })
    const renamed = cookie.replace(/_\w{8}=/, `${/_\w{8}=/.exec(sessions.signOut(new Request(served.url)))?.[0]}`)
    for (const stale of [cookie, renamed]) {
      expect(await other.ask('/api/asks', { headers: { cookie: stale } })).toMatchObject({ status: 401 })
    }
    clock.advance(30 * 24 * 60 * 60_000 - 1)
    expect(await served.ask('/api/asks', { headers: own })).toMatchObject({ status: 200 })
    clock.advance(1)
    expect(await served.ask('/api/asks', { headers: own })).toMatchObject({ status: 401 })
  })

  test('cannot be made or made longer', async () => {
    const { served, cookie } = await opened()
    const [name, value = ''] = cookie.split(/=(.*)/s)
    const [, signature = ''] = decodeURIComponent(value).split(/\.(.*)/s)
    const longer = encodeURIComponent(`9${decodeURIComponent(value).split('.')[0]}.${signature}`)
    for (const forged of ['', '99999999999999', longer, `${value}x`]) {
      expect(await served.ask('/api/asks', { headers: { cookie: `${name}=${forged}` } })).toMatchObject({ status: 401 })
    }
  })
})

test('a bearer token does as well, and is looked at first: a wrong one is not made good by a cookie', async () => {
  const { served, cookie } = await opened()
  const bringing = (authorization: string) => served.ask('/api/asks', { headers: { authorization, cookie } })
  expect(await bringing('Bearer wrong')).toMatchObject({ status: 401, body: { code: code.T0007 } })
  expect(await served.ask('/api/asks', { headers: { authorization: `Bearer ${token}` } })).toMatchObject({
    status: 200,
  })
})

test('where nobody signs in with a token, the routes are not there, and no 401 speaks of one', async () => {
  const { open } = world()
  const served = await serve(await open([], { idle: true }))
  expect(await served.ask('/api/sign-in', { body: { token } })).toMatchObject({ status: 404, body: { code: 'T0008' } })
  expect(await served.ask('/api/sign-out', { body: {} })).toMatchObject({ status: 404, body: { code: 'T0008' } })
  expect(await served.ask('/api/asks')).toMatchObject({ status: 401, body: { code: code.T0007 } })
  expect(JSON.stringify((await served.ask('/api/asks')).body)).not.toContain('signIn')
})

test.each(['', 'two words', 5])('T1003 for the token %j, which no header could bring', (wrong) => {
  expect(() => tokenSessions({ token: wrong as string, person: { id: 'ann' } })).toThrow(
    expect.objectContaining({ code: code.T1003 }),
  )
})
