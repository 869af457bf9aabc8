import type { Notifier } from 'querent'
import { describe, expect, test } from 'vitest'
import { failTimes, firstRestMs, kinds, longestRestMs, once, parked, recorder, watched } from './notified.ts'
import { helperOf, world } from './world.ts'

describe('a notifier that fails', () => {
  test('is told again with the same id, later each time, and nothing overtakes', async () => {
    const { open, clock, logged } = world()
    let isDown = true
    const notify = recorder('mail', () => {
      if (isDown) throw new Error('no route')
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    const run = await parked(engine)
    await timers.armed(firstRestMs)
    await helperOf(engine, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    clock.advance(firstRestMs - 1)
    await helperOf(engine, 'asker').atRest(run)
    expect(notify.tries).toHaveLength(1)
    clock.advance(1)
    await timers.armed(2 * firstRestMs)
    // The lease is over by now; the rest is not, whatever else happens.
    clock.advance(2 * firstRestMs - 1)
    await parked(engine)
    expect(notify.tries).toHaveLength(2)
    clock.advance(1)
    await timers.armed(4 * firstRestMs)
    isDown = false
    clock.advance(4 * firstRestMs)
    await notify.told(3)
    expect(kinds(notify.seen)).toEqual(['ask.opened', 'ask.settled approved', 'ask.opened'])
    expect(notify.tries).toEqual([...Array(4).fill(notify.seen[0]?.id), ...notify.seen.slice(1).map(({ id }) => id)])
    expect(logged.filter((line) => line.message === 'a notifier failed')).toHaveLength(3)
    expect(logged[0]?.data).toEqual({ notifier: 'mail', event: notify.seen[0]?.id, error: 'no route' })
  })

  test('or hangs, or throws at once, holds up no run and no other notifier', async () => {
    const { open } = world()
    const hangs = recorder('hangs', () => new Promise<never>(() => undefined))
    const throws: Notifier = {
      name: 'throws',
      notify: () => {
        throw new Error('at once')
      },
    }
    const works = recorder('works')
    const { agents } = once()
    const engine = await open(agents, { notify: [hangs, throws, works] })
    const run = await parked(engine)
    await hangs.tried(1)
    const ann = helperOf(engine, 'asker')
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    expect((await ann.atRest(run)).status).toBe('done')
    await works.told(2)
    expect(hangs.tries).toHaveLength(1)
  })

  test('by hanging is aborted when its time is over, and told again; what it says later counts no more', async () => {
    const { open, clock, said, logged } = world()
    const signals: AbortSignal[] = []
    const first = Promise.withResolvers<void>()
    const notify = recorder('slow', (_, signal) => {
      signals.push(signal)
      return signals.length === 1 ? first.promise : undefined
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [{ ...notify, timeoutMs: 2_000 }], clock: timers.clock })
    await parked(engine)
    await notify.tried(1)
    clock.advance(1_999)
    expect(signals[0]?.aborted).toBe(false)
    clock.advance(1)
    await said('a notifier failed')
    expect(signals[0]?.aborted).toBe(true)
    expect(logged[0]?.data?.error).toBe('It did not return within 2000 ms.')
    first.reject(new Error('too late: nobody listens'))
    await timers.armed(7_000)
    clock.advance(7_000)
    await notify.told(1)
    expect(new Set(notify.tries).size).toBe(1)
    expect(signals[1]?.aborted).toBe(false)
  })

  test('for one event only: that one is given up, in the log, once others got through; the rest is told', async () => {
    const { open, clock, logged, said } = world()
    let poison = ''
    const notify = recorder('mail', ({ ask }) => {
      poison ||= ask.id
      if (ask.id === poison) throw new Error('too long for a mail')
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    const run = await parked(engine)
    await notify.tried(1)
    await parked(engine)
    await parked(engine)
    await failTimes(timers, clock, 10)
    expect(notify.seen).toEqual([])
    clock.advance(longestRestMs)
    await said('an announcement was given up: it fails while others get through')
    await notify.told(2)
    expect(logged.find((line) => line.level === 'error')?.data).toEqual({
      notifier: 'mail',
      tries: 11,
      event: `${poison}_opened`,
      run,
      step: 'question 1.1',
    })
    expect(new Set(notify.seen.map((event) => event.id)).size).toBe(2)
    expect(notify.tries.filter((id) => !id.startsWith(poison))).toHaveLength(2)
    await helperOf(engine, 'asker').stop({ run })
    await notify.tried(14)
    expect(notify.tries[13]).toBe(`${poison}_settled`)
  })

  test('for all is at fault itself: nothing is given up, however long it lasts', async () => {
    const { open, clock, logged } = world()
    let isDown = true
    const notify = recorder('mail', () => {
      if (isDown) throw new Error('no route')
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    await parked(engine)
    await notify.tried(1)
    await parked(engine)
    await failTimes(timers, clock, 40)
    isDown = false
    clock.advance(longestRestMs)
    await notify.told(2)
    expect(logged.filter((line) => line.level === 'error')).toEqual([])
    // The other one went first, to see whose fault it is; it is told once all the same.
    expect(new Set(notify.seen.map((event) => event.id)).size).toBe(2)
    expect(notify.seen).toHaveLength(2)
  })

  test('up to the middle of a comparison is not taken for a fault of the event', async () => {
    const { open, clock, logged } = world()
    // Ten turns of one try each; in the next, another event goes first.
    const notify = recorder('mail', () => {
      if (notify.tries.length <= 11) throw new Error('no route')
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    await parked(engine)
    await notify.tried(1)
    await parked(engine)
    await failTimes(timers, clock, 10)
    clock.advance(longestRestMs)
    await notify.told(2)
    expect(notify.seen[0]?.id).toBe(notify.tries[0])
    expect(logged.filter((line) => line.level === 'error')).toEqual([])
  })

  test('for the only ask there is goes on being told: nobody else is held up', async () => {
    const { open, clock, logged } = world()
    let isDown = true
    const notify = recorder('mail', () => {
      if (isDown) throw new Error('no route')
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    const run = await parked(engine)
    await notify.tried(1)
    await helperOf(engine, 'asker').stop({ run })
    await failTimes(timers, clock, 20)
    isDown = false
    clock.advance(longestRestMs)
    await notify.told(2)
    expect(kinds(notify.seen)).toEqual(['ask.opened', 'ask.settled withdrawn'])
    expect(logged.filter((line) => line.level === 'error')).toEqual([])
  })

  test('for good says so, and is told no more until an engine starts again', async () => {
    const { open, clock, logged, said } = world()
    const tries: string[] = []
    const seen: string[] = []
    const heardBoth = Promise.withResolvers<void>()
    let isGone = true
    const gone: Notifier = {
      name: 'gone',
      async notify(event, { stop }) {
        tries.push(event.type)
        if (isGone) stop('moved away')
        else if (seen.push(event.type) === 2) heardBoth.resolve()
      },
    }
    const other = recorder('other')
    const engine = await open(once().agents, { notify: [gone, other] })
    const run = await parked(engine)
    await said('a notifier is told no more until the engine is started again')
    await helperOf(engine, 'asker').stop({ run })
    await other.told(2)
    clock.advance(longestRestMs)
    expect(tries).toEqual(['ask.opened'])
    expect(logged.filter((line) => line.level === 'error').map((line) => line.data)).toEqual([
      { notifier: 'gone', why: 'moved away' },
    ])
    await engine.stop()
    isGone = false
    await engine.start()
    await parked(engine)
    await heardBoth.promise
    expect(seen.slice(0, 2)).toEqual(['ask.opened', 'ask.settled'])
  })
})
