import { type AskEvent, agent, type Engine } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { firstRestMs, kinds, lookAgainMs, once, parked, recorder, watched } from './notified.ts'
import { ask, asker, helperOf, refusal, world } from './world.ts'

describe('what is told', () => {
  test('an ask opens and is answered: who was asked, what, when, and how it ended, in this order', async () => {
    const { open, clock } = world()
    const notify = recorder()
    const engine = await open(once().agents, { notify: [notify.notify] })
    const run = await parked(engine)
    await notify.told(1)
    const ann = helperOf(engine, 'asker')
    const [asked] = (await ann.run(run)).asks
    const openedAt = new Date(clock.now()).toISOString()
    expect(notify.seen).toEqual([
      { id: `${asked?.id}_opened`, type: 'ask.opened', at: openedAt, ask: asked, person: { id: 'ann' } },
    ])
    clock.advance(1000)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await notify.told(2)
    const at = new Date(clock.now()).toISOString()
    expect(notify.seen[1]).toEqual({
      id: `${asked?.id}_settled`,
      type: 'ask.settled',
      at,
      ask: asked,
      person: { id: 'ann' },
      end: { outcome: 'approved', by: { type: 'person', id: 'ann' }, at, data: 'M' },
    })
  })

  test('a run of the system has no person; a refusal has its reason', async () => {
    const { open } = world()
    const notify = recorder()
    const engine = await open(once().agents, { notify: [notify] })
    const { run } = await engine.runs.start('asker', { input: 'go' })
    await engine.runs.atRest(run)
    await engine.runs.refuse({ run, step: 'question 1.1' }, { reason: 'no' })
    await notify.told(2)
    expect(notify.seen[0]).not.toHaveProperty('person')
    expect(notify.seen[1]).toMatchObject({ end: { outcome: 'refused', by: { type: 'system' }, reason: 'no' } })
  })

  test('withdrawn by a message, withdrawn by a stop, expired: each is told', async () => {
    const { open, clock } = world()
    const notify = recorder()
    const { agents } = asker(
      [{ calls: [ask('One?')] }, { calls: [ask('Two?')] }, { calls: [ask('Three?')] }, { text: 'Done.' }],
      { limits: { ask: '1h' } },
    )
    const engine = await open(agents, { notify: [notify] })
    const run = await parked(engine)
    const ann = helperOf(engine, 'asker')
    await ann.say({ run, text: 'wait' })
    await notify.told(3)
    clock.advance(3_600_001)
    await notify.told(5)
    await ann.stop({ run })
    await notify.told(6)
    expect(kinds(notify.seen)).toEqual([
      'ask.opened',
      'ask.settled withdrawn',
      'ask.opened',
      'ask.settled expired',
      'ask.opened',
      'ask.settled withdrawn',
    ])
    expect(notify.seen.flatMap((event) => (event.type === 'ask.settled' ? [event.end.because] : []))).toEqual([
      'message',
      undefined,
      'stop',
    ])
    expect(notify.seen[3]).toMatchObject({ end: { by: { type: 'clock' } } })
  })

  test('a question that a guard refused is never told', async () => {
    const { open } = world()
    const notify = recorder()
    const { agents } = asker(
      [{ calls: [ask('What is your password?')] }, { calls: [ask('Size?')] }, { text: 'Done.' }],
      {
        guards: { out: [(text) => (text.includes('password') ? { refuse: 'no secrets' } : true)] },
      },
    )
    const engine = await open(agents, { notify: [notify] })
    const run = await parked(engine)
    await helperOf(engine, 'asker').approve({ run, step: 'question 2.1', data: 'M' })
    await notify.told(2)
    expect(notify.seen.map((event) => event.ask.input)).toEqual([{ question: 'Size?' }, { question: 'Size?' }])
  })

  test('what happens while no engine with the notifier is started is told by the next; what was before its first start is not', async () => {
    const { open, close } = world()
    const first = await open(once().agents)
    await parked(first)
    await close(first)

    const heard = recorder()
    const second = await open(once().agents, { notify: [heard] })
    const run = await parked(second)
    await heard.told(1)
    await close(second)

    const page = await open([], { idle: true })
    await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'M' })

    const notify = recorder()
    await open([], { notify: [notify] })
    await notify.told(1)
    expect(notify.seen.map((event) => event.ask.run)).toEqual([run])
  })
})

describe('several processes', () => {
  test('on one file tell once, in the order of each ask', async () => {
    const { open } = world()
    const seen: AskEvent[] = []
    const all = Promise.withResolvers<void>()
    const notify = async (event: AskEvent) => {
      seen.push(event)
      if (seen.length === 40) all.resolve()
    }
    const engines = await Promise.all([1, 2, 3].map(() => open(once().agents, { notify: [notify] })))
    const [starts, answers] = engines as [Engine, Engine]
    const runs = await Promise.all(Array.from({ length: 20 }, () => parked(starts)))
    await Promise.all(runs.map((run) => helperOf(answers, 'asker').approve({ run, step: 'question 1.1', data: 'M' })))
    await all.promise
    await Promise.all(runs.map((run) => helperOf(answers, 'asker').atRest(run)))
    expect(new Set(seen.map((event) => event.id)).size).toBe(40)
    expect(seen).toHaveLength(40)
    for (const run of runs) {
      expect(kinds(seen.filter((event) => event.ask.run === run))).toEqual(['ask.opened', 'ask.settled approved'])
    }
  })

  test('one dies between telling and remembering: the next tells again, with the same id', async () => {
    const { open, clock, died, armed } = world()
    const first = recorder()
    const second = recorder()
    const dying = await open(once().agents, {
      notify: [first],
      dieAt: ({ transition, when }) => transition === 'ackOutbox' && when === 'before',
    })
    await parked(dying)
    await died(dying)
    expect(first.seen).toHaveLength(1)
    const next = await open([], { notify: [second] })
    await armed(lookAgainMs)
    clock.advance(lookAgainMs)
    await second.told(1)
    expect(second.seen).toEqual(first.seen)
    await helperOf(next, 'asker').stop({ run: second.seen[0]?.ask.run ?? '' })
    await second.told(2)
    expect(kinds(second.seen)).toEqual(['ask.opened', 'ask.settled withdrawn'])
  })

  test('one dies while it tells: another takes over when its lease is over, though nothing else happens', async () => {
    const { open, clock, kill } = world()
    const dying = recorder('notify', () => new Promise<never>(() => undefined))
    const living = recorder()
    const timers = watched(clock)
    let isFirst: Promise<void> | undefined
    await open([], {
      notify: [living],
      clock: timers.clock,
      atPoint: ({ transition }) => (transition === 'takeOutbox' ? isFirst : undefined),
    })
    await timers.armed(lookAgainMs)
    clock.advance(lookAgainMs)
    isFirst = dying.tried(1)
    const first = await open(once().agents, { notify: [dying] })
    await parked(first)
    await dying.tried(1)
    await timers.armed(lookAgainMs, 2)
    await kill(first)
    clock.advance(lookAgainMs)
    await living.told(1)
    expect(living.seen.map((event) => event.id)).toEqual(dying.tries)
  })
})

describe('the engine', () => {
  test('stops at once though a notifier hangs; the event is told when it starts again', async () => {
    const { open, clock, logged } = world()
    let isStuck = true
    let reason: unknown
    const notify = recorder('mail', (_, signal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
      })
      return isStuck ? new Promise<never>(() => undefined) : undefined
    })
    const timers = watched(clock)
    const engine = await open(once().agents, { notify: [notify], clock: timers.clock })
    await parked(engine)
    await notify.tried(1)
    await engine.stop()
    expect(reason).toEqual(new Error('The engine stops.'))
    expect(timers.pending).toEqual([])
    isStuck = false
    const before = timers.armed(lookAgainMs, 2)
    await engine.start()
    await before
    clock.advance(lookAgainMs)
    await notify.told(1)
    expect(new Set(notify.tries).size).toBe(1)
    expect(logged).toEqual([])
  })

  test('holds no timer for a notifier that has been told all (G7)', async () => {
    const { open, clock } = world()
    const notify = recorder()
    const timers = watched(clock)
    let sawNothing = Promise.withResolvers<void>()
    const engine = await open(once().agents, {
      notify: [notify],
      clock: timers.clock,
      atPoint({ transition, when, result }) {
        if (transition === 'takeOutbox' && when === 'after' && (result as unknown[]).length === 0) sawNothing.resolve()
      },
    })
    await timers.armed(lookAgainMs)
    sawNothing = Promise.withResolvers()
    clock.advance(lookAgainMs)
    await sawNothing.promise
    await parked(engine)
    await notify.told(1)
    sawNothing = Promise.withResolvers()
    // Any commit is a hint: this look comes after the event was acknowledged, and finds nothing.
    await helperOf(engine, 'asker').start('go')
    await notify.told(2)
    await sawNothing.promise
    const long = () => timers.pending.filter((delayMs) => delayMs > 3_000)
    // The look ends some turns after the store has said that there is nothing.
    for (let turns = 1; turns <= 3000 && long().length > 0; turns++) {
      await new Promise(setImmediate)
      // On a server that others use as well, what they write is a reason to look once more.
      if (turns % 300 === 0) clock.advance(lookAgainMs)
    }
    expect(long()).toEqual([])
  })

  test('goes on telling after the store failed it, and tells nothing twice for it', async () => {
    const { open, clock, said } = world()
    const notify = recorder()
    let failures = 0
    const timers = watched(clock)
    const engine = await open(once().agents, {
      notify: [notify],
      clock: timers.clock,
      atPoint({ transition, when }) {
        if (transition !== 'ackOutbox' || when !== 'before' || failures > 0) return
        failures += 1
        throw new Error('disk full')
      },
    })
    await parked(engine)
    await said('could not read the outbox')
    await timers.armed(firstRestMs)
    clock.advance(firstRestMs)
    await parked(engine)
    await notify.told(2)
    expect(notify.tries).toEqual(notify.seen.map((event) => event.id))
  })

  const nothing = async () => undefined
  test.each([
    ['two plain functions', [nothing, nothing]],
    [
      'two of one name',
      [
        { name: 'a', notify: nothing },
        { name: 'a', notify: nothing },
      ],
    ],
    ['no name', [{ notify: nothing }]],
    ['a name with a space', [{ name: 'a b', notify: nothing }]],
    ['no function', [{ name: 'a' }]],
    ['a time-out of nothing', [{ name: 'a', notify: nothing, timeoutMs: 0 }]],
    ['a time-out longer than a minute', [{ name: 'a', notify: nothing, timeoutMs: 60_001 }]],
    ['nothing at all', [undefined]],
    ['no list', nothing],
  ])('refuses %s (T1003)', async (_, notify) => {
    const { open } = world()
    const agents = [agent('asker', { model: scriptedModel([]) })]
    expect(await refusal(open(agents, { notify: notify as never }))).toMatchObject({ code: 'T1003' })
  })
})
