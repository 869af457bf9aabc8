/** One event of `text/event-stream`, as the HTML standard has it. */
export interface ServerSentEvent {
  /** Left out: `message`. */
  event?: string
  /** What a client sends as `Last-Event-ID` when it comes again. */
  id?: string
  data: string
}

/** An event as it goes over the wire. `data` is one line: JSON has no other. */
export function eventText({ event, id, data }: ServerSentEvent): string {
  const lines = [...(event === undefined ? [] : [`event: ${event}`]), ...(id === undefined ? [] : [`id: ${id}`])]
  return [...lines, `data: ${data}`, '', ''].join('\n')
}

/** A comment: says that the stream lives. */
export const heartbeat = ':\n\n'

/**
 * Reads events as they come; of one that was cut off, nothing. `onChunk` is called whenever anything came, a heartbeat too.
 * Ending the loop cancels the body.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let event: Partial<ServerSentEvent> = {}
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      const text = rest + decoder.decode(value, { stream: true })
      // A CR at the end may be half of a CRLF.
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '' && event.data !== undefined) yield event as ServerSentEvent
        event = line === '' ? {} : withLine(event, line)
      }
    }
  } finally {
    // Who has cut the connection is told by read(), not here.
    await reader.cancel().catch(() => undefined)
  }
}

function withLine(event: Partial<ServerSentEvent>, line: string): Partial<ServerSentEvent> {
  const colon = line.indexOf(':')
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') return { ...event, data: event.data === undefined ? value : `${event.data}\n${value}` }
  return name === 'event' || name === 'id' ? { ...event, [name]: value } : event
}
