import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventText, heartbeat, readEvents, type ServerSentEvent } from './server-sent-events.ts'

async function read(chunks: Uint8Array[]): Promise<{ events: ServerSentEvent[]; chunks: number }> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let seen = 0
  const events: ServerSentEvent[] = []
  for await (const event of readEvents(body, () => seen++)) events.push(event)
  return { events, chunks: seen }
}

const bytes = (text: string) => new TextEncoder().encode(text)

/** Cut at these places, wherever they fall. */
function pieces(whole: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.slice(places[index], end))
}

describe('readEvents', () => {
  test('reads what eventText wrote, however it is cut on the way', async () => {
    const event = fc.record(
      {
        event: fc.constantFrom('end', 'rest'),
        id: fc.nat().map(String),
        data: fc.json({ maxDepth: 2 }),
      },
      { requiredKeys: ['data'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.nat()), async (events, cuts) => {
        const text = events.map((each) => `${heartbeat}${eventText(each)}`).join('')
        expect((await read(pieces(bytes(text), cuts))).events).toEqual(events)
      }),
    )
  })

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('with lines that end in %s, cut at every byte', async (_, end) => {
    const text = [
      'id: 7',
      'event: rest',
      'data: {"a":',
      'data:"é"}',
      '',
      ': beat',
      '',
      'data',
      '',
      'data: x',
      '',
      '',
    ].join(end)
    for (let cut = 0; cut <= bytes(text).length; cut++) {
      const { events } = await read(pieces(bytes(text), [cut]))
      expect(events.slice(0, 2)).toEqual([{ id: '7', event: 'rest', data: '{"a":\n"é"}' }, { data: '' }])
    }
  })

  test('gives nothing of an event that was cut off', async () => {
    const { events } = await read([bytes('data: 1\n\ndata: {"half":true}\n')])
    expect(events).toEqual([{ data: '1' }])
  })

  test('passes over fields it does not know, and events without data', async () => {
    const { events } = await read([bytes('retry: 5\nid: 1\n\nfoo: bar\ndata: x\n\n')])
    expect(events).toEqual([{ data: 'x' }])
  })

  test('says of everything that comes, a heartbeat too, that it came', async () => {
    expect(await read([bytes(heartbeat), bytes(heartbeat)])).toEqual({ events: [], chunks: 2 })
  })

  test('cancels the body when its reader leaves', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes('data: 1\n\n')),
      cancel: () => cancelled.resolve(),
    })
    for await (const _ of readEvents(body, () => undefined)) break
    await cancelled.promise
  })
})
