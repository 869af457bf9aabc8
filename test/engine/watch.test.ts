import { code, type ViewEvent } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from './world.ts'

const nameOf = (event: ViewEvent) => {
  if (event.type === 'text.delta') return `delta ${event.text}`
  if (event.type === 'message') return `${event.role} ${event.text}`
  return event.type === 'status' ? event.status : event.type
}

const play = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }])

describe('watch', () => {
  test('gives everything in order, live text in its place, stays open while the run waits and ends with it', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    const seen: ViewEvent[] = []
    const opened = Promise.withResolvers<void>()
    const watching = (async () => {
      for await (const event of ann.watch(run)) {
        seen.push(event)
        if (event.type === 'ask.opened') opened.resolve()
      }
    })()
    await engine.start()
    await opened.promise
    expect((await ann.atRest(run)).status).toBe('waiting')
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await watching
    expect(seen.map(nameOf).filter((name) => !name.startsWith('delta'))).toEqual([
      'user a shirt',
      'assistant Let me ask.',
      'ask.opened',
      'ask.settled',
      'assistant It is ordered.',
      'done',
    ])
    // Live text comes before the message that has the whole, or not at all where that was quicker.
    const deltas = seen.map((event, index) => ({ event, index })).filter(({ event }) => event.type === 'text.delta')
    for (const { index } of deltas) {
      const next = seen.slice(index).find((event) => event.type !== 'text.delta')
      expect(next).toMatchObject({ type: 'message', role: 'assistant' })
    }
    const seqs = seen.flatMap((event) => ('seq' in event ? [event.seq] : []))
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    expect(new Set(seqs).size).toBe(seqs.length)
  })

  test('gives live text as it arrives, and takes it back where the call failed half-way', async () => {
    const { open, said, clock, armed } = world()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { agents } = asker([
      { text: 'One two', error: 'cut off', hold: first.promise },
      { text: 'Three four', hold: second.promise },
    ])
    const engine = await open(agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const seen: string[] = []
    const reached = new Map<string, PromiseWithResolvers<void>>()
    const reach = (name: string) => {
      const place = reached.get(name) ?? Promise.withResolvers<void>()
      reached.set(name, place)
      return place
    }
    const until = (name: string) => reach(name).promise
    const watching = (async () => {
      for await (const event of ann.watch(run)) {
        seen.push(nameOf(event))
        reach(nameOf(event)).resolve()
      }
    })()
    await engine.start()
    await until('delta two')
    first.resolve()
    await said('model call failed')
    await until('text.reset')
    await armed(1000)
    clock.advance(1000)
    await until('delta four')
    second.resolve()
    await watching
    expect(seen).toEqual([
      'user go',
      'delta One ',
      'delta two',
      'text.reset',
      'delta Three ',
      'delta four',
      'assistant Three four',
      'done',
    ])
  })

  test('who begins in the middle of a text is given what has come of it, and nothing of one that is stored', async () => {
    const { open } = world()
    const held = Promise.withResolvers<void>()
    const { agents } = asker([{ text: 'One two', hold: held.promise }, { text: 'Three' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const first = ann.watch(run)[Symbol.asyncIterator]()
    // The whole has come before the second begins.
    for (let text = ''; text !== 'One two'; ) {
      const event = (await first.next()).value as ViewEvent
      if (event.type === 'text.delta') text += event.text
    }
    await first.return?.()
    const seen: string[] = []
    for await (const event of ann.watch(run)) {
      seen.push(nameOf(event))
      held.resolve()
    }
    expect(seen).toEqual(['user go', 'delta One two', 'assistant One two', 'done'])
    const after: string[] = []
    for await (const event of ann.watch(run)) after.push(nameOf(event))
    expect(after).toEqual(['user go', 'assistant One two', 'done'])
  })

  test('after: goes on behind the line one has, in another process too', async () => {
    const { open } = world()
    const engine = await open(play().agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    const all: ViewEvent[] = []
    for await (const event of ann.watch(run)) all.push(event)
    const page = await open([], { idle: true })
    for (const [index, event] of all.entries()) {
      const rest: ViewEvent[] = []
      const after = 'seq' in event ? event.seq : 0
      for await (const next of helperOf(page, 'asker').watch(run, { after })) rest.push(next)
      expect(rest).toEqual(all.slice(index + 1))
    }
  })

  test('of a run that is over gives the whole and ends', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    await ann.stop({ run })
    const seen: string[] = []
    for await (const event of ann.watch(run)) seen.push(nameOf(event))
    expect(seen).toEqual(['user a shirt', 'stopped'])
  })

  test('of a run with several rounds ends at the end of the last only', async () => {
    const { open } = world()
    const { agents } = asker([{ text: 'First.' }, { text: 'Second.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.say({ run, text: 'again' })
    await ann.atRest(run)
    const seen: string[] = []
    for await (const event of ann.watch(run)) seen.push(nameOf(event))
    expect(seen).toEqual(['user go', 'assistant First.', 'done', 'user again', 'assistant Second.', 'done'])
  })

  test('of a run that was over stays open where a message waits that nobody has read', async () => {
    const { open, close } = world()
    const turns = [{ text: 'First.' }, { text: 'Second.' }]
    const worker = await open(asker(turns).agents)
    const { run } = await helperOf(worker, 'asker').start('go')
    const { seq } = await helperOf(worker, 'asker').atRest(run)
    await close(worker)
    const page = await open(asker(turns).agents, { idle: true })
    const ann = helperOf(page, 'asker')
    await ann.say({ run, text: 'again' })
    const seen: string[] = []
    for await (const event of ann.watch(run, { after: seq - 1 })) {
      seen.push(nameOf(event))
      if (event.type === 'status' && event.status === 'done' && seen.length === 1) await page.start()
    }
    expect(seen.filter((name) => !name.startsWith('delta'))).toEqual([
      'done',
      'user again',
      'assistant Second.',
      'done',
    ])
  })

  test('notices what another process wrote', async () => {
    const { open } = world()
    const page = await open(play().agents, { idle: true })
    const worker = await open(play().agents)
    const { run } = await helperOf(page, 'asker').start('a shirt')
    const seen: string[] = []
    for await (const event of helperOf(page, 'asker').watch(run)) {
      seen.push(nameOf(event))
      if (event.type === 'ask.opened') await helperOf(worker, 'asker').refuse(event.ask)
    }
    expect(seen).toEqual([
      'user a shirt',
      'assistant Let me ask.',
      'ask.opened',
      'ask.settled',
      'assistant It is ordered.',
      'done',
    ])
  })

  test('ends quietly when aborted, also while nothing comes, and when its reader leaves', async () => {
    const { open } = world()
    const engine = await open(play().agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    const aborting = new AbortController()
    let events = 0
    for await (const event of ann.watch(run, { signal: aborting.signal })) {
      events++
      if (event.type === 'ask.opened') aborting.abort()
    }
    expect(events).toBe(3)
    const before = AbortSignal.abort()
    for await (const _ of ann.watch(run, { signal: before })) throw new Error('nothing was to come')
    for await (const _ of ann.watch(run)) break
  })

  test('T0008 for an "after" that is no line, T0001 for a run that is not theirs', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    const first = (id: string, after: number) => ann.watch(id, { after })[Symbol.asyncIterator]().next()
    for (const after of [-1, 1.5, Number.NaN, '1' as never])
      expect(await refusal(first(run, after))).toMatchObject({ code: code.T0008 })
    expect(await refusal(first('run_none', 0))).toMatchObject({ code: code.T0001 })
  })
})

describe('atRest', () => {
  test('resolves at once where the run rests, and else when it does, whoever works on it', async () => {
    const { open } = world()
    const page = await open(play().agents, { idle: true })
    const { run } = await helperOf(page, 'asker').start('a shirt')
    const waiting = helperOf(page, 'asker').atRest(run)
    await open(play().agents)
    expect((await waiting).status).toBe('waiting')
    expect((await helperOf(page, 'asker').atRest(run)).status).toBe('waiting')
  })

  test('rejects with the reason of its signal', async () => {
    const { open } = world()
    const engine = await open(play().agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    const aborting = new AbortController()
    const resting = ann.atRest(run, { signal: aborting.signal })
    aborting.abort(new Error('enough'))
    await expect(resting).rejects.toThrow('enough')
    await expect(ann.atRest(run, { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early')
  })
})
