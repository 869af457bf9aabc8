import { delegate, tool } from 'querent'
import type { Scenario, Touch } from './scenario.ts'

const anything = { type: 'object' }

/** Running it twice does no harm. */
const lookUp = tool({
  name: 'look_up',
  description: 'Says what is in stock.',
  input: anything,
  retrySafe: true,
  execute: () => 'All sizes are in stock.',
})

/** Running it twice costs a shirt. */
const order = tool({
  name: 'order',
  description: 'Orders a shirt.',
  input: anything,
  execute: (input) => ({ ordered: input }),
})

/** More than a little is a person's to decide. */
const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  approval: (input) => (input as { amount: number }).amount > 100,
  execute: (input) => ({ paid: input }),
})

const ship = tool({
  name: 'ship',
  description: 'Ships what was ordered.',
  input: anything,
  approval: true,
  execute: () => 'Shipped.',
})

const size = { tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }
const colour = { tool: 'question', input: { question: 'Which colour?' } }
const many = { tool: 'question', input: { question: 'How many?', shape: { type: 'integer', minimum: 1 } } }

export const oneQuestion: Scenario = {
  name: 'one question between two model calls',
  turns: [{ text: 'Let me ask.', calls: [size] }, { text: 'Ordered.' }],
  options: () => ({ questions: true }),
  async act(person) {
    const run = await person.start('I need a shirt.')
    await person.answerBadly(run, 'XL')
    await person.answerAll(run, { 'Which size?': { data: 'M' } })
  },
  ends: { status: 'done', text: 'Ordered.' },
  comesThrough: ['createRun', 'parkRun', 'settleAsk', 'finishRun'],
}

export const twoQuestions: Scenario = {
  name: 'two questions and tools, then tools alone',
  turns: [
    { calls: [size, { tool: 'look_up', input: {} }, colour, { tool: 'order', input: { size: '?' } }] },
    {
      calls: [
        { tool: 'order', input: { size: 'M' } },
        { tool: 'look_up', input: {} },
        { tool: 'order', input: { size: 'L' } },
      ],
    },
    { text: 'Ordered two.' },
  ],
  options: () => ({ questions: true, tools: [lookUp, order] }),
  async act(person) {
    const run = await person.start('I need two shirts.')
    await person.answerAtOnce(run, { 'Which size?': { data: 'M' }, 'Which colour?': { reason: 'I do not care.' } })
    await person.rest(run)
  },
  ends: { status: 'done', text: 'Ordered two.' },
  comesThrough: ['append', 'parkRun', 'settleAsk', 'finishRun'],
}

const messages: Scenario = {
  name: 'a message instead of an answer, and one more after the end',
  turns: [
    { text: 'Let me ask.', calls: [size, { tool: 'look_up', input: {} }] },
    { text: 'Two, then.', calls: [many] },
    { calls: [{ tool: 'order', input: { many: 2 } }] },
    { text: 'Ordered.' },
    { text: 'You are welcome.' },
  ],
  options: () => ({ questions: true, tools: [lookUp, order] }),
  async act(person) {
    const run = await person.start('I need a shirt.')
    await person.rest(run)
    await person.say(run, 'Wait, make it more than one.')
    await person.answerAll(run, { 'How many?': { data: 2 } })
    await person.say(run, 'Thanks.')
    await person.rest(run)
  },
  ends: { status: 'done', text: 'You are welcome.' },
  comesThrough: ['parkRun', 'addMessage', 'settleAsk', 'finishRun'],
}

const stopped: Scenario = {
  name: 'a stop, and a new round after it',
  turns: [
    { calls: [{ tool: 'order', input: { size: 'S' } }] },
    { text: 'One more thing.', calls: [size, { tool: 'order', input: { size: 'M' } }, colour] },
    { text: 'Started over.' },
  ],
  options: () => ({ questions: true, tools: [order] }),
  async act(person) {
    const run = await person.start('I need shirts.')
    await person.rest(run)
    await person.stop(run)
    await person.say(run, 'Start over.')
    await person.rest(run)
  },
  ends: { status: 'done', text: 'Started over.' },
  comesThrough: ['append', 'parkRun', 'stopRun', 'addMessage'],
}

const hourMs = 3_600_000

const expired: Scenario = {
  name: 'a question that nobody answers in time',
  turns: [
    { calls: [size, colour] },
    { calls: [{ tool: 'order', input: {} }] },
    { text: 'Ordered what you had before.' },
  ],
  options: () => ({ questions: true, tools: [order], limits: { ask: '1h' }, onExpire: 'tell' }),
  async act(person) {
    const run = await person.start('I need a shirt.')
    await person.rest(run)
    await person.letTimePass(run, hourMs + 1)
    await person.rest(run)
  },
  awayMs: 2 * hourMs,
  ends: { status: 'done', text: 'Ordered what you had before.' },
  comesThrough: ['parkRun', 'expireAsks', 'claimRun', 'finishRun'],
}

const asMessages: Scenario = {
  name: 'answers delivered as a message',
  turns: [{ calls: [size, { tool: 'look_up', input: {} }, colour] }, { text: 'Ordered.' }],
  options: () => ({ questions: { deliver: 'message' }, tools: [lookUp] }),
  async act(person) {
    const run = await person.start('I need a shirt.')
    await person.answerAll(run, { 'Which size?': { data: 'M' }, 'Which colour?': { data: 'red' } })
  },
  ends: { status: 'done', text: 'Ordered.' },
  comesThrough: ['append', 'parkRun', 'settleAsk', 'finishRun'],
}

const approvals: Scenario = {
  name: 'calls that a person must approve',
  turns: [
    {
      calls: [
        { tool: 'pay', input: { amount: 5 } },
        { tool: 'look_up', input: {} },
        { tool: 'pay', input: { amount: 500 } },
        { tool: 'order', input: {} },
        { tool: 'ship', input: { to: 'Ann' } },
      ],
    },
    { text: 'Paid and shipped.' },
  ],
  options: () => ({ tools: [lookUp, order, pay, ship] }),
  async act(person) {
    const run = await person.start('I need a shirt.')
    await person.answerAll(run, { pay: {}, ship: { reason: 'I fetch it.' } })
  },
  ends: { status: 'done', text: 'Paid and shipped.' },
  comesThrough: ['append', 'parkRun', 'settleAsk', 'finishRun'],
}

export const askedByTool: Scenario = {
  name: 'a tool that asks on its way, and keeps what it did once',
  turns: [{ calls: [{ tool: 'book', input: {} }] }, { text: 'Booked.' }],
  options: (touch) => ({ tools: [bookWith(touch)], questions: true }),
  async act(person) {
    const run = await person.start('Book me a seat.')
    await person.answerAll(run, { 'Which seat?': { data: 'window' }, 'Which meal?': { reason: 'None.' } })
  },
  ends: { status: 'done', text: 'Booked.' },
  comesThrough: ['append', 'parkRun', 'settleAsk', 'finishRun'],
}

/** Runs from the top after each answer; what it did before is kept. */
function bookWith(touch: Touch) {
  return tool({
    name: 'book',
    description: 'Books a seat.',
    input: anything,
    replays: true,
    async execute(_, ctx) {
      const did = async (name: string) => {
        const value = await ctx.once(name, () => touch(ctx.effect, name))
        touch(ctx.effect, `kept ${name}`)
        return value
      }
      const held = await did('hold')
      const seat = await ctx.ask({ key: 'seat', question: 'Which seat?', choices: ['window', 'aisle'] })
      const taken = await did('take')
      const meal = await ctx.ask({ key: 'meal', question: 'Which meal?' })
      return { held, seat, taken, meal }
    },
  })
}

const delegated: Scenario = {
  name: 'a task for another agent, whose call a person must approve',
  turns: [{ calls: [{ tool: 'helper', input: { task: 'Pay 500.' } }] }, { text: 'It is paid.' }],
  options: (_, helper) => ({ tools: helper ? [delegate(helper)] : [] }),
  helper: {
    turns: [
      {
        calls: [
          { tool: 'look_up', input: {} },
          { tool: 'pay', input: { amount: 500 } },
        ],
      },
      { calls: [{ tool: 'pay', input: { amount: 5 } }] },
      { text: 'Paid, with the fee.' },
    ],
    options: () => ({ tools: [lookUp, pay] }),
  },
  async act(person) {
    const run = await person.start('Pay what I owe.')
    await person.answerAll(run, { pay: {} })
  },
  ends: { status: 'done', text: 'It is paid.' },
  comesThrough: ['createRun', 'claimRun', 'parkRun', 'settleAsk', 'finishRun'],
}

/** What a run of each kind is: chosen so that together they come through every transition that a run can. */
export const scenarios: Scenario[] = [
  oneQuestion,
  twoQuestions,
  messages,
  stopped,
  expired,
  asMessages,
  approvals,
  askedByTool,
  delegated,
]
