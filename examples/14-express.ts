/** The API and the inbox page in an Express app. A session of the app's own says who calls. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { agent, createEngine } from 'querent'
import { createServer, inboxPage, nodeHandler } from 'querent/server'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const model = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Which size?' } }] },
  { text: 'Ordered.' },
])
const shirts = agent('shirts', { model, questions: true, description: 'Orders T-shirts.' })
const engine = createEngine({ agents: [shirts], store: sqlite('querent.db') })
await engine.start()

// Stands for the session of your app: what a cookie of it says.
const sessions = new Map([['s-1', { id: 'ann' }]])
const api = createServer(engine, {
  identify: (request) => sessions.get(/session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
  fallback: inboxPage(),
})

const app = express()
app.use('/api', nodeHandler(api)) // before express.json(): the API reads bodies itself
app.use(express.json())
app.get('/about', (_, response) => void response.send('A shop.'))
app.use(nodeHandler(api)) // whatever is left is the page's

const http = app.listen(0, '127.0.0.1')
await once(http, 'listening')
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`

// What the page does: its writes say where they come from.
const headers = { cookie: 'session=s-1', origin: url, 'content-type': 'application/json' }
const body = JSON.stringify({ input: 'I need a T-shirt.' })
const { status } = await fetch(`${url}/api/agents/shirts/runs`, { method: 'POST', headers, body })
const agents = await fetch(`${url}/api/agents`, { headers })
console.log(status, await agents.text())

await api.close()
http.close()
http.closeAllConnections()
await engine.close()
