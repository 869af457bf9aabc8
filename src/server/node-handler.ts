import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Server } from './server.ts'

/** A server as a listener of `node:http`, Express and whatever else calls with `(request, response)`. */
export function nodeHandler(
  server: Pick<Server, 'fetch'>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return getRequestListener((request) => server.fetch(request), { overrideGlobalObjects: false })
}
