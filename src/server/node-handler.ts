import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { QuerentError } from '../protocol/core.ts'
import { problemOf, problemType } from '../protocol/problem.ts'
import type { Server } from './server.ts'

/**
 * A server as a listener of `node:http`, Express and whatever else calls with `(request, response)`. Mount it before
 * whatever reads bodies (`express.json()`): what was read is gone, and such a request is answered with T0008.
 */
export function nodeHandler(
  server: Pick<Server, 'fetch'>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const answer = async (request: Request, incoming: unknown) =>
    isRead(incoming as IncomingMessage) ? bodyIsGone() : server.fetch(request)
  const listen = getRequestListener((request, env) => answer(request, env.incoming), { overrideGlobalObjects: false })
  return (incoming, outgoing) => {
    restoreUrl(incoming)
    return listen(incoming, outgoing)
  }
}

/** Express takes the path of a mount away: `app.use('/api', …)` would leave `/runs` of `/api/runs`. */
function restoreUrl(incoming: IncomingMessage & { originalUrl?: string }): void {
  const isApi = /^\/api([/?]|$)/
  const { url = '', originalUrl = '' } = incoming
  if (isApi.test(originalUrl) && !isApi.test(url)) incoming.url = originalUrl
}

/** Whether there was a body, and somebody before us has read it to its end. */
function isRead({ readableEnded, headers }: IncomingMessage): boolean {
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  return readableEnded && hasBody
}

function bodyIsGone(): Response {
  const error = new QuerentError(
    'T0008',
    'The body was read before it came here. On the server, mount this API before what parses bodies, such as express.json().',
  )
  const headers = { 'Content-Type': problemType, 'Cache-Control': 'no-store' }
  return new Response(JSON.stringify(problemOf(error)), { status: error.status, headers })
}
