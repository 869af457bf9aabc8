import { setTimeout as wait } from 'node:timers/promises'
import { type AgentRecord, agent, delegate, type ToolDefinition, tool } from 'querent'
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from 'querent/testing'
import type { Random } from './random.ts'
import type { Traces } from './traces.ts'

/** Which agents there are, and how many of ten runs are theirs. */
export const shares = { shop: 4, desk: 2, clerk: 2, booker: 2 }

const anything = { type: 'object' }
const call = (name: string, input: Record<string, string> = {}) => ({ tool: name, input })
const ask = (question: string, ...choices: string[]): ScriptedCall => ({
  tool: 'question',
  input: choices.length > 0 ? { question, choices } : { question },
})

/** Several questions at once, tools that must not run twice, two approvals at once. */
const shopTurns: ScriptedTurn[] = [
  { text: 'Let me ask.', calls: [ask('Which size?', 'S', 'M', 'L'), call('look_up'), ask('Which colour?')] },
  { calls: [call('order', { what: 'shirt' }), call('look_up'), call('order', { what: 'cap' })] },
  { calls: [call('pay'), call('ship')] },
  { text: 'Sold.' },
  { text: 'You are welcome.' },
  { text: 'Good bye.' },
]
const deskTurns = (job: string): ScriptedTurn[] => [
  { calls: [call('helper', { task: `${job}a: pay.` }), call('helper', { task: `${job}b: pay.` }), call('look_up')] },
  { calls: [ask('May I tell them?', 'yes', 'no'), ask('Who?')] },
  { calls: [call('order', { what: 'a stamp' })] },
  { text: 'Handed on.' },
]
const helperTurns: ScriptedTurn[] = [
  { calls: [call('look_up'), call('pay')] },
  { calls: [call('order', { what: 'a receipt' })] },
  { text: 'Paid.' },
]
const clerkTurns: ScriptedTurn[] = [
  { calls: [ask('In a hurry?'), ask('Sure?', 'yes', 'no')] },
  { calls: [call('order', { what: 'a form' })] },
  { calls: [ask('One more?')] },
  { text: 'Filed.' },
]
const bookerTurns: ScriptedTurn[] = [{ calls: [call('book'), call('book')] }, { text: 'Booked.' }]

/** The agents of a worker. All they do is written down outside of it. */
export function agentsOf(traces: Traces, random: Random): AgentRecord[] {
  const slowly = (signal: AbortSignal) => wait(random.between(5, 400), undefined, { signal })
  const doing = (name: string, traits: { retrySafe?: boolean; approval?: boolean } = {}) =>
    tool({
      name,
      description: `Does ${name}.`,
      input: anything,
      ...traits,
      async execute(_, { effect, signal }) {
        traces.effects.add({ call: effect, name, mayRepeat: traits.retrySafe === true })
        await slowly(signal)
        return `${name} is done`
      },
    })
  const [lookUp, order] = [doing('look_up', { retrySafe: true }), doing('order')]
  const [pay, ship] = [doing('pay', { approval: true }), doing('ship', { approval: true })]
  const model = (name: string, turnsOf: (job: string) => ScriptedTurn[]) => ({
    id: 'scripted',
    async *step(request: Parameters<ReturnType<typeof scriptedModel>['step']>[0]) {
      const { messages, instructions, tools, signal } = request
      const job = /Job \d+[ab]?/.exec(JSON.stringify(messages[0]))?.[0] ?? ''
      traces.prompts.add({ agent: name, job, request: JSON.stringify({ instructions, tools, messages }) })
      await slowly(signal)
      yield* scriptedModel(turnsOf(job)).step(request)
    },
  })
  const helper = agent('helper', { model: model('helper', () => helperTurns), tools: [lookUp, order, pay] })
  return [
    helper,
    agent('shop', { model: model('shop', () => shopTurns), questions: true, tools: [lookUp, order, pay, ship] }),
    agent('desk', { model: model('desk', deskTurns), questions: true, tools: [lookUp, order, delegate(helper)] }),
    agent('clerk', {
      model: model('clerk', () => clerkTurns),
      questions: true,
      tools: [order],
      limits: { ask: 1500 },
      onExpire: 'tell',
    }),
    agent('booker', { model: model('booker', () => bookerTurns), tools: [booking(traces)] }),
  ]
}

/** A tool that asks from within: what it keeps is kept over its repeats. */
function booking(traces: Traces): ToolDefinition {
  return tool({
    name: 'book',
    description: 'Books a seat.',
    input: anything,
    replays: true,
    async execute(_, ctx) {
      const held = await ctx.once('hold', () => {
        traces.effects.add({ call: ctx.effect, name: 'hold', mayRepeat: true })
        return 'held'
      })
      const [seat, meal] = await Promise.all([
        ctx.ask({ key: 'seat', question: 'Which seat?', choices: ['window', 'aisle'] }),
        ctx.ask({ key: 'meal', question: 'Which meal?' }),
      ])
      return { held, seat, meal }
    },
  })
}
