import { agent, delegate, type Engine, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { ended, helperOf, world } from './world.ts'

const anything = { type: 'object' } as const
const interrupted = 'Interrupted before its result was recorded. It may or may not have happened.'

/** What one life of the scenario did to the world outside, over all its processes. */
interface Outside {
  paid: number
  reserved: number
  mailed: number
}

/** A question that is answered by a message, beside a payment with leave; then a tool that asks; then a clerk who mails. */
function office(outside: Outside) {
  const pay = tool({
    name: 'pay',
    description: 'pays',
    input: anything,
    approval: true,
    execute: () => `paid ${++outside.paid}`,
  })
  const book = tool({
    name: 'book',
    description: 'books',
    input: anything,
    replays: true,
    async execute(_, ctx) {
      const number = await ctx.once('reserve', () => ++outside.reserved)
      const answers = await Promise.all(['a', 'b'].map((key) => ctx.ask({ key, question: `${key}?` })))
      return [number > 0, ...answers.map((each) => each.status)]
    },
  })
  const mail = tool({
    name: 'mail',
    description: 'mails',
    input: anything,
    approval: true,
    execute: () => `mailed ${++outside.mailed}`,
  })
  const clerkModel = scriptedModel([{ calls: [{ tool: 'mail', input: {} }] }, { text: 'Clerk done.' }])
  const leadModel = scriptedModel([
    {
      calls: [
        { tool: 'question', input: { question: 'Which?' } },
        { tool: 'pay', input: {} },
      ],
    },
    { calls: [{ tool: 'book', input: {} }] },
    { calls: [{ tool: 'clerk', input: { task: 'mail' } }] },
    { text: 'All done.' },
    { text: 'You are welcome.' },
  ])
  const clerk = agent('clerk', { model: clerkModel, tools: [mail] })
  const tools = [pay, book, delegate(clerk)]
  const lead = agent('lead', { model: leadModel, questions: { deliver: 'message' }, tools })
  return { leadModel, agents: [clerk, lead] }
}

/** What a person does until their run is over: start it, answer all that is asked, each in a way that may be repeated. */
async function live(engine: Engine) {
  const ann = helperOf(engine, 'lead')
  const { run } = await ann.start('go', { key: 'order 1' })
  for (let view = await ann.atRest(run); view.asks.length > 0; view = await ann.atRest(run)) {
    for (const ask of view.asks) {
      const answerId = `${ask.step} ${ask.n}`
      await ann.approve(ask, ask.kind === 'approval' ? { answerId } : { data: 'yes', answerId })
    }
  }
  return { view: await ended(ann, run), log: await engine.runs.log(run) }
}

/** The scenario with a death at its N-th point, and another process that goes on. None: how many points there are. */
async function dieAt(number?: number) {
  const { open, died, close } = world()
  const outside: Outside = { paid: 0, reserved: 0, mailed: 0 }
  let points = 0
  const first = await open(office(outside).agents, {
    atPoint: (point) => {
      points = point.number
    },
    dieAt: (point) => point.number === number,
  })
  const whole = await Promise.race([live(first), died(first)])
  const second = office(outside)
  const engine = await open(second.agents)
  const { view, log } = whole ?? (await live(engine))
  // One more round, so that there is a prompt of all that came before.
  await helperOf(engine, 'lead').say({ run: view.run, text: 'thanks' })
  await ended(helperOf(engine, 'lead'), view.run)
  const prompt = second.leadModel.prompts.at(-1)
  await close(engine)
  return { points, outside, view, log, prompt }
}

test('G1, G2, G6: a process dies before or after any transition while it asks in every way there is, and another goes on', async () => {
  const whole = await dieAt()
  expect(whole.view).toMatchObject({ status: 'done', text: 'All done.' })
  expect(whole.outside).toEqual({ paid: 1, reserved: 1, mailed: 1 })
  expect(whole.points).toBeGreaterThan(30)
  for (let number = 1; number <= whole.points; number++) {
    const { view, log, outside, prompt } = await dieAt(number)
    const where = `died at point ${number} of ${whole.points}`
    expect(view, where).toMatchObject({ status: 'done', text: 'All done.', asks: [] })
    const asked = log.flatMap((event) => (event.type === 'ask.opened' ? [`${event.data.step} ${event.data.n}`] : []))
    expect(asked, where).toEqual(['question 1.1 1', 'tool 1.2 1', 'tool 2.1 1', 'tool 2.1 2'])
    const ends = log.flatMap((event) => (event.type === 'ask.settled' ? [event.data.outcome] : []))
    expect(ends, where).toEqual(Array(4).fill('approved'))
    expect(
      log.filter((event) => event.type === 'message.added').map(({ data }) => data),
      where,
    ).toMatchObject([{ from: 'answers', content: 'Which?\nyes' }])
    // Never twice (G6); where nobody knows whether it happened, that is what the model hears.
    const results = log.flatMap((event) => (event.type === 'tool.returned' ? [String(event.data.result.value)] : []))
    expect(results.length, where).toBe(4)
    expect(results, where).toContain('Asked. The answer will follow as a message.')
    expect(results.includes('paid 1') || results.includes(interrupted), where).toBe(true)
    expect(
      [outside.paid, outside.mailed].filter((times) => times > 1),
      where,
    ).toEqual([])
    // It may repeat where its process died between the effect and its record; never otherwise.
    expect(outside.reserved, where).toBeLessThanOrEqual(2)
    expect(wellFormed(prompt?.messages ?? []), where).toEqual([])
  }
}, 120_000)
