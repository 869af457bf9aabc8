import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { inboxPage } from 'querent/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { world } from '../engine/world.ts'
import { serve } from './served.ts'

const html = '<!doctype html><title>Inbox</title><script type="module" src="/assets/index-abc.js"></script>'
const script = `export const text = ${JSON.stringify('x'.repeat(2000))}`

/** A folder as the build makes one, with something beside it that is nobody's business. */
function built(): string {
  const parent = mkdtempSync(join(tmpdir(), 'page-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'inbox')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'assets/index-abc.js'), script)
  writeFileSync(join(folder, 'assets/style-abc.css'), 'p { color: red }')
  writeFileSync(join(folder, 'assets/letter-abc.woff2'), 'font')
  writeFileSync(join(parent, 'secret.txt'), 'hunter2')
  return folder
}

async function served(folder = built()) {
  const { open } = world()
  return serve(await open([], { idle: true }), { fallback: inboxPage({ folder }) })
}

describe('the page', () => {
  test.each(['/', '/index.html', '/runs/run_1', '/asks/ask_1', '/new/my.agent', '/apis', '/?a=b'])(
    'is what %s gives, and is asked for anew each time',
    async (path) => {
      const answer = await (await served()).ask(path)
      expect(answer).toMatchObject({ status: 200, body: html })
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
    },
  )

  test('is not sent again while it is the same', async () => {
    const server = await served()
    const etag = String((await server.ask('/')).headers.get('etag'))
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const same = await server.ask('/runs', { headers: { 'if-none-match': known } })
      expect(same).toMatchObject({ status: 304, body: '' })
      expect(same.headers.get('etag')).toBe(etag)
    }
    expect((await server.ask('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test('may run and load what came with it, and nothing else; it is framed by nobody', async () => {
    const server = await served()
    for (const path of ['/', '/assets/index-abc.js', '/assets/none.js', '/favicon.svg']) {
      const { headers } = await server.ask(path)
      const policy = String(headers.get('content-security-policy'))
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
      expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('permissions-policy')).toContain('camera=()')
    }
  })

  test('is read only: other methods are 405, and HEAD has no body', async () => {
    const server = await served()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await server.ask('/', { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    const head = await server.ask('/', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.headers.get('content-length')).toBe(String(html.length))
  })

  test('leaves /api alone, wherever it is mounted', async () => {
    const page = inboxPage({ folder: built() })
    for (const path of ['/api', '/api/', '/api/nothing']) {
      expect((await page(new Request(`http://localhost${path}`))).status).toBe(404)
    }
    expect((await (await served()).ask('/api/nothing')).headers.get('content-type')).toBe('application/problem+json')
  })

  test('says how to build it where it is not built, and is there once it is', async () => {
    const folder = built()
    rmSync(folder, { recursive: true })
    const server = await served(folder)
    const missing = await server.ask('/')
    expect(missing).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') })
    mkdirSync(folder)
    writeFileSync(join(folder, 'index.html'), html)
    expect(await server.ask('/')).toMatchObject({ status: 200, body: html })
  })
})

describe('its files', () => {
  test.each([
    ['/assets/index-abc.js', 'text/javascript; charset=utf-8'],
    ['/assets/style-abc.css', 'text/css; charset=utf-8'],
    ['/assets/letter-abc.woff2', 'font/woff2'],
  ])('%s is kept for ever: its name is of what is in it', async (path, type) => {
    const { status, headers } = await (await served()).ask(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('one whose name says nothing is asked for anew; one that is gone is 404, not the page', async () => {
    const server = await served()
    expect((await server.ask('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
    const gone = await server.ask('/assets/index-old.js')
    expect(gone).toMatchObject({ status: 404, body: expect.stringContaining('Reload') })
    expect(gone.headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br', null],
    ['gzip;q=0', null],
    ['', null],
  ])('are zipped for who takes it: %j', async (accepted, encoding) => {
    const page = inboxPage({ folder: built() })
    const request = new Request('http://localhost/assets/index-abc.js', { headers: { 'accept-encoding': accepted } })
    const response = await page(request)
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const body = Buffer.from(await response.arrayBuffer())
    expect(Number(response.headers.get('content-length'))).toBe(body.byteLength)
    expect((encoding ? gunzipSync(body) : body).toString()).toBe(script)
  })
})

test.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
  '/..\\secret.txt',
  '//secret.txt',
  '/assets/%00',
])('no path leads out of the folder: %s', async (path) => {
  const server = await served()
  const { port } = new URL(server.url)
  // As it stands: a client of fetch would tidy it up before it is sent.
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400|404) /)
  expect(answer).not.toContain('hunter2')
})
