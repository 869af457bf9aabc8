import { agent, type Json, tool } from 'querent'
import { type Driver, park } from 'querent/extension'
import { expect, test } from 'vitest'
import { helperOf, world } from './world.ts'

const question = (text: string) =>
  park({
    kind: 'question',
    tool: 'question',
    input: { question: text },
    answerSchema: { type: 'string', pattern: '\\S' },
    rule: { onExpire: 'refuse', guarded: false },
  })

const replyOf = (text: string) => ({
  type: 'reply' as const,
  messages: [JSON.stringify({ role: 'assistant', content: text })],
  text,
  calls: [],
  finish: 'stop' as const,
})

function clerk() {
  const done: string[] = []
  const thought: string[] = []
  const driver: Driver = {
    name: 'clerk',
    async drive(session) {
      const plan = await session.keep('plan', () => {
        thought.push('plan')
        return `for ${String(session.input()[0])}`
      })
      const [who, stamp] = await Promise.all([
        session.ask(question(`Who? ${plan}`)),
        session.tool({ tool: 'stamp', input: { paper: plan } }),
      ])
      if (who.status === 'parked' || ('status' in stamp && stamp.status === 'parked')) return
      const filed = await session.tool({ tool: 'file', input: { by: who.end.data as Json } })
      if ('status' in filed) return
      await session.finish(`${plan}: ${String(who.end.data)}, ${JSON.stringify(filed)}`)
    },
  }
  const input = { type: 'object' }
  const stamp = tool({
    name: 'stamp',
    description: 'Stamps.',
    input,
    approval: true,
    execute: () => void done.push('stamp'),
  })
  const file = tool({
    name: 'file',
    description: 'Files.',
    input,
    execute: () => {
      done.push('file')
      return 'filed'
    },
  })
  return { done, thought, agents: [agent('clerk', { driver, tools: [stamp, file] })] }
}

test('a driver of one’s own asks, runs tools and parks, over three processes, and repeats nothing', async () => {
  const { open, close } = world()
  const first = clerk()
  const one = await open(first.agents)
  const { run } = await helperOf(one, 'clerk').start('a permit')
  const parked = await helperOf(one, 'clerk').atRest(run)
  expect(parked.asks.map((ask) => [ask.step, ask.kind]).sort()).toEqual([
    ['question 1.1', 'question'],
    ['tool 1.2', 'approval'],
  ])
  await close(one)

  const second = clerk()
  const two = await open(second.agents)
  await helperOf(two, 'clerk').approve({ run, step: 'tool 1.2' })
  expect((await helperOf(two, 'clerk').atRest(run)).asks.map((ask) => ask.step)).toEqual(['question 1.1'])
  expect(second.done).toEqual(['stamp'])
  await close(two)

  const third = clerk()
  const ann = helperOf(await open(third.agents), 'clerk')
  await ann.approve({ run, step: 'question 1.1', data: 'Bob' })
  const ended = await ann.atRest(run)
  expect(ended).toMatchObject({ status: 'done', output: 'for a permit: Bob, {"type":"text","value":"filed"}' })
  expect([first.thought, second.thought, third.thought]).toEqual([['plan'], [], []])
  expect([first.done, second.done, third.done]).toEqual([[], ['stamp'], ['file']])
})

test('an approved tool of a driver starts while a slow sibling still runs', async () => {
  const { open } = world()
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const stamped = Promise.withResolvers<void>()
  const input = { type: 'object' }
  const slow = tool({
    name: 'slow',
    description: 'Is slow.',
    input,
    execute: async () => {
      started.resolve()
      await gate.promise
    },
  })
  const stamp = tool({ name: 'stamp', description: 'Stamps.', input, approval: true, execute: () => stamped.resolve() })
  const driver: Driver = {
    name: 'both',
    async drive(session) {
      const results = await Promise.all([
        session.tool({ tool: 'slow', input: {} }),
        session.tool({ tool: 'stamp', input: {} }),
      ])
      if (results.every((result) => !('status' in result))) await session.finish('both')
    },
  }
  const ann = helperOf(await open([agent('both', { driver, tools: [slow, stamp] })]), 'both')
  const { run } = await ann.start('go')
  const opened = (async () => {
    for await (const event of ann.watch(run)) if (event.type === 'ask.opened') return event.ask
    throw new Error('No ask was opened.')
  })()
  await started.promise
  await ann.approve(await opened)
  await stamped.promise
  gate.resolve()
  expect((await ann.atRest(run)).status).toBe('done')
})

test('a driver that returns with nothing open fails the run, and says so', async () => {
  const { open } = world()
  const driver: Driver = { name: 'lazy', drive: async () => undefined }
  const ann = helperOf(await open([agent('lazy', { driver })]), 'lazy')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({
    status: 'failed',
    error: { code: 'T2005', message: expect.stringContaining('lazy') },
  })
})

test('what a driver says and ends with passes the out guards, and it hears what they refused', async () => {
  const { open, close } = world()
  const guards = { out: [(text: string) => (text.includes('secret') ? { refuse: 'a secret' } : (true as const))] }
  const heard: unknown[] = []
  const judged: string[] = []
  const driver: Driver = {
    name: 'teller',
    async drive(session) {
      const [input] = await session.keep('input', () => session.input().map(String))
      heard.push((await session.reply(replyOf('a secret'))).notShown, session.input())
      const asked = await session.ask(question('a secret?'))
      if (asked.status === 'settled') judged.push(`${asked.end.outcome}: ${asked.told?.value}`)
      if ((await session.ask(question('Who?'))).status === 'parked') return
      await session.finish(input === 'text' ? 'the secret' : { the: 'secret' })
    },
  }
  const agents = [agent('teller', { driver, guards })]
  const one = await open(agents)
  const { run } = await helperOf(one, 'teller').start('text')
  const other = await helperOf(one, 'teller').start('json')
  const parked = await helperOf(one, 'teller').atRest(run)
  expect(parked.asks.map((ask) => ask.step)).toEqual(['question 1.2'])
  expect(JSON.stringify(parked)).not.toContain('secret')
  await helperOf(one, 'teller').atRest(other.run)
  await close(one)
  const two = await open(agents)
  const ann = helperOf(two, 'teller')
  for (const each of [run, other.run]) {
    await ann.approve({ run: each, step: 'question 1.2', data: 'Bob' })
    const ended = await ann.atRest(each)
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'T2006' } })
    expect(ended.output).toBeUndefined()
    const refusals = (await two.runs.log(each)).filter(({ type }) => type === 'guard.refused')
    expect(refusals).toHaveLength(1)
  }
  const notShown = 'This was not shown to the person: a secret.'
  expect(heard).toEqual(Array(4).fill([notShown, []]).flat())
  expect(judged).toEqual(Array(4).fill(`refused: ${notShown}`))
})

test('what a driver ends with must fit the output of its agent; what it says on the way need not', async () => {
  const { open } = world()
  const output = { type: 'object', properties: { size: { enum: ['S', 'M'] } }, required: ['size'] }
  const ends: Record<string, Json> = { text: '{"size":"M"}', value: { size: 'S' }, misfit: { size: 'XL' }, prose: 'M!' }
  const driver: Driver = {
    name: 'teller',
    async drive(session) {
      const [input] = await session.keep('input', () => session.input().map(String))
      await session.reply(replyOf('I am thinking.'))
      await session.finish(ends[input as string] as Json)
    },
  }
  const ann = helperOf(await open([agent('teller', { driver, output })]), 'teller')
  const runs = await Promise.all(Object.keys(ends).map((input) => ann.start(input)))
  const seen = await Promise.all(runs.map(({ run }) => ann.atRest(run)))
  expect(seen.map(({ text }) => text)).toEqual(Array(4).fill('I am thinking.'))
  expect(seen.map(({ status, output, error }) => output ?? `${status} ${error?.code}`)).toEqual([
    { size: 'M' },
    { size: 'S' },
    'failed T2007',
    'failed T2007',
  ])
})

test('keep: once for two at the same time, as JSON has it, and nothing that JSON has not', async () => {
  const { open } = world()
  const driver: Driver = {
    name: 'keeper',
    async drive(session) {
      let times = 0
      const work = () => ({ times: ++times, at: new Date(0) as unknown as Json })
      const [first, second] = await Promise.all([session.keep('a', work), session.keep('a', work)])
      const bad = await session.keep('b', () => undefined as unknown as Json).catch((error) => error.message)
      const failed = await session
        .keep('c', () => Promise.reject(new Error('not kept')))
        .catch((error) => error.message)
      await session.finish([first, second, bad, failed, await session.keep('c', () => 'later')])
    },
  }
  const ann = helperOf(await open([agent('keeper', { driver })]), 'keeper')
  const { run } = await ann.start('go')
  const kept = { times: 1, at: '1970-01-01T00:00:00.000Z' }
  expect((await ann.atRest(run)).output).toEqual([
    kept,
    kept,
    'session.keep("b") got undefined, which cannot be kept. Return JSON.',
    'not kept',
    'later',
  ])
})

test('asks made side by side count one by one, and open in their order', async () => {
  const { open } = world()
  const driver: Driver = {
    name: 'asker',
    async drive(session) {
      const count = await session.keep('count', () => Number(session.input()[0]))
      await Promise.all(Array.from({ length: count }, (_, index) => session.ask(question(`Question ${index + 1}?`))))
    },
  }
  const ann = helperOf(await open([agent('asker', { driver, limits: { perRun: { asks: 3 } } })]), 'asker')
  const three = await ann.start('3')
  const four = await ann.start('4')
  expect(
    (await ann.atRest(three.run)).asks.map((ask) => [ask.step, (ask.input as { question: string }).question]),
  ).toEqual([1, 2, 3].map((m) => [`question 1.${m}`, `Question ${m}?`]))
  expect(await ann.atRest(four.run)).toMatchObject({ status: 'failed', error: { code: 'T2003' }, asks: [] })
})
