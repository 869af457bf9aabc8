import type { ViewEvent } from 'querent'
import { describe, expect, test, vi } from 'vitest'
import { dialects, type Said } from './dialects.ts'
import { serve, stopped } from './served-agent.ts'

const half = 'Half a sentence'

/** Live text, joined, with `'reset'` where it became void. */
function liveOf(events: ViewEvent[]): string[] {
  const live: string[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text.delta') text += event.text
    if (event.type !== 'text.reset') continue
    live.push(text, 'reset')
    text = ''
  }
  return text === '' ? live : [...live, text]
}

describe.each(dialects)('$name', (dialect) => {
  test.each([
    ['an error event', { error: 'overloaded' }],
    ['a connection that is cut', { end: 'nothing', after: 'cut' }],
    ['a stream that just ends', { end: 'nothing' }],
  ] as const)('half a reply, then %s: tried again, and the live text so far is void', async (_, ending) => {
    const script = [{ text: half, ...ending }, { text: 'Whole.' }]
    const { server, ann, clock, said, sent, startWatched } = await serve(dialect, script)
    const { run, seenUntil } = await startWatched()
    const seen = await seenUntil('text.reset')
    // What was on its way when the connection broke may be lost.
    if (!('after' in ending)) expect(liveOf(seen)).toEqual([half, 'reset'])
    await said('model call failed')
    clock.advance(1000)
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'Whole.', output: 'Whole.' })
    expect(done.messages.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body)
    expect(sent(1).calls).toEqual([])
  })

  test('429: waits as long as the provider says, and no longer', async () => {
    const limited = { status: 429, headers: { 'retry-after': '7' } }
    const { server, ann, clock, said } = await serve(dialect, [limited, { text: 'Whole.' }])
    const waits = vi.spyOn(clock, 'after')
    const { run } = await ann.start('Hello')
    await said('model call failed')
    expect(waits).toHaveBeenLastCalledWith(7000, expect.any(Function))
    clock.advance(7000)
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Whole.' })
    expect(server.requests).toHaveLength(2)
  })

  test('401: fails at once, with a cause that can be read; mended, it goes on', async () => {
    const denied = {
      status: 401,
      body: { type: 'error', error: { type: 'authentication_error', message: 'Incorrect API key' } },
    }
    const { server, ann, engine, startToRest } = await serve(dialect, [denied, { text: 'Whole.' }])
    const failed = await startToRest()
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'T2005', message: 'The model failed: Incorrect API key (HTTP 401)' },
    })
    expect(server.requests).toHaveLength(1)
    await engine.runs.retry(failed.run)
    expect(await ann.atRest(failed.run)).toMatchObject({ status: 'done', text: 'Whole.' })
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body)
  })

  test('a provider that stays overloaded: five tries, each waited for longer, then T2005', async () => {
    const overloaded = { status: 529, body: { error: { message: 'Overloaded' } } }
    const { server, ann, clock, said } = await serve(dialect, Array(5).fill(overloaded))
    const waits = vi.spyOn(clock, 'after')
    const { run } = await ann.start('Hello')
    for (const [index, waitMs] of [1000, 2000, 4000, 8000].entries()) {
      await said('model call failed', index + 1)
      expect(waits).toHaveBeenLastCalledWith(waitMs, expect.any(Function))
      clock.advance(waitMs)
    }
    expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error: { code: 'T2005' } })
    expect(server.requests).toHaveLength(5)
  })

  test('stopped while the model talks: the connection is hung up, and a message opens a round', async () => {
    const script: Said[] = [{ text: half, end: 'nothing', after: 'hang' }, { text: 'Whole.' }]
    const { server, ann, startWatched } = await serve(dialect, script)
    const { run, seenUntil } = await startWatched()
    await seenUntil('text.delta')
    await ann.stop({ run })
    await server.hungUp
    expect(await ann.atRest(run)).toMatchObject({ status: 'stopped', text: '' })
    await ann.say({ run, text: 'And now?' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Whole.' })
  })

  test('stopped by another process while the model talks: the connection is hung up', async () => {
    const { server, ann, open } = await serve(dialect, [{ text: half, end: 'nothing', after: 'hang' }])
    const { run } = await ann.start('Hello')
    await server.arrived(1)
    const other = await open([], { idle: true })
    await other.as({ id: 'ann' }).agent('asker').stop({ run })
    await server.hungUp
    expect(await ann.atRest(run)).toMatchObject({ status: 'stopped' })
  })

  test('an engine that stops while the model talks hangs up, and the next one asks again', async () => {
    const around = await serve(dialect, [{ text: half, end: 'nothing', after: 'hang' }, { text: 'Whole.' }])
    const { server, ann, engine } = around
    const { run } = await ann.start('Hello')
    await server.arrived(1)
    await Promise.all([stopped(engine, around), server.hungUp])
    expect((await ann.run(run)).status).toBe('ready')
    await engine.start()
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Whole.' })
  })
})
