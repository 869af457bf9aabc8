import { agent, type Json, tool } from 'querent'
import { type Driver, type Park, park, type Session, type Settled } from 'querent/extension'
import { expect, test } from 'vitest'
import { ended, helperOf, typesOf, world } from './world.ts'

const question = (text: string, ask: Partial<Park['ask']> = {}) =>
  park({
    kind: 'question',
    tool: 'question',
    input: { question: text },
    answerSchema: { type: 'string', pattern: '\\S' },
    rule: { onExpire: 'refuse', guarded: false },
    ...ask,
  })

/** An agent whose driver is this function. */
const driven = (drive: Driver['drive'], options: Parameters<typeof agent>[1] = {}) =>
  agent('clerk', { ...options, driver: { name: 'clerk', drive } })

const replyOf = (text: string, finish: 'stop' | 'tool-calls' = 'stop') => ({
  type: 'reply' as const,
  messages: [JSON.stringify({ role: 'assistant', content: text })],
  text,
  calls: [],
  usage: { inputTokens: 3, outputTokens: 2 },
  finish,
})

/** Asks two things, and ends with what became of them and what the person said. */
function twoQuestions(seen: { round: number; input: Json; ends: string[] }[]) {
  return driven(async (session) => {
    const input = await session.keep(`input ${session.round}`, () => session.input() as Json)
    const asked = await Promise.all([session.ask(question('Who?')), session.ask(question('Where?'))])
    const done = asked.filter((each): each is Settled => each.status === 'settled')
    const ends = done.map(({ end }) => `${end.outcome} ${end.because ?? end.data}`)
    seen.push({ round: session.round, input, ends })
    if (done.length < asked.length || done.some(({ end }) => end.outcome === 'withdrawn')) return
    await session.finish(`${session.round}: ${ends.join(', ')}`)
  })
}

test('a message while a driver waits: the round comes to its end with what was answered, then the next begins', async () => {
  const { open } = world()
  const seen: { round: number; input: Json; ends: string[] }[] = []
  const engine = await open([twoQuestions(seen)], { idle: true })
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('a permit')
  await engine.start()
  await ann.atRest(run)
  seen.length = 0
  await engine.stop()
  // Both before any worker looks: the answer that was accepted must reach the driver all the same.
  await ann.approve({ run, step: 'question 1.1', data: 'Bob' })
  await ann.say({ run, text: 'make it two' })
  await engine.start()
  const parked = await ann.atRest(run)
  expect(seen).toEqual([
    { round: 1, input: ['a permit'], ends: ['approved Bob', 'withdrawn message'] },
    { round: 2, input: ['make it two'], ends: [] },
  ])
  expect(parked).toMatchObject({ status: 'waiting', repeat: 2 })
  expect(parked.asks.map((ask) => [ask.repeat, ask.step])).toEqual([
    [2, 'question 1.1'],
    [2, 'question 1.2'],
  ])
  for (const ask of parked.asks) await ann.approve(ask, { data: 'here' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: '2: approved here, approved here' })
})

test('a message on a run that is done opens a round for a driver that has no model', async () => {
  const { open } = world()
  const ann = helperOf(await open([twoQuestions([])]), 'clerk')
  const { run } = await ann.start('a permit')
  for (const round of [1, 2]) {
    const { asks } = await ann.atRest(run)
    expect(asks.map((ask) => ask.repeat)).toEqual([round, round])
    for (const ask of asks) await ann.approve(ask, { data: 'here' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: `${round}: approved here, approved here` })
    if (round === 1) await ann.say({ run, text: 'again' })
  }
})

test('a message while a driver works is not lost when it ends, and the driver can see that it waits', async () => {
  const { open } = world()
  const working = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const waits: boolean[] = []
  const slow = driven(async (session) => {
    const heard = await session.keep(`input ${session.round}`, () => session.input().join())
    working.resolve()
    await goOn.promise
    await session.keep(`worked ${session.round}`, () => true)
    waits.push(session.hasMessage)
    await session.finish(`done: ${heard}`)
  })
  const ann = helperOf(await open([slow]), 'clerk')
  const { run } = await ann.start('one')
  await working.promise
  await ann.say({ run, text: 'two' })
  goOn.resolve()
  expect(await ended(ann, run)).toMatchObject({ status: 'done', output: 'done: two', repeat: 2 })
  expect(waits).toEqual([true, false])
})

test('an ask that opens after the person wrote is withdrawn unseen, and the driver hears why', async () => {
  const { open } = world()
  const working = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const heard: string[] = []
  const late = driven(async (session) => {
    await session.keep(`input ${session.round}`, () => session.input() as Json)
    if (session.round === 2) return session.finish('two')
    working.resolve()
    await goOn.promise
    const asked = await session.ask(question('Who?'))
    if (asked.status === 'settled') heard.push(`${asked.end.because}: ${asked.told?.value}`)
  })
  const ann = helperOf(await open([late]), 'clerk')
  const { run } = await ann.start('one')
  await working.promise
  await ann.say({ run, text: 'two' })
  goOn.resolve()
  expect(await ended(ann, run)).toMatchObject({ status: 'done', output: 'two', asks: [] })
  expect(heard).toEqual(['messageBefore: The person had written a message before this was asked.'])
})

test('a stop frees the worker of a driver that hangs, in its own work or in a call of its session', async () => {
  const { open } = world()
  const hanging = Promise.withResolvers<Session>()
  const hang = driven(async (session) => {
    if (session.input().includes('well')) return session.finish('well')
    hanging.resolve(session)
    await new Promise(() => undefined)
  })
  const engine = await open([hang], { concurrency: 1 })
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('ill')
  const session = await hanging.promise
  await ann.stop({ run })
  expect((await ann.atRest(run)).status).toBe('stopped')
  const other = await ann.start('well')
  expect(await ann.atRest(other.run)).toMatchObject({ status: 'done', output: 'well' })
  expect(session.signal.aborted).toBe(true)
  expect(typesOf(await engine.runs.log(run)).at(-1)).toBe('run.stopped')
})

test('a stop that comes between a claim and its first look at the log: the driver is not called', async () => {
  const { open, database, clock } = world()
  const reading = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let drives = 0
  const counts = driven(async () => {
    drives++
  })
  const store = database.open({ clock })
  const slow: typeof store = {
    ...store,
    async readEvents(...args) {
      reading.resolve()
      await goOn.promise
      return store.readEvents(...args)
    },
  }
  const people = await open([counts], { idle: true })
  const ann = helperOf(people, 'clerk')
  const { run } = await ann.start('go')
  const worker = await open([counts], { store: slow })
  await reading.promise
  await ann.stop({ run })
  goOn.resolve()
  await worker.stop()
  expect([drives, (await ann.run(run)).status]).toEqual([0, 'stopped'])
})

test('an engine that stops begins nothing new for a driver: another one goes on from what was kept', async () => {
  const { open, close } = world()
  const did: string[] = []
  const working = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const steps = (name: string) =>
    driven(async (session) => {
      await session.keep('first', async () => {
        did.push(`${name} first`)
        working.resolve()
        await goOn.promise
        return true
      })
      await session.keep('second', () => did.push(`${name} second`))
      await session.finish('both')
    })
  const one = await open([steps('one')])
  const { run } = await helperOf(one, 'clerk').start('go')
  await working.promise
  const stopped = one.stop()
  goOn.resolve()
  await stopped
  await close(one)
  const ann = helperOf(await open([steps('two')]), 'clerk')
  expect((await ann.atRest(run)).status).toBe('done')
  expect(did).toEqual(['one first', 'two second'])
})

test('deliver "message": a driver has the answer of a question as the result of its call', async () => {
  const { open } = world()
  const asks = driven(
    async (session) => {
      const answer = await session.tool({ tool: 'question', input: { question: 'Who?' } })
      if (!('status' in answer)) await session.finish(answer as Json)
    },
    { questions: { deliver: 'message' } },
  )
  const ann = helperOf(await open([asks]), 'clerk')
  const { run } = await ann.start('go')
  expect((await ann.atRest(run)).asks.map((ask) => ask.step)).toEqual(['question 1.1'])
  await ann.approve({ run, step: 'question 1.1', data: 'Bob' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: { type: 'text', value: 'Bob' } })
})

test('an ask that nobody answers in time fails the run where its rule says so; else the driver hears it', async () => {
  const { open, clock } = world()
  const rules = { fail: 'fail', tell: 'tell', answer: { answer: 'Bob' } } as const
  const asks = driven(async (session) => {
    const kind = await session.keep('rule', () => String(session.input()[0]))
    const onExpire = rules[kind as keyof typeof rules]
    const asked = await session.ask(question('Who?', { waitMs: 1000, rule: { onExpire, guarded: false } }))
    if (asked.status === 'settled') await session.finish(`${asked.end.outcome}: ${asked.told?.value}`)
  })
  const ann = helperOf(await open([asks]), 'clerk')
  const runs = await Promise.all(Object.keys(rules).map((rule) => ann.start(rule)))
  for (const { run } of runs) await ann.atRest(run)
  clock.advance(2000)
  const ends = await Promise.all(runs.map(({ run }) => ended(ann, run)))
  expect(ends.map(({ status, output, error }) => [status, output ?? error?.code])).toEqual([
    ['failed', 'T2004'],
    ['done', 'expired: Nobody answered in time. This is not a refusal.'],
    ['done', 'expired: Nobody answered in time. This is the default answer, not the person’s: Bob'],
  ])
})

test('a call of a reply is answered by the ask at its place, and a tool beside it runs', async () => {
  const { open } = world()
  const file = tool({ name: 'file', description: 'Files.', input: { type: 'object' }, execute: () => 'filed' })
  const calls = [
    { id: 'a', tool: 'who', input: {} },
    { id: 'b', tool: 'file', input: {} },
  ]
  const both = driven(
    async (session) => {
      await session.reply({ ...replyOf('I ask.', 'tool-calls'), calls })
      const asked = await session.ask(question('Who?', { tool: 'who' }), { step: 'tool' })
      const filed = await session.tool({ tool: 'file', input: {} })
      if (asked.status === 'parked' || 'status' in filed) return
      await session.finish(`${asked.told?.value} ${filed.value}`)
    },
    { tools: [file] },
  )
  const engine = await open([both])
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.approve({ run, step: 'tool 1.1', data: 'Bob' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Bob filed', usage: { totalTokens: 5 } })
  const results = (await engine.runs.log(run)).flatMap((each) => (each.type === 'tool.returned' ? [each.data] : []))
  expect(results.map(({ result }) => result.value)).toEqual(['filed', 'Bob'])
})
