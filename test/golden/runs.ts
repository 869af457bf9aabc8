import {
  type AgentRecord,
  agent,
  createEngine,
  delegate,
  type Engine,
  type Helper,
  type RunEvent,
  type ToolContext,
  tool,
} from 'querent'
import { type Driver, park } from 'querent/extension'
import { sqlite } from 'querent/sqlite'
import { type FakeClock, fakeClock, type ScriptedTurn, scriptedModel } from 'querent/testing'

/*
 * The runs whose logs are kept: together they have every type of event, each kind of ask and each end of a run. What is
 * added here goes into the logs of the next version; those of a released one stay as they are.
 */

/** What a test acts with, and what ends up in the log. */
interface Stage {
  engine: Engine
  clock: FakeClock
  person: Helper
  run: string
}

export interface GoldenRun {
  name: string
  agents(): AgentRecord[]
  /** Plays the people. The log is what it is when this returns. */
  play(stage: Stage): Promise<void>
  /** Which run's log is meant, where it is not the first. */
  logOf?(stage: Stage): Promise<string>
}

const choices = ['S', 'M', 'L']
const anything = { type: 'object' } as const

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: anything,
  retrySafe: true,
  execute: () => ({ found: 3 }),
})
const write = tool({ name: 'write', description: 'Writes.', input: anything, execute: () => 'written' })
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
  approval: { editable: true, when: (input) => (input as { amount: number }).amount > 1 },
  execute: (input) => `paid ${(input as { amount: number }).amount}`,
})

function asker(turns: ScriptedTurn[], options: Partial<Parameters<typeof agent>[1]> = {}): AgentRecord {
  return agent('asker', {
    model: scriptedModel(turns),
    instructions: 'Ask what you need to know.',
    questions: true,
    tools: [read, write, pay],
    ...options,
  }) as AgentRecord
}

const question = (asked: string, more: object = {}) => ({ tool: 'question', input: { question: asked, ...more } })

/** Lets what runs go on until the run has written this, counted from its first event. */
async function until({ person, run }: Stage, isThere: (log: RunEvent[]) => boolean, engine: Engine): Promise<void> {
  for await (const _ of person.watch(run)) if (isThere(await engine.runs.log(run))) return
}

const settledOnes = (log: RunEvent[]) => log.filter((event) => event.type === 'ask.settled').length

const answered: GoldenRun = {
  name: 'question-answered',
  agents: () => [asker([{ text: 'Let me ask.', calls: [question('Which size?', { choices })] }, { text: 'Ordered.' }])],
  async play({ person, run }) {
    await person.approve({ run, step: 'question 1.1', data: 'M' })
    await person.atRest(run)
  },
}

const beside: GoldenRun = {
  name: 'calls-beside-a-question',
  agents: () => {
    const providerOptions = { x: { signature: 'S', thoughtSignature: 'T' } }
    const content = [
      { type: 'reasoning', text: 'I must ask.', providerOptions, unknown: [1, null] },
      { type: 'tool-call', toolCallId: '0', toolName: 'write', input: { b: 1, a: 2 }, providerOptions },
      { type: 'tool-call', toolCallId: '0', toolName: 'read', input: {} },
      {
        type: 'tool-call',
        toolCallId: '',
        toolName: 'question',
        input: { question: 'Keep it?', shape: { type: 'boolean' } },
      },
      { type: 'tool-call', toolCallId: 'x', toolName: 'question', input: { question: '' } },
    ]
    return [asker([{ content }, { calls: [{ tool: 'nothing', input: {} }], usage: null }, { text: 'Kept.' }])]
  },
  async play({ person, run }) {
    await person.refuse({ run, step: 'question 1.3', reason: 'not now' })
    await person.atRest(run)
  },
}

const approvals: GoldenRun = {
  name: 'approvals',
  agents: () => [
    asker([
      { calls: [10, 20, 30, 1].map((amount) => ({ tool: 'pay', input: { amount } })) },
      { calls: [{ tool: 'pay', input: { amount: 20 } }] },
      { text: 'Paid what could be paid.' },
    ]),
  ],
  async play({ person, run }) {
    await person.approve({ run, step: 'tool 1.3' })
    await person.refuse({ run, step: 'tool 1.2', reason: 'too much' })
    await person.approve({ run, step: 'tool 1.1', data: { input: { amount: 5 } } })
    await person.atRest(run)
  },
}

const form = tool({
  name: 'form',
  description: 'Asks.',
  input: anything,
  replays: true,
  async execute(_, ctx) {
    const number = await ctx.once('number', () => 7)
    const [name, size] = await Promise.all([
      ctx.ask({ key: 'name', question: 'Your name?' }),
      ctx.ask({ key: 'size', question: 'Which size?', choices }),
    ])
    const sure = await ctx.ask({ key: 'sure', question: 'Sure?', choices: ['yes', 'no'] })
    return { number, name, size, sure }
  },
})

const inTool: GoldenRun = {
  name: 'asks-inside-a-tool',
  agents: () => [
    asker([{ calls: [{ tool: 'form', input: {} }] }, { text: 'Filled in.' }], {
      tools: [form],
      limits: { ask: '1m' },
      onExpire: 'tell',
    }),
  ],
  async play(stage) {
    const { person, run, clock, engine } = stage
    await person.approve({ run, step: 'tool 1.1', n: 2, data: 'L' })
    await person.refuse({ run, step: 'tool 1.1', n: 1 })
    await person.atRest(run)
    clock.advance(60_001)
    await until(stage, (log) => log.at(-1)?.type === 'run.finished', engine)
  },
}

const asMessage: GoldenRun = {
  name: 'answers-as-a-message',
  agents: () => [
    asker([{ calls: [question('Which size?', { choices }), question('Which colour?')] }, { text: 'Thank you.' }], {
      questions: { deliver: 'message' },
      limits: { ask: '1m' },
      onExpire: { answer: 'blue' },
    }),
  ],
  async play(stage) {
    const { person, run, clock, engine } = stage
    await person.approve({ run, step: 'question 1.1', data: 'S' })
    await person.atRest(run)
    clock.advance(60_001)
    await until(stage, (log) => log.at(-1)?.type === 'run.finished', engine)
  },
}

const rounds: GoldenRun = {
  name: 'guards-and-rounds',
  agents: () => [
    asker(
      [
        { text: 'A secret.', calls: [question('Do you know the secret?'), question('Which size?')] },
        { text: 'Another secret.' },
        { text: 'Never mind.' },
        { calls: [question('More?')] },
        { text: 'Goodbye.' },
      ],
      { guards: { out: [(text) => (text.includes('secret') ? { refuse: 'it is a secret' } : true)] } },
    ),
  ],
  async play({ person, run }) {
    await person.say({ run, text: [{ type: 'text', text: 'Just do it.' }] })
    await person.atRest(run)
    await person.say({ run, text: 'And more?' })
    await person.atRest(run)
    await person.approve({ run, step: 'question 1.1', repeat: 3, data: 'No.' })
    await person.atRest(run)
  },
}

const stopped: GoldenRun = {
  name: 'stopped-and-gone-on',
  agents: () => [asker([{ calls: [question('Which size?'), { tool: 'read', input: {} }] }, { text: 'Gone on.' }])],
  async play({ person, run }) {
    await person.stop({ run })
    await person.say({ run, text: 'Go on.' })
    await person.atRest(run)
  },
}

const failed: GoldenRun = {
  name: 'failed-for-want-of-steps',
  agents: () => [
    asker([{ calls: [{ tool: 'read', input: {} }] }, { calls: [{ tool: 'read', input: {} }] }], {
      limits: { steps: 2 },
    }),
  ],
  play: () => Promise.resolve(),
}

/** A tool that never returns, and the log as it is while it runs: as a process leaves it that dies then. */
const interrupted: GoldenRun = {
  name: 'interrupted',
  agents: () => {
    const hanging = { description: 'Hangs.', input: anything, execute: hang }
    const hangs = tool({ ...hanging, name: 'hangs' })
    const waits = tool({ ...hanging, name: 'waits', retrySafe: true })
    const calls = ['hangs', 'waits', 'write'].map((name) => ({ tool: name, input: {} }))
    return [asker([{ calls }, { text: 'never' }], { tools: [hangs, waits, write] })]
  },
  play: (stage) => until(stage, (log) => log.filter(({ type }) => type === 'tool.started').length === 2, stage.engine),
}

function hang(_: unknown, { signal }: ToolContext): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

const driver: Driver = {
  name: 'clerk',
  async drive(session) {
    const plan = await session.keep('plan', () => `for ${String(session.input()[0])}`)
    const asked = session.ask(
      park({
        kind: 'question',
        tool: 'question',
        input: { question: `Who? ${plan}` },
        answerSchema: { type: 'string' },
        rule: { onExpire: 'refuse', guarded: false },
      }),
    )
    const [who, paid] = await Promise.all([asked, session.tool({ tool: 'pay', input: { amount: 3 } })])
    if (who.status === 'parked' || 'status' in paid) return
    await session.finish({ who: who.end.data ?? null, paid })
  },
}

const ownDriver: GoldenRun = {
  name: 'own-driver',
  agents: () => [asker([], { driver })],
  async play(stage) {
    const { person, run, engine } = stage
    await person.approve({ run, step: 'question 1.1', data: 'Bob' })
    await until(stage, (log) => settledOnes(log) === 1, engine)
    await person.atRest(run)
    await person.approve({ run, step: 'tool 1.2' })
    await person.atRest(run)
  },
}

function withClerk(): AgentRecord[] {
  const turns = [{ calls: [{ tool: 'pay', input: { amount: 9 } }] }, { text: 'The clerk paid.' }]
  const clerk = agent('clerk', { model: scriptedModel(turns), tools: [pay] }) as AgentRecord
  return [
    asker([{ calls: [{ tool: 'clerk', input: { task: 'Pay 9.' } }] }, { text: 'Done.' }], { tools: [delegate(clerk)] }),
    clerk,
  ]
}

async function approveInChild({ person, run }: Stage): Promise<void> {
  const [ask] = (await person.run(run)).asks
  if (!ask) throw new Error('The child asks nothing.')
  await person.approve(ask)
  await person.atRest(run)
}

const parent: GoldenRun = { name: 'delegation-parent', agents: withClerk, play: approveInChild }
const child: GoldenRun = {
  name: 'delegation-child',
  agents: withClerk,
  play: approveInChild,
  async logOf({ engine, run }) {
    const started = (await engine.runs.log(run)).flatMap((event) => (event.type === 'tool.started' ? [event.data] : []))
    return started.find((data) => data.child !== undefined)?.child ?? ''
  },
}

export const goldenRuns: GoldenRun[] = [
  ...[answered, beside, approvals, inTool, asMessage, rounds, stopped, failed, interrupted, ownDriver, parent, child],
]

/** Plays a run through the real engine on a database of its own: always the same ids, and a clock that stands still. */
export async function logOf(golden: GoldenRun, path: string): Promise<RunEvent[]> {
  const clock = fakeClock()
  let ids = 0
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const options = { agents: golden.agents(), clock, logger, ids: (prefix: string) => `${prefix}_${++ids}` }
  const engine = createEngine({ ...options, store: sqlite(path, { clock }) })
  await engine.start()
  const person = engine.as({ id: 'ann' }).agent('asker')
  const { run } = await person.start('I need a T-shirt')
  const stage: Stage = { engine, clock, person, run }
  if (golden !== interrupted) await person.atRest(run)
  await golden.play(stage)
  const log = await engine.runs.log((await golden.logOf?.(stage)) ?? run)
  await person.stop({ run })
  await engine.close()
  return log
}
