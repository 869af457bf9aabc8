/** The API in a Hono app, beside routes of its own. Who calls is said by a token. */
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { agent, createEngine } from 'querent'
import { createClient } from 'querent/client'
import { createServer, jwt } from 'querent/server'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const secret = 'thirty-two characters of a secret, or more'
const model = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }] },
  { text: 'Ordered.' },
])
const shirts = agent('shirts', { model, questions: true })
const engine = createEngine({ agents: [shirts], store: sqlite('querent.db') })
await engine.start()

// Issuer and audience: a token of yours for another service is none for this one.
const token = { issuer: 'https://id.example', audience: 'shop' }
const api = createServer(engine, { identify: jwt({ secret, ...token }) })

const app = new Hono()
app.get('/', (context) => context.text('A shop.'))
app.all('/api/*', (context) => api.fetch(context.req.raw))
// In your program: serve(app), or whatever runs a fetch handler. Here the client calls the app itself.

const signed = await new SignJWT({ sub: 'ann', iss: token.issuer, aud: token.audience })
  .setProtectedHeader({ alg: 'HS256' })
  .setExpirationTime('1h')
  .sign(new TextEncoder().encode(secret))
const client = createClient({
  url: 'http://localhost',
  fetch: async (input, init) => app.fetch(new Request(input, init)),
  headers: { authorization: `Bearer ${signed}` },
})

// The same helper as engine.as({ id: 'ann' }).agent('shirts'), over HTTP.
const helper = client.agent<typeof shirts>('shirts')
const { run } = await helper.start('I need a T-shirt.')
const [ask] = (await helper.atRest(run)).asks
console.log(ask?.step, ask?.options?.map(({ label }) => label).join(' '))
await helper.approve({ run, step: 'question 1.1', data: 'M' })
console.log((await helper.atRest(run)).text)

await api.close()
await engine.close()
