import { type AgentOptions, code, type OnExpire, type RunEvent, tool } from 'querent'
import { expect, test } from 'vitest'
import { asker, ended, helperOf, refusal, resultsIn, world } from '../engine/world.ts'

const hourMs = 3_600_000
const anything = { type: 'object' } as const
const refused = 'The person refused this.'
const nobody = 'Nobody answered in time. This is not a refusal.'

/** One tool that needs leave, or asks by itself; it notes what it did. */
function play(kind: 'approval' | 'ctx.ask', options: AgentOptions, done: unknown[] = []) {
  const work = tool({
    name: 'work',
    description: 'works',
    input: anything,
    ...(kind === 'approval' ? { approval: true } : { replays: true }),
    async execute(_, ctx) {
      const heard = kind === 'approval' ? 'worked' : await ctx.ask({ key: 'k', question: 'May I?', choices: ['yes'] })
      done.push(heard)
      return heard
    },
  })
  return asker([{ calls: [{ tool: 'work', input: {} }] }, { text: 'Ok.' }], { tools: [work], ...options })
}

/** What an approval is told, and what `ctx.ask` gives. None: the run fails. */
const rules: [OnExpire, string | undefined, object | undefined][] = [
  ['refuse', refused, { status: 'expired' }],
  ['tell', nobody, { status: 'expired' }],
  // Nobody's leave is given by a default, and a tool knows best what follows when nobody answered.
  [{ answer: 'yes' }, refused, { status: 'expired' }],
  ['fail', undefined, undefined],
]

const settledIn = (log: RunEvent[]) => log.flatMap((event) => (event.type === 'ask.settled' ? [event.data] : []))

test.each(rules)(
  'C34: an approval under onExpire %j: the tool does not run, the log says who ended it',
  async (onExpire, told) => {
    const { open, clock, armed } = world()
    const done: unknown[] = []
    const { model, agents } = play('approval', { limits: { ask: '1h' }, onExpire }, done)
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    await ann.atRest(run)
    await armed(hourMs + 1)
    clock.advance(hourMs + 1)
    expect(await refusal(ann.approve({ run, step: 'tool 1.1' }))).toMatchObject({ code: code.T0005 })
    const over = await ended(ann, run)
    expect(done).toEqual([])
    expect(settledIn(await engine.runs.log(run))).toMatchObject([{ outcome: 'expired', by: { type: 'clock' } }])
    if (told === undefined) expect(over).toMatchObject({ status: 'failed', error: { code: code.T2004 } })
    else expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: told }])
  },
)

test.each(rules)(
  'C34: an ask inside a tool under onExpire %j: the tool is told, the log says who ended it',
  async (onExpire, _, heard) => {
    const { open, clock, armed } = world()
    const done: unknown[] = []
    const { model, agents } = play('ctx.ask', { limits: { ask: '1h' }, onExpire }, done)
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).asks).toMatchObject([{ until: '2026-01-01T01:00:00.000Z' }])
    await armed(hourMs + 1)
    clock.advance(hourMs + 1)
    const over = await ended(ann, run)
    expect(settledIn(await engine.runs.log(run))).toMatchObject([{ outcome: 'expired', by: { type: 'clock' } }])
    expect(done).toEqual(heard === undefined ? [] : [heard])
    if (heard === undefined) expect(over).toMatchObject({ status: 'failed', error: { code: code.T2004 } })
    else expect(resultsIn(model.prompts[1])).toEqual([{ type: 'json', value: heard }])
  },
)

test.each(['approval', 'ctx.ask'] as const)(
  'C34: without a limit an ask of kind %s waits for ten years',
  async (kind) => {
    const { open, close, clock } = world()
    const first = await open(play(kind, {}).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    const { asks } = await helperOf(first, 'asker').atRest(run)
    expect(asks[0]).not.toHaveProperty('until')
    await close(first)
    clock.advance(10 * 365 * 24 * hourMs)
    const done: unknown[] = []
    const ann = helperOf(await open(play(kind, {}, done).agents), 'asker')
    expect((await ann.run(run)).asks).toEqual(asks)
    await ann.approve(kind === 'approval' ? { run, step: 'tool 1.1' } : { run, step: 'tool 1.1', data: 'yes' })
    expect((await ann.atRest(run)).status).toBe('done')
    expect(done).toHaveLength(1)
  },
)

const deploys: ['approval' | 'ctx.ask', OnExpire, OnExpire, unknown][] = [
  ['approval', 'tell', 'fail', nobody],
  ['approval', 'fail', 'tell', undefined],
  ['ctx.ask', 'tell', 'fail', { status: 'expired' }],
  ['ctx.ask', 'fail', 'refuse', undefined],
]

test.each(deploys)(
  'C34: %s asked under %j, deployed with %j before the deadline: the old rule holds',
  async (kind, old, now, told) => {
    const { open, close, clock } = world()
    const first = await open(play(kind, { limits: { ask: '1h' }, onExpire: old }).agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const { model, agents } = play(kind, { limits: { ask: '30d' }, onExpire: now })
    const second = await open(agents, { idle: true })
    clock.advance(hourMs + 1)
    await second.start()
    const over = await ended(helperOf(second, 'asker'), run)
    if (told === undefined) expect(over).toMatchObject({ status: 'failed', error: { code: code.T2004 } })
    else expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual([told])
  },
)
