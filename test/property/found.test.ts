import { agent, type Engine } from 'querent'
import { scriptedModel, type TurnSource } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, helperOf, world } from '../engine/world.ts'

/* Faults that random histories have found, each as the shortest history that shows it. */

/** A turn whose reply waits until the test lets it go; `asked` resolves when the model has the prompt. */
function heldTurn(): { turn: TurnSource; asked: Promise<void> } {
  const asked = Promise.withResolvers<void>()
  const turn = () => {
    asked.resolve()
    return { text: 'never said', hold: new Promise(() => undefined) }
  }
  return { turn, asked: asked.promise }
}

/** Turns by the number of the request: a stopped turn leaves nothing behind, and is not the one to play again. */
function byRequest(turns: TurnSource[]) {
  let requests = 0
  const next: TurnSource = (request) => {
    const turn = turns[requests++]
    return typeof turn === 'function' ? turn(request) : (turn ?? { text: 'ok' })
  }
  return scriptedModel(turns.map(() => next))
}

async function stopAndGoOn(engine: Engine, run: string): Promise<void> {
  const ann = helperOf(engine, 'asker')
  await ann.stop({ run })
  await ann.say({ run, text: 'Go on.' })
  expect((await ann.atRest(run)).status).toBe('done')
}

test('an answer that the model was told stays the answer when the run is stopped before its reply (G1, G9)', async () => {
  const { turn, asked } = heldTurn()
  const model = byRequest([{ calls: [ask('Size?')] }, turn, { text: 'ok' }])
  const engine = await world().open([agent('asker', { model, questions: true })])
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('Hello')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  await asked
  await stopAndGoOn(engine, run)
  const [, told, after] = model.prompts
  expect(told?.messages.at(-1)).toMatchObject({ content: [{ output: { type: 'text', value: 'M' } }] })
  expect(after?.messages.slice(0, told?.messages.length)).toEqual(told?.messages)
})

test('answers that the model was told as a message stay so when the run is stopped before its reply (G9)', async () => {
  const { turn, asked } = heldTurn()
  const model = byRequest([{ calls: [ask('Size?'), ask('Colour?')] }, turn, { text: 'ok' }])
  const engine = await world().open([agent('asker', { model, questions: { deliver: 'message' } })])
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('Hello')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.2', data: 'blue' })
  await ann.refuse({ run, step: 'question 1.1' })
  await asked
  await stopAndGoOn(engine, run)
  const [, told, after] = model.prompts
  expect(told?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('Colour?\nblue') })
  expect(after?.messages.slice(0, told?.messages.length)).toEqual(told?.messages)
})

test('a message that the model was told stays in the prompt when the run is stopped before its reply (G9)', async () => {
  const { turn, asked } = heldTurn()
  const model = byRequest([{ text: 'Hello.' }, turn, { text: 'ok' }])
  const engine = await world().open([agent('asker', { model })])
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('Hello')
  await ann.atRest(run)
  await ann.say({ run, text: 'Make it two.' })
  await asked
  await stopAndGoOn(engine, run)
  const [, told, after] = model.prompts
  expect(told?.messages.at(-1)).toEqual({ role: 'user', content: 'Make it two.' })
  expect(after?.messages.slice(0, told?.messages.length)).toEqual(told?.messages)
})

test('a run that is claimed again in the breath in which it parked is still looked after', async () => {
  const { turn, asked } = heldTurn()
  const model = byRequest([{ calls: [ask('Size?'), ask('Colour?')] }, turn])
  const { open, close } = world()
  const engine = await open([agent('asker', { model, questions: true })])
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('Hello')
  await ann.atRest(run)
  // The first answer wakes it, it parks for the other, and is claimed again before its first session has left.
  await ann.approve({ run, step: 'question 1.2', data: 'blue' })
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  await asked
  // Its session would not hear of the stop, and the engine would wait for the model for ever.
  await ann.stop({ run })
  await close(engine)
  expect(model.calls).toBe(2)
})

test('a message that comes behind the end of an ask that ends the run is answered all the same', async () => {
  const model = byRequest([{ calls: [ask('Size?')] }, { text: 'ok' }])
  const { open, close, clock, database } = world()
  const asker = agent('asker', { model, questions: true, limits: { ask: '1m' }, onExpire: 'fail' })
  const engine = await open([asker])
  const { run } = await helperOf(engine, 'asker').start('Hello')
  await helperOf(engine, 'asker').atRest(run)
  await close(engine)
  clock.advance(60_001)
  // The deadline is noticed and the message comes while nobody works on the run.
  const store = database.open({ clock })
  expect(await store.expireAsks(10)).toEqual([run])
  await store.close()
  const page = await open([], { idle: true })
  await helperOf(page, 'asker').say({ run, text: 'I am back.' })
  await open([asker])
  expect(await helperOf(page, 'asker').atRest(run)).toMatchObject({ status: 'done', text: 'ok', repeat: 2 })
  expect(model.prompts[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'I am back.' })
})
