import { expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'

const play = () =>
  asker(
    [
      {
        calls: [
          ask({ question: 'Size?', choices: ['S', { label: 'M', description: 'the usual' }, 'L'] }),
          ask({ question: 'Print?' }),
        ],
      },
      { text: 'Ordered.' },
    ],
    { limits: { ask: '7d' } },
  )

test('C15: a killed server, started again on the same file: the same asks, answered elsewhere, and it ends', async () => {
  const { open, kill, clock } = world()
  const server = await open(play().agents)
  const { run } = await helperOf(server, 'asker').start('a shirt')
  const before = await helperOf(server, 'asker').atRest(run)
  expect(before.asks).toHaveLength(2)
  await kill(server)

  clock.advance(3_600_000)
  const { model, agents } = play()
  const again = await open(agents)
  expect((await helperOf(again, 'asker').run(run)).asks).toEqual(before.asks)
  const terminal = await open(play().agents, { idle: true })
  await helperOf(terminal, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
  await helperOf(terminal, 'asker').approve({ run, step: 'question 1.2', data: 'none' })
  expect(await helperOf(again, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
  expect(model.calls).toBe(1)
})

test('C15: killed between "answer stored" and "run resumed", it ends by itself after the next start', async () => {
  const { open, died } = world()
  const server = await open(play().agents, {
    dieAt: ({ transition, when }) => transition === 'settleAsk' && when === 'after',
  })
  const { run } = await helperOf(server, 'asker').start('a shirt')
  const { asks } = await helperOf(server, 'asker').atRest(run)
  void helperOf(server, 'asker').approve({ run, step: 'question 1.1', data: 'L' })
  await died(server)

  const { model, agents } = play()
  const again = await open(agents)
  const ann = helperOf(again, 'asker')
  expect(await ann.atRest(run)).toMatchObject({ status: 'waiting', asks: [{ id: asks[1]?.id }] })
  await ann.approve({ run, step: 'question 1.2', data: 'none' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
  expect(model.calls).toBe(1)
})

test('C16: the first call of a second process is the answer; nothing must be read before', async () => {
  const { open, close } = world()
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('a shirt')
  await helperOf(first, 'asker').atRest(run)
  await close(first)

  const { model, agents } = play()
  const second = await open(agents, { idle: true })
  await helperOf(second, 'asker').approve({ run, step: 'question 1.2', data: 'stars' })
  await helperOf(second, 'asker').approve({ run, step: 'question 1.1', data: 'S' })
  expect(model.calls).toBe(0)
  await second.start()
  expect(await helperOf(second, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
  expect(model.calls).toBe(1)
})

test('C16: a process without agents stores the answers, checked, and a worker goes on', async () => {
  const { open, close } = world()
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('a shirt')
  const { asks } = await helperOf(first, 'asker').atRest(run)
  await close(first)

  const page = await open([])
  expect(await page.as({ id: 'ann' }).asks()).toEqual(asks)
  await expect(helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'XL' })).rejects.toMatchObject({
    code: 'T0002',
  })
  await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
  await helperOf(page, 'asker').refuse({ run, step: 'question 1.2' })
  expect((await helperOf(page, 'asker').run(run)).status).toBe('ready')
  await close(page)

  const { model, agents } = play()
  const worker = await open(agents)
  expect(await helperOf(worker, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
  expect(model.calls).toBe(1)
})
