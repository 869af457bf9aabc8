import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEngine } from 'querent'
import { createServer, devCookies, nodeHandler } from 'querent/server'
import { sqlite } from 'querent/sqlite'
import { createServer as createVite } from 'vite'
import { shirts } from './agents.ts'

const engine = createEngine({ agents: [shirts], store: sqlite('querent.db') })
await engine.start()

// Whoever opens the page on this machine is Ann. In your program, identify reads your own session.
const cookies = devCookies({ secret: 'a secret of this machine, of 32 characters or more' })
const ann = await cookies.signIn('ann')
const api = nodeHandler(createServer(engine, { identify: cookies }))

const http = createHttpServer((request, response) => {
  if (request.url?.startsWith('/api/')) return void api(request, response)
  response.setHeader('set-cookie', ann)
  vite.middlewares(request, response)
})
const vite = await createVite({ root: import.meta.dirname, server: { middlewareMode: true, hmr: { server: http } } })
http.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
await once(http, 'listening')
console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
