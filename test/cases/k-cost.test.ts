import { type AgentOptions, code, type Engine, tool } from 'querent'
import type { ScriptedPrompt } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, type World, world } from '../engine/world.ts'

const turns = Array.from({ length: 15 }, (_, index) => ({
  calls: [ask(`Question ${index + 1}?`)],
  usage: { inputTokens: 50, outputTokens: 100 },
}))

/** Answers whatever is asked until the run is over; with a restart before and after each answer where it is said so. */
async function answerToTheEnd({ open, close, kill }: World, options: AgentOptions, end?: 'close' | 'kill') {
  let engine: Engine = await open(asker(turns, options).agents)
  const restart = async () => {
    if (!end) return
    await (end === 'kill' ? kill(engine) : close(engine))
    engine = await open(asker(turns, options).agents)
  }
  const { run } = await helperOf(engine, 'asker').start('go')
  for (;;) {
    const view = await helperOf(engine, 'asker').atRest(run)
    if (view.status !== 'waiting') return { view, log: await engine.runs.log(run) }
    await restart()
    await helperOf(engine, 'asker').approve({ run, step: view.asks[0]?.step ?? '', data: 'an answer' })
    await restart()
  }
}

const limits: [string, AgentOptions['limits'], string, number][] = [
  ['5 turns', { steps: 5, perRun: { tokensOut: 1000 } }, code.T2001, 5],
  ['1,000 tokens', { steps: 50, perRun: { tokensOut: 1000 } }, code.T2002, 10],
  ['3 asks', { perRun: { asks: 3 } }, code.T2003, 4],
]

test.each(limits)(
  'C46: a limit of %s is reached at the same point with and without restarts',
  async (_, limit, wanted, calls) => {
    const outcomes = [
      await answerToTheEnd(world(), { limits: limit }),
      await answerToTheEnd(world(), { limits: limit }, 'close'),
      await answerToTheEnd(world(), { limits: limit }, 'kill'),
    ]
    for (const { view, log } of outcomes) {
      expect(view).toMatchObject({ status: 'failed', error: { code: wanted } })
      expect(view.usage).toEqual({ inputTokens: 50 * calls, outputTokens: 100 * calls, totalTokens: 150 * calls })
      expect(log.filter((event) => event.type === 'model.replied')).toHaveLength(calls)
      // The last reply would ask what nobody could hear the answer of, or what may not be asked any more: nobody is.
      expect(log.filter((event) => event.type === 'ask.opened')).toHaveLength(calls - 1)
    }
    const types = outcomes.map(({ log }) => log.map((event) => event.type))
    expect(types[1]).toEqual(types[0])
    expect(types[2]).toEqual(types[0])
  },
)

test('C46: asks.list reads no log: with the logs gone it gives the same, from a process without agents', async () => {
  const { open, close, database } = world()
  const engine = await open(asker([...turns.slice(0, 3), ...turns]).agents)
  const runs = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const ann = helperOf(engine, 'asker', index % 2 === 0 ? 'ann' : 'bob')
      const { run } = await ann.start(`run ${index}`)
      for (const turn of [1, 2]) {
        await ann.atRest(run)
        await ann.approve({ run, step: `question ${turn}.1`, data: 'go on' })
      }
      return (await ann.atRest(run)).run
    }),
  )
  await close(engine)

  const page = await open([])
  const list = async () => {
    const [ann, working] = await Promise.all([
      page.asks.list({ person: 'ann' }, { limit: 200 }),
      helperOf(page, 'asker', 'bob').working({ limit: 200 }),
    ])
    return { ann, working }
  }
  const before = await list()
  expect(before.ann.items.map(({ run }) => run).sort()).toEqual(runs.filter((_, index) => index % 2 === 0).sort())
  expect(before.working).toHaveLength(30)
  await database.execute('drop table events')
  expect(await list()).toEqual(before)
  await expect(page.runs.log(runs[0] as string)).rejects.toThrow('events')
})

const growsFrom = (prompt: ScriptedPrompt, next: ScriptedPrompt) => {
  expect(JSON.stringify(next.messages).startsWith(JSON.stringify(prompt.messages).slice(0, -1))).toBe(true)
  expect(JSON.stringify([next.instructions, next.tools])).toBe(JSON.stringify([prompt.instructions, prompt.tools]))
}

test('C46: tools registered in another order in each process: prompt N+1 begins with the bytes of prompt N', async () => {
  const { open, close } = world()
  const tools = ['zebra', 'ant', 'bee'].map((name) =>
    tool({
      name,
      description: name,
      input: { type: 'object', properties: {} },
      retrySafe: true,
      execute: () => ({ b: 1, a: 2 }),
    }),
  )
  const play = (order: number[]) =>
    asker(
      [
        { reasoning: 'hm', text: 'First.', calls: [ask('One?'), { tool: 'bee', input: { z: 1, a: { y: 2, b: 3 } } }] },
        { calls: [ask({ question: 'Two?', shape: { type: 'object' } })] },
        { text: 'Second.', calls: [ask('Three?')] },
        { text: 'Done.' },
      ],
      { instructions: 'Be brief.', tools: order.map((index) => tools[index] as (typeof tools)[number]) },
    )
  const prompts: ScriptedPrompt[] = []
  let run = ''
  const answers = ['one', { z: 1, a: 2 }, 'three']
  for (const [index, order] of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
  ].entries()) {
    const { model, agents } = play(order)
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    if (index === 0) run = (await ann.start('go')).run
    else await ann.approve({ run, step: `question ${index}.1`, data: answers[index - 1] as string })
    await ann.atRest(run)
    prompts.push(...model.prompts)
    await close(engine)
  }
  expect(prompts).toHaveLength(4)
  expect(prompts[0]?.tools.map(({ name }) => name)).toEqual(['ant', 'bee', 'question', 'zebra'])
  for (const [index, next] of prompts.slice(1).entries()) growsFrom(prompts[index] as ScriptedPrompt, next)
})
