import { agent, delegate, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, world } from './world.ts'

const usage = { inputTokens: 1, outputTokens: 10 }

/** A boss whose clerk has a helper that may mail only with leave. */
function office() {
  const sent: unknown[] = []
  const mail = tool({
    name: 'send_mail',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    approval: { editable: true },
    execute(input) {
      sent.push(input)
      return 'sent'
    },
  })
  const models = {
    runner: scriptedModel([
      { calls: [{ tool: 'send_mail', input: { to: 'bob' } }], usage },
      { text: 'mailed', usage },
    ]),
    clerk: scriptedModel([
      { calls: [{ tool: 'runner', input: { task: 'mail bob' } }], usage },
      { text: 'clerk done', usage },
    ]),
    boss: scriptedModel([
      { calls: [{ tool: 'clerk', input: { task: 'tell bob' } }], usage },
      { text: 'all done', usage },
    ]),
  }
  const runner = agent('runner', { model: models.runner, tools: [mail], questions: true })
  const clerk = agent('clerk', { model: models.clerk, tools: [delegate(runner)] })
  const boss = agent('boss', { model: models.boss, tools: [delegate(clerk)] })
  return { sent, models, agents: [runner, clerk, boss] }
}

describe('delegation', () => {
  test('C18: a grandchild’s approval is asked on the root; all three end after the answer', async () => {
    const { open, close } = world()
    const first = office()
    const one = await open(first.agents)
    const { run } = await helperOf(one, 'boss').start('tell bob')
    const parked = await helperOf(one, 'boss').atRest(run)
    expect(parked.status).toBe('waiting')
    expect(parked.asks).toMatchObject([
      { kind: 'approval', run, agent: 'runner', path: ['boss', 'clerk', 'runner'], step: 'tool 1.1/tool 1.1/tool 1.1' },
    ])
    expect(await one.as({ id: 'ann' }).asks()).toHaveLength(1)
    expect((await one.runs.list()).items.map((each) => each.run)).toEqual([run])
    const calls = () => Object.values(first.models).map((model) => model.prompts.length)
    expect(calls()).toEqual([1, 1, 1])
    await close(one)

    const second = office()
    const ann = helperOf(await open(second.agents), 'boss')
    await ann.approve({ run, step: 'tool 1.1/tool 1.1/tool 1.1' })
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', text: 'all done' })
    expect(second.sent).toEqual([{ to: 'bob' }])
    expect(done.usage.outputTokens).toBe(60)
    for (const model of Object.values(second.models)) {
      expect(model.prompts).toHaveLength(1)
      expect(wellFormed(model.prompts[0]?.messages ?? [])).toEqual([])
    }
    // The child has no question tool: it reports to its parent.
    expect(second.models.runner.prompts[0]?.tools.map((each) => each.name)).toEqual(['send_mail'])
  })

  test('stop on the root ends every run below it, with no worker', async () => {
    const { open, close } = world()
    const one = await open(office().agents)
    const { run } = await helperOf(one, 'boss').start('tell bob')
    await helperOf(one, 'boss').atRest(run)
    await close(one)
    const page = await open([], { idle: true })
    expect(await helperOf(page, 'boss').stop({ run })).toMatchObject({ status: 'stopped' })
    // Ten by each of the three.
    expect((await helperOf(page, 'boss').run(run)).usage.outputTokens).toBe(30)
    expect(await page.as({ id: 'ann' }).asks()).toEqual([])
    const next = office()
    const ann = helperOf(await open(next.agents), 'boss')
    await ann.say({ run, text: 'never mind' })
    const view = await ann.atRest(run)
    expect(view.text).toBe('all done')
    expect(view.usage.outputTokens).toBe(40)
    expect(next.sent).toEqual([])
  })

  test('say on the root while a child asks: the child hears it, its parent too, then the message', async () => {
    const { open } = world()
    const { models, agents } = office()
    const ann = helperOf(await open(agents), 'boss')
    const { run } = await ann.start('tell bob')
    await ann.atRest(run)
    await ann.say({ run, text: 'stop that' })
    const view = await ann.atRest(run)
    expect(view.status).toBe('done')
    expect(JSON.stringify(models.runner.prompts.at(-1)?.messages)).toContain('wrote a message instead')
    expect(JSON.stringify(models.boss.prompts.at(-1)?.messages.at(-1))).toContain('stop that')
  })

  test('two children of one agent side by side, each with its own approval', async () => {
    const { open } = world()
    const { sent, models, agents } = office()
    const [runner] = agents
    const twice = scriptedModel([
      {
        calls: [
          { tool: 'runner', input: { task: 'a' } },
          { tool: 'runner', input: { task: 'b' } },
        ],
      },
      { text: 'both' },
    ])
    const lead = agent('lead', { model: twice, tools: runner ? [delegate(runner)] : [] })
    const ann = helperOf(await open([...agents, lead]), 'lead')
    const { run } = await ann.start('go')
    const { asks } = await ann.atRest(run)
    expect(asks.map((ask) => ask.step).sort()).toEqual(['tool 1.1/tool 1.1', 'tool 1.2/tool 1.1'])
    await ann.approve({ run, step: 'tool 1.2/tool 1.1', data: { input: { to: 'second' } } })
    await ann.atRest(run)
    await ann.refuse({ run, step: 'tool 1.1/tool 1.1', reason: 'no' })
    expect((await ann.atRest(run)).text).toBe('both')
    expect(sent).toEqual([{ to: 'second' }])
    expect(models.runner.prompts).toHaveLength(4)
  })
})
