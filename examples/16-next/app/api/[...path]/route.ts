/**
 * The API as a route handler of Next. It needs a process that stays (`next start`, a container): runs go on in it, and
 * streams are open for minutes. Elsewhere give this engine no agents, and let `querent serve` or a worker of yours work.
 */
import { createServer } from 'querent/server'
import { engine } from '../../../engine.ts'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const api = createServer(engine, {
  // Whatever says who is signed in: here a header that a proxy in front sets.
  identify: (request) => {
    const id = request.headers.get('x-user')
    return id === null ? undefined : { id }
  },
})

export const GET = api.fetch
export const POST = api.fetch
