import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as it came: `body` is the text, byte for byte. */
export interface RecordedRequest {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** An answer that is no stream: an error, or something no provider should send. */
export interface PlainAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** A stream of server-sent events. */
export interface StreamAnswer {
  frames: string[]
  /** After the last frame: `'end'` (default) closes the stream; `'cut'` breaks the connection; `'hang'` sends nothing more. */
  after?: 'end' | 'cut' | 'hang'
}

/** A local server that speaks the protocol of a provider and answers as it was told. */
export interface ProviderServer<Reply> {
  /** The base URL for the provider package. */
  url: string
  /** Requests in order. */
  requests: RecordedRequest[]
  /** Adds answers, one for each request to come. Without one a request gets 400: the client does not try again. */
  script(...answers: (Reply | PlainAnswer)[]): void
  /** Resolves when so many requests have come. */
  arrived(count: number): Promise<void>
  /** Resolves when a client has closed the connection of an answer that was still being sent. */
  hungUp: Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free port of the loopback address. `stream` turns a reply into the events of its protocol. */
export async function startServer<Reply extends object>(
  basePath: string,
  stream: (reply: Reply, requestBody: string) => StreamAnswer,
): Promise<ProviderServer<Reply>> {
  const answers: (Reply | PlainAnswer)[] = []
  const requests: RecordedRequest[] = []
  const hungUp = Promise.withResolvers<void>()
  let waiting: { count: number; resolve(): void }[] = []

  const answerOne = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    for (const each of waiting) if (requests.length >= each.count) each.resolve()
    waiting = waiting.filter((each) => requests.length < each.count)
    response.on('close', () => response.writableFinished || hungUp.resolve())
    const answer = answers.shift() ?? {
      status: 400,
      body: { error: { message: 'The script of the server has run out' } },
    }
    if ('status' in answer) sendPlain(response, answer)
    else sendStream(response, stream(answer, body))
  }

  const server = createServer((request, response) => {
    answerOne(request, response).catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    requests,
    script: (...more) => answers.push(...more),
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    hungUp: hungUp.promise,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function sendPlain(response: ServerResponse, answer: PlainAnswer): void {
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
  response.end(JSON.stringify(answer.body ?? { error: { message: `Status ${answer.status}` } }))
}

function sendStream(response: ServerResponse, { frames, after = 'end' }: StreamAnswer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of frames.slice(0, -1)) response.write(frame)
  // The connection breaks only when the last frame is on its way, or the client would see none of it.
  response.write(frames.at(-1) ?? '', () => {
    if (after === 'end') response.end()
    if (after === 'cut') response.destroy()
  })
}

/** Two halves, so that a client has to put them together. */
export function halves(whole: string): string[] {
  const middle = Math.ceil(whole.length / 2)
  return [whole.slice(0, middle), whole.slice(middle)].filter((half) => half !== '')
}
