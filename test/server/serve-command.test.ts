import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from 'querent/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { kill, printed, querentCommand, Workplace } from '../cli/workplace.ts'
import { ask, openStream } from './served.ts'

/** `querent serve` of a workplace, and where it is. */
async function serving(place: Workplace, args: string[] = [], env: Record<string, string> = {}) {
  const child = place.spawn([...querentCommand, 'serve', '--port', '0', ...args], env)
  const [said, url = ''] = await printed(child, /serves at (http:\S+)[\s\S]*Ctrl-C ends it/)
  return { child, url, said }
}

const question = { question: 'Size?', choices: ['S', 'M'] }
const input = JSON.stringify({ questions: [question] })

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

describe('querent serve', () => {
  test('serves the API and works, as the local person; other terminals list, answer, refuse over it', async () => {
    const place = new Workplace()
    const { url } = await serving(place)
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, body: 'ok\n' })
    const client = createClient({ url })
    const { run } = await client.agent('asker').start(input)
    await client.runs.atRest(run)
    const over = (...args: string[]) => place.querent([...args, '--url', url])
    const asks = await over('asks')
    expect(asks).toMatchObject({ code: 0, stderr: '' })
    expect(asks.stdout).toContain(`querent answer ${run} --step "question 1.1" --choose S --url ${url}`)
    expect((await over('runs', '--status', 'waiting')).stdout).toContain(`${run}  waiting`)
    const wrong = await over('answer', run, '--choose', 'XL')
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('T0002')
    const nobody = await over('answer', run)
    expect(nobody.code).toBe(75)
    expect(nobody.stdout).toContain(`--url ${url}`)
    const answered = await over('answer', run, '--choose', 'M')
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    expect(answered.stdout).toMatch(/question 1\.1 {2}answered: "M"\nIt is stored/)
    expect((await client.runs.atRest(run)).text).toBe('Heard [{"type":"text","value":"M"}]')
    const { run: second } = await client.agent('asker').start(input)
    await client.runs.atRest(second)
    expect((await over('refuse', second, '--reason', 'no', '--json')).code).toBe(0)
    expect((await client.runs.atRest(second)).text).toContain('Reason: no')
    // The log is the operator's: no server gives it.
    expect(await over('show', run)).toMatchObject({ code: 2 })
  })

  test('with a token: whoever brings it is let in, nobody else', async () => {
    const place = new Workplace()
    const { url, said } = await serving(place, ['--as', 'ann'], { QUERENT_TOKEN: 'letmein' })
    expect(said).toContain('whoever has QUERENT_TOKEN is ann; the page asks for it')
    expect(said).not.toContain('letmein')
    expect((await ask(`${url}/api/runs`)).status).toBe(401)
    expect((await ask(`${url}/api/runs`, { as: 'wrong' })).status).toBe(401)
    expect((await ask(`${url}/api/runs`, { as: 'letmein' })).status).toBe(200)
    const signedIn = await ask(`${url}/api/sign-in`, { body: { token: 'letmein' } })
    const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] as string
    expect((await ask(`${url}/api/runs`, { headers: { cookie } })).status).toBe(200)
    const env = { QUERENT_TOKEN: 'letmein' }
    expect(await place.querent(['asks', '--url', url], { env })).toMatchObject({
      code: 0,
      stdout: 'Nothing waits for you.\n',
    })
    const nobody = await place.querent(['asks', '--url', url])
    expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^T0007 .*QUERENT_TOKEN/s) })
  })

  test('gives a browser the page at /, or says how it is built', async () => {
    const { url } = await serving(new Workplace())
    for (const path of ['/', '/runs/run_1']) {
      const answer = await ask(url + path)
      expect(answer.body).toMatch(answer.status === 200 ? /<!doctype html>/i : /npm run build/)
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    }
  })

  test('is nobody’s to whoever calls it by another name: a page elsewhere may have made that name lead here', async () => {
    const { url } = await serving(new Workplace())
    const { hostname, port } = new URL(url)
    const { request } = await import('node:http')
    const rebound = request({ hostname, port, path: '/api/runs', headers: { host: `evil.example:${port}` } })
    rebound.end()
    const [answer] = await once(rebound, 'response')
    answer.resume()
    expect(answer.statusCode).toBe(401)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it with 0: streams are cut, the run waits on and is answered elsewhere',
    async (signal) => {
      const place = new Workplace()
      const { child, url } = await serving(place)
      const client = createClient({ url })
      const { run } = await client.agent('asker').start(input)
      await client.runs.atRest(run)
      const stream = await openStream(`${url}/api/runs/${run}/events`)
      expect(await stream.next()).toMatchObject({ id: '1' })
      const exit = ended(child)
      child.kill(signal)
      expect((await stream.rest()).map(({ event }) => event)).not.toContain('end')
      expect(await exit).toBe(0)
      const answered = await place.querent(['answer', run, '--choose', 'M'])
      expect(answered.stdout).toContain('Heard')
    },
  )

  test('SIGTERM while a model call hangs: what runs gets its time, then the claim is given back', async () => {
    const place = new Workplace()
    const { child, url } = await serving(place, [], { MODEL_HANGS: '1' })
    const client = createClient({ url })
    const { run } = await client.agent('asker').start(input)
    await client.runs.atRest(run)
    const hangs = printed(child, /the model hangs/)
    await client.runs.approve({ run, step: 'question 1.1', data: 'M' })
    await hangs
    const exit = ended(child)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    const listed = await place.querent(['runs', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject({ items: [{ run, status: 'ready' }] })
  })

  test('killed and started on the same file and port: the client goes on', async () => {
    const place = new Workplace()
    const first = await serving(place)
    const client = createClient({ url: first.url })
    const { run } = await client.agent('asker').start(input)
    await client.runs.atRest(run)
    const seen: number[] = []
    const watching = (async () => {
      for await (const event of client.runs.watch(run)) if ('seq' in event) seen.push(event.seq)
    })()
    await kill(first.child)
    await serving(place, ['--port', new URL(first.url).port])
    await client.runs.approve({ run, step: 'question 1.1', data: 'M' })
    await watching
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    expect((await client.runs.get(run)).status).toBe('done')
  })
})

describe('wrong usage', () => {
  test.each([
    [['serve', '--port', 'x'], {}, /Give a number from 0 to 65535/],
    [['serve', '--port', '70000'], {}, /Give a number from 0 to 65535/],
    [['serve'], { PORT: 'x' }, /PORT is "x"/],
    [['serve', '--host', '0.0.0.0'], {}, /set QUERENT_TOKEN/],
    [['asks', '--url', 'http://localhost', '--as', 'ann'], {}, /cannot be used with option/],
    [['show', 'run_1', '--url', 'http://localhost'], {}, /unknown option '--url'/],
  ])('querent %j', async (args, env, message) => {
    const answer = await new Workplace().querent(args, { env })
    expect(answer).toMatchObject({ code: 2, stdout: '' })
    expect(answer.stderr).toMatch(message)
  })

  test('a port that is taken', async () => {
    const http = createServer()
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo
    const answer = await new Workplace().querent(['serve', '--port', String(port)])
    expect(answer).toMatchObject({ code: 2, stderr: `error: Port ${port} is taken. Choose another with --port.\n` })
  })

  test('a server that is not there is T3004', async () => {
    const answer = await new Workplace().querent(['asks', '--url', 'http://127.0.0.1:1'])
    expect(answer.code).toBe(1)
    expect(answer.stderr).toMatch(/^T3004 .*http:\/\/127\.0\.0\.1:1\/api\/asks.*--url is where/s)
  })
})
