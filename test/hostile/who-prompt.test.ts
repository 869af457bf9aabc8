import { agent, delegate, tool } from 'querent'
import { tokenSessions } from 'querent/server'
import { scriptedModel } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, world } from '../engine/world.ts'
import { serve } from '../server/served.ts'

/*
 * A model that could answer what it asked would need nobody. So nothing by which an answer is given may reach it: not the
 * ids of asks and runs, not what names an answer, not the place of an ask, not what says who somebody is.
 */

const token = 'a-token-that-nobody-guesses'
const secret = 'a secret of at least thirty-two characters'

test('G10 nothing that answers an ask is part of a prompt, of the tool list, or of a tool’s input', async () => {
  const { open } = world()
  const inputs: unknown[] = []
  const look = { type: 'object' } as const
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: look,
    approval: { editable: true },
    execute(input) {
      inputs.push(input)
      return 'paid'
    },
  })
  const check = tool({
    name: 'check',
    description: 'Asks inside.',
    input: look,
    replays: true,
    async execute(input, ctx) {
      inputs.push(input)
      return ctx.ask({ key: 'sure', question: 'Are you sure?' })
    },
  })
  const below = scriptedModel([{ calls: [{ tool: 'pay', input: { to: 'child' } }] }, { text: 'Paid below.' }])
  const clerk = agent('clerk', { description: 'Pays things.', model: below, tools: [pay] })
  const model = scriptedModel([
    { calls: [ask({ question: 'Size?', choices: ['S', 'M'] }), { tool: 'pay', input: { to: 'ann' } }] },
    {
      calls: [
        { tool: 'check', input: { what: 'all' } },
        { tool: 'clerk', input: { task: 'pay' } },
      ],
    },
    { calls: [ask('Colour?')] },
    { calls: [ask('Is it late?')] },
    { text: 'Done.' },
    { text: 'Said.' },
  ])
  const boss = agent('boss', { questions: true, model, tools: [pay, check, delegate(clerk)] })
  const engine = await open([boss, clerk])
  const sessions = tokenSessions({ token, person: { id: 'ann' } })
  const served = await serve(engine, { identify: sessions, sessions, secret })
  const { headers } = await served.ask('/api/sign-in', { body: { token }, headers: { origin: served.url } })
  const cookie = String(headers.get('set-cookie')).split(';')[0] as string
  const answers = new Set<string>([token, secret, cookie, cookie.split('=')[1] as string])
  const post = async (path: string, body: Record<string, unknown>) => {
    const { status } = await served.ask(path, { body, headers: { cookie, origin: served.url } })
    expect([200, 201, 202], path).toContain(status)
  }
  await post('/api/agents/boss/runs', { input: 'a shirt', key: 'key-of-the-start' })
  const [started] = (await engine.as({ id: 'ann' }).runs.list()).items
  const run = String(started?.run)
  answers.add(run).add('key-of-the-start')
  for (let settled = 0; settled < 6; settled++) {
    const { asks } = await engine.runs.atRest(run)
    const [open] = asks
    for (const { id, step } of asks) answers.add(id).add(step)
    const answerId = `answer-number-${settled}`
    answers.add(answerId)
    if (!open) throw new Error('Nothing is asked.')
    const place = settled % 2 === 0 ? { ask: open.id } : { step: open.step, repeat: open.repeat, n: open.n }
    const isLast = settled === 5
    const data = open.kind === 'approval' ? {} : { data: open.options ? 'M' : 'yes' }
    if (isLast) await post(`/api/runs/${run}/refuse`, { ...place, reason: 'no', answerId })
    else await post(`/api/runs/${run}/approve`, { ...place, ...data, answerId })
  }
  await engine.runs.atRest(run)
  await post(`/api/runs/${run}/say`, { text: 'and now?', key: 'key-of-a-message' })
  expect((await engine.runs.atRest(run)).text).toBe('Said.')
  answers.add('key-of-a-message')
  const heard = JSON.stringify([model.prompts, below.prompts, inputs])
  // The two models heard of all of it: that nothing stands there is not because nothing does.
  expect(inputs.length).toBeGreaterThanOrEqual(4)
  for (const part of ['Size?', 'Paid below.', 'yes', 'and now?']) expect(heard).toContain(part)
  expect(answers.size).toBeGreaterThanOrEqual(4 + 2 + 6 + 6 + 6 + 1)
  expect([...answers].filter((each) => heard.includes(each))).toEqual([])
})
