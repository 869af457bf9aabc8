import { type Ask, type Engine, tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, resultsIn, typesOf, type World, world } from '../engine/world.ts'

const questions = ['Name?', 'Colour?', 'Size?']

/** An agent whose out guard lets the three questions through in any order, so that they are registered in any order. */
function threeQuestions(order: number[]) {
  const gates = questions.map(() => Promise.withResolvers<void>())
  let seen = 0
  const guard = async (text: string) => {
    const place = questions.indexOf(text)
    if (place < 0) return true as const
    if (++seen === 3) for (const each of order) gates[each]?.resolve()
    await gates[place]?.promise
    for (let turns = 0; turns < order.indexOf(place) * 3; turns++) await Promise.resolve()
    return true as const
  }
  return asker([{ calls: questions.map((question) => ask(question)) }, { text: 'All known.' }], {
    guards: { out: [guard] },
  })
}

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

async function answerAll(
  { open, close, kill }: World,
  { restart, order }: { restart?: 'close' | 'kill'; order: number[] },
) {
  let played = threeQuestions(order)
  let engine: Engine = await open(played.agents)
  const { run } = await helperOf(engine, 'asker').start('go')
  let view = await helperOf(engine, 'asker').atRest(run)
  const asks = view.asks
  for (const [index, m] of [3, 1, 2].entries()) {
    if (restart) {
      await (restart === 'kill' ? kill(engine) : close(engine))
      played = threeQuestions(order)
      engine = await open(played.agents)
    }
    await helperOf(engine, 'asker').approve({ run, step: `question 1.${m}`, data: `answer ${m}` })
    view = await helperOf(engine, 'asker').atRest(run)
    if (index < 2) expect(view).toMatchObject({ status: 'waiting' })
  }
  const log = await engine.runs.log(run)
  await close(engine)
  return { asks, view, log, model: played.model }
}

test('C06: three questions of one turn, answered third, first, second: each call gets its own answer, 50 times', async () => {
  for (let time = 0; time < 50; time++) {
    const order = orders[time % orders.length] as number[]
    const restart = time % 2 === 0 ? undefined : time % 4 === 1 ? ('close' as const) : ('kill' as const)
    const { asks, view, log, model } = await answerAll(world(), { order, restart })
    expect(view).toMatchObject({ status: 'done', text: 'All known.', asks: [] })
    expect(asks.map(({ step, n, input }: Ask) => [step, n, input])).toEqual(
      questions.map((question, index) => [`question 1.${index + 1}`, 1, { question }]),
    )
    expect(new Set(asks.map(({ id }) => id)).size).toBe(3)
    const prompt = model.prompts.at(-1)
    expect(resultsIn(prompt).map(({ value }) => value)).toEqual(['answer 1', 'answer 2', 'answer 3'])
    expect(wellFormed(prompt?.messages ?? [])).toEqual([])
    expect(typesOf(log).filter((type) => type === 'ask.opened')).toHaveLength(3)
    expect(typesOf(log).filter((type) => type === 'model.replied')).toHaveLength(2)
  }
})

test.each([
  ['after the question', [0, 1]],
  ['before the question', [1, 0]],
])('C09: a call beside a question is not run (%s), and may be made again after the answer', async (_, order) => {
  const { open } = world()
  let drops = 0
  const drop = tool({
    name: 'drop_table',
    description: 'drops',
    input: { type: 'object', properties: {} },
    execute: () => `dropped ${++drops}`,
  })
  const call = { tool: 'drop_table', input: {} }
  const both = [ask('Keep or drop the table?'), call]
  const { model, agents } = asker(
    [{ calls: order.map((index) => both[index] as typeof call) }, { calls: [call] }, { text: 'Dropped.' }],
    { tools: [drop] },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('clean up')
  const parked = await ann.atRest(run)
  expect(parked.asks).toHaveLength(1)
  expect(drops).toBe(0)
  await ann.approve(parked.asks[0] as Ask, { data: 'drop' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Dropped.' })
  expect(drops).toBe(1)
  const held = 'Not run: a question of the same turn was open. Call it again if it is still right.'
  expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual(order.map((index) => ['drop', held][index]))
  expect(resultsIn(model.prompts[2]).map(({ value }) => value)).toEqual(['dropped 1'])
})
