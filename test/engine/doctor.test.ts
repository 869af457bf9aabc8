import { type AgentRecord, agent, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { expect, test } from 'vitest'
import { helperOf, world } from './world.ts'

const input = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }

function mailer(options: { needs?: string[]; name?: string; withTool?: boolean; text?: string } = {}): {
  sent: unknown[]
  model: ReturnType<typeof scriptedModel>
  agents: AgentRecord[]
} {
  const sent: unknown[] = []
  const sendMail = tool({
    name: 'send_mail',
    description: options.text ?? 'Sends.',
    input: {
      ...input,
      properties: { ...input.properties, subject: { type: 'string' } },
      required: options.needs ?? ['to'],
    },
    approval: true,
    execute(given) {
      sent.push(given)
      return 'sent'
    },
  })
  const other = tool({
    name: 'other',
    description: 'Does something else.',
    input: { type: 'object' },
    execute: () => null,
  })
  const model = scriptedModel([{ calls: [{ tool: 'send_mail', input: { to: 'bob' } }] }, { text: 'Done.' }])
  return {
    sent,
    model,
    agents: [
      agent(options.name ?? 'mailer', { model, tools: options.withTool === false ? [other] : [sendMail, other] }),
    ],
  }
}

async function parked() {
  const place = world()
  const engine = await place.open(mailer().agents)
  const { run } = await helperOf(engine, 'mailer').start('mail bob')
  await helperOf(engine, 'mailer').atRest(run)
  await place.close(engine)
  return { ...place, run }
}

async function deployed(place: Awaited<ReturnType<typeof parked>>, next: ReturnType<typeof mailer>) {
  const engine = await place.open(next.agents)
  const findings = await engine.doctor()
  const ann = engine.as({ id: 'ann' }).agent(next.agents[0]?.name ?? '')
  await ann.approve({ run: place.run, step: 'tool 1.1' })
  return { engine, ann, findings }
}

const told = (model: ReturnType<typeof scriptedModel>) => JSON.stringify(model.prompts.at(-1)?.messages.at(-1))

test('C17a: other tools added: it works', async () => {
  const place = await parked()
  const next = mailer()
  const { ann, findings } = await deployed(place, next)
  expect(findings).toEqual([])
  expect((await ann.atRest(place.run)).text).toBe('Done.')
  expect(next.sent).toEqual([{ to: 'bob' }])
})

test('C17b: the tool is gone: doctor says so before, the model hears it after', async () => {
  const place = await parked()
  const next = mailer({ withTool: false })
  const { ann, findings } = await deployed(place, next)
  expect(findings).toMatchObject([
    { ask: { run: place.run, step: 'tool 1.1' }, problem: expect.stringContaining('no tool "send_mail"') },
  ])
  await ann.atRest(place.run)
  expect(next.sent).toEqual([])
  expect(told(next.model)).toContain('There is no tool')
})

test('C17c: its input now needs more: not run, the model hears why', async () => {
  const place = await parked()
  const next = mailer({ needs: ['to', 'subject'] })
  const { ann, findings } = await deployed(place, next)
  expect(findings).toMatchObject([{ problem: expect.stringContaining('subject') }])
  await ann.atRest(place.run)
  expect(next.sent).toEqual([])
  expect(told(next.model)).toContain('subject')
})

test('C17d: the agent renamed: parked and answerable, doctor names it, an alias or a rollback goes on', async () => {
  const place = await parked()
  const renamed = await place.open(mailer({ name: 'postman' }).agents)
  expect(await renamed.doctor()).toMatchObject([{ problem: expect.stringContaining('no agent "mailer"') }])
  const page = await place.open([], { idle: true })
  await helperOf(page, 'mailer').approve({ run: place.run, step: 'tool 1.1' })
  expect((await helperOf(page, 'mailer').run(place.run)).status).toBe('ready')
  await place.armed(2_000)
  place.clock.advance(2_000)
  await place.said('runs of agent "mailer" are ready, and this process has no such agent')
  expect(place.logged).toMatchObject([{ level: 'error', data: { agent: 'mailer', code: 'T1005' } }])
  await place.close(renamed)
  const back = mailer()
  const engine = await place.open(back.agents)
  expect((await helperOf(engine, 'mailer').atRest(place.run)).text).toBe('Done.')
  expect(back.sent).toEqual([{ to: 'bob' }])
})

test('C17e: other choices in the code: the answer is checked against the question that was asked', async () => {
  const { open, close } = world()
  const asks = (choices: string[]) => {
    const model = scriptedModel([
      { calls: [{ tool: 'question', input: { question: 'Size?', choices } }] },
      { text: 'Done.' },
    ])
    return [agent('asker', { model, questions: true })]
  }
  const one = await open(asks(['S', 'M']))
  const { run } = await helperOf(one, 'asker').start('a shirt')
  await helperOf(one, 'asker').atRest(run)
  await close(one)
  const ann = helperOf(await open(asks(['red', 'blue'])), 'asker')
  await expect(ann.approve({ run, step: 'question 1.1', data: 'red' })).rejects.toMatchObject({ code: 'T0002' })
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await ann.atRest(run)).text).toBe('Done.')
})
