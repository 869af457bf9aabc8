import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What becomes of one connection: it is cut after so many events of a stream, or before or after the answer of a call. */
export type Fate = { cutAfterEvents: number; inside?: boolean } | 'refuse' | 'lose the answer' | 'pass'

/** A proxy that cuts connections as a test wishes. */
export interface CuttingProxy {
  url: string
  /** Requests that came, as `GET /path`. */
  seen: string[]
}

/** `fateOf` is asked for each request, in order. */
export async function cuttingProxy(target: () => string, fateOf: (path: string) => Fate): Promise<CuttingProxy> {
  const seen: string[] = []
  const http = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    seen.push(`${incoming.method} ${path}`)
    const fate = fateOf(path)
    if (fate === 'refuse') incoming.socket.destroy()
    else forward(target(), { incoming, outgoing }, fate)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(async () => {
    const closed = once(http, 'close')
    http.close()
    http.closeAllConnections()
    await closed
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen }
}

function forward(
  target: string,
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  fate: Exclude<Fate, 'refuse'>,
): void {
  const sent = httpRequest(target + incoming.url, {
    method: incoming.method,
    headers: { ...incoming.headers, host: new URL(target).host },
  })
  const cut = () => {
    sent.destroy()
    incoming.socket.destroy()
  }
  sent.on('error', cut)
  outgoing.on('close', () => sent.destroy())
  sent.on('response', (answer) => {
    answer.on('error', cut)
    if (fate === 'lose the answer') return answer.resume().on('end', cut)
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    if (fate === 'pass') return answer.pipe(outgoing)
    passEvents(answer, outgoing, { ...fate, cut })
  })
  incoming.pipe(sent)
}

/** Passes whole events until there were enough, then cuts: between two, or in the middle of the next. */
function passEvents(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  { cutAfterEvents, inside, cut }: { cutAfterEvents: number; inside?: boolean; cut(): void },
): void {
  let text = ''
  let passed = 0
  const pass = () => {
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end + 2)
      text = text.slice(end + 2)
      if (block.startsWith(':')) {
        outgoing.write(block)
        continue
      }
      if (passed === cutAfterEvents) return outgoing.write(inside ? block.slice(0, -5) : '', cut)
      passed++
      outgoing.write(block)
      if (passed === cutAfterEvents && !inside) return outgoing.write(':\n\n', cut)
    }
  }
  if (cutAfterEvents === 0 && !inside) outgoing.write(':\n\n', cut)
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    pass()
  })
  answer.on('end', () => outgoing.end())
}
