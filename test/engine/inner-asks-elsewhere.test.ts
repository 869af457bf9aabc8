import { agent, delegate, type ToolContext, tool } from 'querent'
import type { Driver } from 'querent/extension'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, resultsIn, typesOf, world } from './world.ts'

const anything = { type: 'object' } as const

function surveying(runs: string[], ask = (ctx: ToolContext) => ctx.ask({ key: 'k', question: 'And?' })) {
  return tool({
    name: 'survey',
    description: 'asks',
    input: anything,
    replays: true,
    execute(_, ctx) {
      runs.push(ctx.effect)
      return ask(ctx)
    },
  })
}

describe('a tool that asks, run by a driver of one’s own', () => {
  const driver: Driver = {
    name: 'surveyor',
    async drive(session) {
      const told = await session.tool({ tool: 'survey', input: {} })
      if ('status' in told) return
      await session.finish(JSON.stringify(told))
    },
  }
  const play = (runs: string[]) => [agent('surveyor', { driver, tools: [surveying(runs)] })]

  test('parks it, and goes on in another process with the answer', async () => {
    const { open, kill } = world()
    const runs: string[] = []
    const first = await open(play(runs))
    const { run } = await helperOf(first, 'surveyor').start('go')
    expect((await helperOf(first, 'surveyor').atRest(run)).asks).toMatchObject([{ kind: 'question', step: 'tool 1.1' }])
    await kill(first)
    const ann = helperOf(await open(play(runs)), 'surveyor')
    await ann.approve({ run, step: 'tool 1.1', data: 'fine' })
    const value = { status: 'answered', data: 'fine' }
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: JSON.stringify({ type: 'json', value }) })
    expect(runs).toHaveLength(2)
    expect(new Set(runs).size).toBe(1)
  })

  test('hears of a message instead of an answer, and does not run it again', async () => {
    const { open } = world()
    const runs: string[] = []
    const engine = await open(play(runs))
    const ann = helperOf(engine, 'surveyor')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await ann.say({ run, text: 'never mind' })
    // The next round asks anew.
    expect((await ann.atRest(run)).asks).toMatchObject([{ repeat: 2, step: 'tool 1.1' }])
    const returned = (await engine.runs.log(run)).flatMap((event) =>
      event.type === 'tool.returned' ? [event.data.result.value] : [],
    )
    expect(returned).toEqual(['The person wrote a message instead of answering.'])
    expect(new Set(runs).size).toBe(2)
    expect(runs).toHaveLength(2)
  })
})

test('a message to the root withdraws what a tool of a child asks: it is not run again, and its child says so', async () => {
  const { open } = world()
  const runs: string[] = []
  const clerkModel = scriptedModel([{ calls: [{ tool: 'survey', input: {} }] }, { text: 'Clerk done.' }])
  const leadModel = scriptedModel([{ calls: [{ tool: 'clerk', input: { task: 'ask' } }] }, { text: 'Led.' }])
  const clerk = agent('clerk', { model: clerkModel, tools: [surveying(runs)] })
  const engine = await open([clerk, agent('lead', { model: leadModel, tools: [delegate(clerk)] })])
  const ann = helperOf(engine, 'lead')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.say({ run, text: 'leave it' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Led.', repeat: 2, asks: [] })
  expect(resultsIn(clerkModel.prompts[1]).map(({ value }) => value)).toEqual([
    'The person wrote a message instead of answering.',
  ])
  expect(runs).toHaveLength(1)
})

test('an answer that is asked for inside `once` is kept there', async () => {
  const { open } = world()
  const runs: string[] = []
  const model = scriptedModel([{ calls: [{ tool: 'survey', input: {} }] }, { text: 'ok' }])
  const survey = surveying(runs, (ctx) => ctx.once('answer', () => ctx.ask({ key: 'k', question: 'And?' }) as never))
  const engine = await open([agent('asker', { model, tools: [survey] })])
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.approve({ run, step: 'tool 1.1', data: 'fine' })
  expect((await ann.atRest(run)).status).toBe('done')
  expect(resultsIn(model.prompts[1])).toEqual([{ type: 'json', value: { status: 'answered', data: 'fine' } }])
  expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'tool.kept')).toHaveLength(1)
})
