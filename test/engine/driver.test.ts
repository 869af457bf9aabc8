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
