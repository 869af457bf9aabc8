import { assistantMessage, functionCall, modelResponder } from '@openai/agents/testing'
import { type AgentRecord, agent, type Engine, type Helper, type Json, type RunView, tool } from 'querent'
import { type Driver, park } from 'querent/extension'
import type { FaultPoint } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, world } from '../engine/world.ts'
import { clerk as sdkClerk } from './sdk-world.ts'

interface Scenario {
  agents: AgentRecord[]
  done: string[]
  answer(step: string): Json | undefined
}

/** A driver with everything a session has: two questions at once, a model's reply, tools with and without leave. */
function ownClerk(): Scenario {
  const done: string[] = []
  const noting = (name: string, approval: boolean) =>
    tool({ name, description: name, input: { type: 'object' }, approval, execute: () => `${done.push(name)}` })
  const question = (text: string) =>
    park({
      kind: 'question',
      tool: 'question',
      input: { question: text },
      answerSchema: { type: 'string' },
      rule: { onExpire: 'refuse', guarded: false },
    })
  const driver: Driver = {
    name: 'clerk',
    async drive(session) {
      const [said] = await session.keep('input', () => session.input().map(String))
      await session.reply({ type: 'reply', messages: [], text: `You said ${said}.`, calls: [], finish: 'tool-calls' })
      const [who, stamp] = await Promise.all([
        session.ask(question('Who?')),
        session.tool({ tool: 'stamp', input: {} }),
      ])
      if (who.status === 'parked' || 'status' in stamp) return
      await session.reply({ type: 'reply', messages: [], text: 'Filing.', calls: [], finish: 'tool-calls' })
      const filed = await session.tool({ tool: 'file', input: {} })
      if ('status' in filed) return
      await session.finish([who.end.data ?? null, stamp.type, filed.type])
    },
  }
  const agents = [agent('clerk', { driver, tools: [noting('stamp', true), noting('file', false)] }) as AgentRecord]
  return { agents, done, answer: (step) => (step.startsWith('question') ? 'Bob' : undefined) }
}

/** The same with the SDK. Its model goes by what it has heard, as it must where a call of it may be made again. */
function openaiClerk(): Scenario {
  const next = modelResponder(({ request: { input } }) => {
    const turns = typeof input === 'string' ? 0 : input.filter((item) => item.type === 'function_call').length
    if (turns === 0) return [functionCall('find', { id: 1 }, { callId: 'a' })]
    if (turns > 1) return [assistantMessage('Done.')]
    const question = functionCall('question', { question: 'Who?' }, { callId: 'b' })
    return [question, functionCall('delete', { id: 7 }, { callId: 'c' })]
  })
  const { agents, done } = sdkClerk(Array(20).fill(next))
  return { agents, done, answer: (step) => (step.startsWith('question') ? 'Bob' : undefined) }
}

/** Lives one run to its end. The first worker dies at the `last` point of its store, where that is given. */
async function live({ agents, answer }: Scenario, last?: number): Promise<{ points: FaultPoint[]; end: RunView }> {
  const { open, died } = world()
  const points: FaultPoint[] = []
  let engine: Engine = await open(agents, { dieAt: (point) => points.push(point) === last })
  /** Asks again, of the next process, where one died before it said so: each write has a key. */
  const insist = async <T>(act: (ann: Helper) => Promise<T>): Promise<T> => {
    for (;;) {
      const done = await Promise.race([act(helperOf(engine, 'clerk')).then((value) => ({ value })), died(engine)])
      if (done) return done.value
      engine = await open(agents)
    }
  }
  const { run } = await insist((ann) => ann.start('go', { key: 'once' }))
  for (;;) {
    const seen = await insist((ann) => ann.atRest(run))
    if (seen.status !== 'waiting') return { points, end: seen }
    for (const ask of seen.asks) {
      const data = answer(ask.step)
      await insist((ann) => ann.approve(ask, { answerId: ask.id, ...(data === undefined ? {} : { data }) }))
    }
  }
}

test('G1 G2 G6 a driver of one’s own whose process dies at any point of its store: it ends, and no tool starts twice', async () => {
  const { points, end } = await live(ownClerk())
  expect(end).toMatchObject({ status: 'done', output: ['Bob', 'text', 'text'] })
  expect(points.length).toBeGreaterThan(15)
  for (const [index, point] of points.entries()) {
    const scenario = ownClerk()
    const died = await live(scenario, index + 1)
    const at = `${point.when} ${point.transition} (${index + 1})`
    expect(died.end, at).toMatchObject({ status: 'done', text: 'Filing.', asks: [] })
    expect(new Set(scenario.done).size, at).toBe(scenario.done.length)
    expect((died.end.output as Json[])[0], at).toBe('Bob')
  }
})

test('a driver of the SDK whose process dies at any point: it ends; only the turn that was not stored is done again', async () => {
  const { points, end } = await live(openaiClerk())
  expect(end).toMatchObject({ status: 'done', output: 'Done.' })
  const repeats: string[] = []
  for (const [index, point] of points.entries()) {
    const scenario = openaiClerk()
    const died = await live(scenario, index + 1)
    const at = `${point.when} ${point.transition} (${index + 1})`
    expect(died.end, at).toMatchObject({ status: 'done', output: 'Done.', asks: [] })
    const twice = scenario.done.filter((each, place) => scenario.done.indexOf(each) !== place)
    expect(
      scenario.done
        .filter((each) => !twice.includes(each))
        .concat(twice)
        .sort(),
      at,
    ).toEqual(['delete 7', 'find 1'])
    repeats.push(...twice.map((each) => `${each} at ${point.when} ${point.transition}`))
  }
  expect(repeats).toEqual(['find 1 at before append', 'delete 7 at before append'])
})
