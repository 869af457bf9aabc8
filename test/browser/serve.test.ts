import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { describe, expect, onTestFinished } from 'vitest'
import { printed, querentCommand, Workplace } from '../cli/workplace.ts'
import { openBrowser, openPage, test } from './browser.ts'

/** `querent serve` as a user starts it, and the port it took. */
async function serving(env: Record<string, string> = {}): Promise<string> {
  const child = new Workplace().spawn([...querentCommand, 'serve', '--port', '0'], env)
  const [, port = ''] = await printed(child, /serves at http:\S+:(\d+)[\s\S]*Ctrl-C ends it/)
  return port
}

/** A request as a script of the page makes it. */
function call(page: Page, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  return page.evaluate(
    async ([path, body]) => {
      const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetch(path, body === undefined ? {} : write)
      return { status: response.status, body: await response.json() }
    },
    [path, body] as const,
  )
}

const start = '/api/agents/asker/runs'
const input = { input: JSON.stringify({ questions: [{ question: 'Size?' }] }) }

/** A page of another site, on this machine. */
async function otherSite(): Promise<string> {
  const http = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<p>Hello'))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

describe('querent serve, in a browser', () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    test(`a page at ${host} reads, writes and streams`, async () => {
      const page = await openPage(`http://${host}:${await serving()}/`)
      expect((await call(page, '/api/agents')).body.items).toContainEqual({ name: 'asker' })
      const started = await call(page, start, input)
      expect(started.status).toBe(201)
      const event = await page.evaluate(async (run) => {
        const source = new EventSource(`/api/runs/${run}/events`)
        const first = await new Promise<MessageEvent>((resolve) =>
          source.addEventListener('message', resolve, { once: true }),
        )
        source.close()
        return JSON.parse(String(first.data))
      }, String(started.body.run))
      expect(event).toMatchObject({ type: 'message', role: 'user', seq: 1 })
    })
  }

  test('with a token: a page signs in, is still signed in after a reload, and signs out; no script sees the cookie', async () => {
    const url = `http://127.0.0.1:${await serving({ QUERENT_TOKEN: 'letmein' })}`
    const page = await openPage(url)
    expect(await call(page, '/api/asks')).toMatchObject({ status: 401, body: { data: { signIn: 'token' } } })
    expect((await call(page, '/api/sign-in', { token: 'wrong' })).status).toBe(401)
    expect(await call(page, '/api/sign-in', { token: 'letmein' })).toMatchObject({
      status: 200,
      body: { signedIn: true },
    })
    await page.reload()
    expect((await call(page, '/api/asks')).status).toBe(200)
    expect((await call(page, start, input)).status).toBe(201)
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(page.url()).not.toContain('letmein')
    await call(page, '/api/sign-out', {})
    expect((await call(page, '/api/asks')).status).toBe(401)
  })

  for (const env of [{}, { QUERENT_TOKEN: 'letmein' }] as Record<string, string>[]) {
    test(`another site reads and writes nothing in the name of who looks at it: ${JSON.stringify(env)}`, async () => {
      const url = `http://127.0.0.1:${await serving(env)}`
      const context = await openBrowser()
      const page = await openPage(url, { context })
      if (env.QUERENT_TOKEN) await call(page, '/api/sign-in', { token: env.QUERENT_TOKEN })
      // For cookies it is the same site, since they know no ports: only the origin tells.
      const other = await context.newPage()
      await other.goto(await otherSite())
      const tried = await other.evaluate(attack, { url, start, input: JSON.stringify(input) })
      expect(tried).toEqual(['TypeError', 'TypeError', 'TypeError'])
      await other.getByRole('button').click()
      await other.waitForURL(`${url}/**`)
      expect((await call(page, '/api/runs')).body).toEqual({ items: [] })
    })
  }
})

/** What another site can try: a simple write, one that must ask first, a read, and a form for the person to send. */
async function attack({ url, start, input }: { url: string; start: string; input: string }): Promise<string[]> {
  const tried = async (path: string, init: RequestInit) =>
    fetch(url + path, { credentials: 'include', ...init }).then(
      ({ type }) => type,
      (error: Error) => error.name,
    )
  document.body.innerHTML = `<form method="post" enctype="text/plain" action="${url + start}"><button>Win</button></form>`
  const json = { 'content-type': 'application/json' }
  return [
    await tried(start, { method: 'POST', mode: 'no-cors', body: input }),
    await tried(start, { method: 'POST', headers: json, body: input }),
    await tried('/api/runs', {}),
  ]
}
