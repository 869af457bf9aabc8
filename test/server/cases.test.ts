import { code, type PersonEvent, type ViewEvent } from 'querent'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from '../engine/world.ts'
import { openStream, type Stream, serve } from './served.ts'

const turns = [{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }]

/** What a person's lists have after the next event that tells of asks. */
async function nextAsks(stream: Stream): Promise<string[]> {
  for (;;) {
    const event = (await stream.next())?.data as PersonEvent
    if (event.type === 'asks' || event.type === 'snapshot') return event.asks.map(({ agent }) => agent)
  }
}

test('C31: no stream of another person says anything of a run, while it goes on; one of it is not there', async () => {
  const { open } = world()
  const engine = await open(asker(turns).agents)
  const served = await serve(engine)
  const ann = helperOf(engine, 'asker')
  const listening = await openStream(`${served.url}/api/events`, { as: 'bob' })
  await listening.next()
  const { run } = await ann.start('a shirt for Ann')
  await ann.atRest(run)
  for (const as of ['bob', undefined]) {
    for (const query of ['', '?after=1', '?after=99', '?until=rest', '?after=x']) {
      for (const headers of [{}, { 'last-event-id': '2' }] as Record<string, string>[]) {
        const streamOf = (id: string) =>
          served.ask(`/api/runs/${id}/events${query}`, { ...(as ? { as } : {}), headers: { ...headers } })
        const [theirs, none] = [await streamOf(run), await streamOf('run_none')]
        expect(theirs).toMatchObject({ status: 404, body: { code: code.T0001 } })
        expect(JSON.stringify(theirs.body).replaceAll(run, 'run_none')).toBe(JSON.stringify(none.body))
      }
    }
  }
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  await ann.atRest(run)
  // What comes next to Bob is Bob's own: nothing came before it.
  const own = await helperOf(engine, 'asker', 'bob').start('a shirt for Bob')
  const heard = (await listening.next())?.data as PersonEvent
  expect(heard).toMatchObject({ type: 'run', run: { run: own.run } })
})

const dayMs = 24 * 60 * 60_000
const deadlines = [24 * dayMs, 25 * dayMs, 30 * dayMs, 5 * 365 * dayMs]

test.each([false, true])(
  'C36: deadlines of 24, 25, 30 days and five years over HTTP, each gone from the lists at its time; restarted: %s',
  async (restart) => {
    const { open, close, clock } = world()
    const agents = deadlines.map((waitMs, index) => {
      const { asker: record } = asker(turns, { limits: { ask: waitMs } })
      return { ...record, name: `asker${index}` }
    })
    const worker = await open(agents)
    for (const { name } of agents) {
      const { run } = await helperOf(worker, name).start('go')
      await helperOf(worker, name).atRest(run)
    }
    // Nobody works: that an ask expired is written down by nobody.
    await close(worker)
    let engine = await open([], { idle: true })
    if (restart) {
      await close(engine)
      engine = await open([], { idle: true })
    }
    const served = await serve(engine)
    const stream = await openStream(`${served.url}/api/events`, { as: 'ann' })
    const names = agents.map(({ name }) => name)
    expect(await nextAsks(stream)).toEqual(names)
    const startedAt = clock.now()
    clock.advance(1000)
    expect(await served.client('ann').asks()).toHaveLength(4)
    for (const [index, waitMs] of deadlines.entries()) {
      const at = { body: { ask: (await served.client('ann').asks())[0]?.id, data: 'M' }, as: 'ann' }
      const [{ run } = { run: '' }] = await served.client('ann').asks()
      clock.advance(startedAt + waitMs - clock.now())
      expect((await served.client('ann').asks()).map(({ agent }) => agent)).toEqual(names.slice(index))
      const gone = nextAsks(stream)
      clock.advance(1)
      expect(await gone).toEqual(names.slice(index + 1))
      expect(await served.ask(`/api/runs/${run}/approve`, at)).toMatchObject({
        status: 409,
        body: { code: code.T0005 },
      })
    }
  },
)

test('C43: two clients of one person: answered in one, gone in the other, live; the other hears who and when', async () => {
  const { open } = world()
  const engine = await open(asker(turns).agents)
  const served = await serve(engine)
  const [laptop, phone] = [served.client('ann'), served.client('ann')]
  const { run } = await laptop.agent('asker').start('a shirt')
  const [shown] = (await phone.runs.atRest(run)).asks
  const lists = await openStream(`${served.url}/api/events`, { as: 'ann' })
  expect(await nextAsks(lists)).toEqual(['asker'])
  const watched: ViewEvent[] = []
  const watching = (async () => {
    for await (const event of phone.runs.watch(run)) watched.push(event)
  })()
  const at = { run, step: 'question 1.1' }
  // Sent twice by an impatient finger: one answer.
  const sent = await Promise.all([1, 2].map(() => laptop.runs.approve({ ...at, answerId: 'tap' }, { data: 'M' })))
  expect(sent.map(({ duplicate }) => duplicate).sort()).toEqual([false, true])
  expect(await nextAsks(lists)).toEqual([])
  await watching
  const settled = watched.find(({ type }) => type === 'ask.settled')
  expect(settled).toMatchObject({ ask: { id: shown?.id }, end: { outcome: 'approved', by: 'you', data: 'M' } })
  const late = await refusal(phone.runs.approve(shown as NonNullable<typeof shown>, { data: 'L' }))
  expect(late.code).toBe(code.T0003)
  expect(late.data).toMatchObject({ outcome: 'approved', at: (settled as { end: { at: string } }).end.at })
  const [first] = (await phone.runs.get(run)).messages.filter(({ role }) => role === 'ask')
  expect(first).toMatchObject({ end: { by: 'you', data: 'M' } })
})

test('two asks of one text are two: each gets its own answer, from either client', async () => {
  const { open } = world()
  const twice = asker([{ calls: [ask('Size?'), ask('Size?')] }, { text: 'Thanks.' }])
  const served = await serve(await open(twice.agents))
  const [laptop, phone] = [served.client('ann'), served.client('ann')]
  const { run } = await laptop.agent('asker').start('go')
  const { asks } = await phone.runs.atRest(run)
  expect(new Set(asks.map(({ id }) => id)).size).toBe(2)
  const [first, second] = asks
  if (!first || !second) throw new Error('Two asks were expected.')
  await phone.runs.approve(second, { data: 'for you' })
  await laptop.runs.approve(first, { data: 'for me' })
  const { messages } = await laptop.runs.atRest(run)
  const ends = messages.flatMap((line) => (line.role === 'ask' ? [[line.ask.step, line.end?.data]] : []))
  expect(ends).toEqual([
    ['question 1.1', 'for me'],
    ['question 1.2', 'for you'],
  ])
})
