import { agent } from 'querent'
import { scriptedModel } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, refusal, world } from './world.ts'

test('runs that are over are erased when their time is up; those that wait are kept', async () => {
  const { open, clock } = world()
  const erased = Promise.withResolvers<void>()
  const model = scriptedModel([
    ({ messages }) =>
      JSON.stringify(messages).includes('ask me')
        ? { calls: [{ tool: 'question', input: { question: 'Well?' } }] }
        : { text: 'Done.' },
  ])
  const engine = await open([agent('asker', { model, questions: true })], {
    retention: '30d',
    atPoint({ transition, when, result }) {
      if (transition === 'eraseEnded' && when === 'after' && result === 1) erased.resolve()
    },
  })
  const ann = helperOf(engine, 'asker')
  const over = await ann.start('be quick')
  const waits = await ann.start('ask me')
  await ann.atRest(over.run)
  await ann.atRest(waits.run)
  clock.advance(31 * 86_400_000)
  await erased.promise
  expect(await refusal(ann.run(over.run))).toMatchObject({ code: 'T0001' })
  expect((await ann.run(waits.run)).status).toBe('waiting')
})

test('a retention that is none is refused (T1004)', async () => {
  const { open } = world()
  await expect(open([], { retention: 'a while' })).rejects.toMatchObject({ code: 'T1004' })
})
