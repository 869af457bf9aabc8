import { agent, code, delegate, type Engine, tool } from 'querent'
import { type ScriptedPrompt, scriptedModel } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, type World, world } from '../engine/world.ts'

const anything = { type: 'object' } as const
const usage = { inputTokens: 50, outputTokens: 100 }

/** A lead that asks, then has a clerk act with leave, then asks inside a tool, for as long as it may. */
function office(limits: Parameters<typeof agent>[1]['limits']) {
  const act = tool({ name: 'act', description: 'acts', input: anything, approval: true, execute: () => 'acted' })
  const survey = tool({
    name: 'survey',
    description: 'asks',
    input: anything,
    replays: true,
    execute: (_, ctx) => ctx.ask({ key: 'k', question: 'And?' }),
  })
  const clerkModel = scriptedModel([
    { calls: [{ tool: 'act', input: {} }], usage },
    { text: 'Clerk done.', usage },
  ])
  const round = [
    { calls: [{ tool: 'question', input: { question: 'Next?' } }], usage },
    { calls: [{ tool: 'clerk', input: { task: 'act' } }], usage },
    { calls: [{ tool: 'survey', input: {} }], usage },
  ]
  const leadModel = scriptedModel([...round, ...round, ...round, { text: 'Led.', usage }])
  const clerk = agent('clerk', { model: clerkModel, tools: [act] })
  const lead = agent('lead', { model: leadModel, questions: true, tools: [survey, delegate(clerk)], limits })
  return { leadModel, agents: [clerk, lead] }
}

/** Answers whatever is asked until the run is over; with a restart before and after each answer where it is said so. */
async function answerToTheEnd(
  { open, close, kill }: World,
  limits: Parameters<typeof office>[0],
  end?: 'close' | 'kill',
) {
  let played = office(limits)
  let engine: Engine = await open(played.agents)
  const prompts: ScriptedPrompt[] = []
  const restart = async () => {
    if (!end) return
    prompts.push(...played.leadModel.prompts)
    await (end === 'kill' ? kill(engine) : close(engine))
    played = office(limits)
    engine = await open(played.agents)
  }
  const { run } = await helperOf(engine, 'lead').start('go')
  for (;;) {
    const view = await helperOf(engine, 'lead').atRest(run)
    const [ask] = view.asks
    if (!ask) {
      prompts.push(...played.leadModel.prompts)
      return { view, log: await engine.runs.log(run), prompts }
    }
    await restart()
    await helperOf(engine, 'lead').approve(ask, ask.kind === 'approval' ? {} : { data: 'an answer' })
    await restart()
  }
}

const limits: [string, Parameters<typeof office>[0], string | undefined, number][] = [
  ['none', {}, undefined, 16],
  ['5 model calls of a round, each run its own', { steps: 5 }, code.T2001, 9],
  ['1,000 output tokens, the children’s included', { perRun: { tokensOut: 1000 } }, code.T2002, 10],
  ['4 asks, each run its own', { perRun: { asks: 4 } }, code.T2003, 11],
]

test.each(limits)(
  'C46: with children and asks inside tools, limit: %s: the sums and the end are the same with and without restarts',
  async (_, limit, wanted, calls) => {
    const outcomes = [
      await answerToTheEnd(world(), limit),
      await answerToTheEnd(world(), limit, 'close'),
      await answerToTheEnd(world(), limit, 'kill'),
    ]
    for (const { view, prompts } of outcomes) {
      expect(view).toMatchObject(
        wanted === undefined ? { status: 'done', text: 'Led.' } : { status: 'failed', error: { code: wanted } },
      )
      expect(view.usage).toEqual({ inputTokens: 50 * calls, outputTokens: 100 * calls, totalTokens: 150 * calls })
      for (const [index, next] of prompts.slice(1).entries()) {
        const before = JSON.stringify(prompts[index]?.messages).slice(0, -1)
        expect(JSON.stringify(next.messages).startsWith(before)).toBe(true)
      }
    }
    const types = outcomes.map(({ log }) => log.map((event) => event.type))
    expect(types[1]).toEqual(types[0])
    expect(types[2]).toEqual(types[0])
  },
)
