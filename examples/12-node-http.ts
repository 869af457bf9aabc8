/** The API in a server of node:http (the same in Express). Anybody may start a run: a cookie says whose it is. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { agent, createEngine } from 'querent'
import { createServer, nodeHandler } from 'querent/server'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const model = scriptedModel([{ text: 'We open at nine.' }])
const help = agent('help', { model, access: 'everyone' })
const engine = createEngine({ agents: [help], store: sqlite('querent.db') })
await engine.start()

const api = createServer(engine, {
  identify: () => undefined, // nobody signs in here
  secret: 'what signs the cookies: keep it, or visitors lose their runs',
})
const handle = nodeHandler(api)
const http = createHttpServer((request, response) => {
  if (request.url?.startsWith('/api/')) void handle(request, response)
  else response.end('A shop.')
})
http.listen(0, '127.0.0.1')
await once(http, 'listening')
const { port } = http.address() as AddressInfo

// What a page does, with the cookie that its browser keeps.
const url = `http://127.0.0.1:${port}`
const started = await fetch(`${url}/api/agents/help/runs`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: url },
  body: JSON.stringify({ input: 'When do you open?' }),
})
const cookie = started.headers.get('set-cookie')?.split(';')[0] ?? ''
const { run } = (await started.json()) as { run: string }
const events = await fetch(`${url}/api/runs/${run}/events`, { headers: { cookie } })
const lines = (await events.text()).split('\n').filter((line) => line.includes('"assistant"'))
console.log(started.status, lines.at(-1))

await api.close()
http.close()
await engine.close()
