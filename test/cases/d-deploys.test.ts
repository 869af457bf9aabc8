import { expect, test } from 'vitest'
import { Workplace } from '../cli/workplace.ts'
import { ask, asker, helperOf, resultsIn, world } from '../engine/world.ts'

interface Deploy {
  tools?: ('send_mail' | 'other')[]
  needs?: string[]
  agent?: string
}

/** A config as a deploy has it: an agent that mails with leave, and what stands in its file today. */
function configOf({ tools = ['send_mail'], needs = ['to'], agent = 'mailer' }: Deploy): string {
  return `
import { agent, defineConfig, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'
const all = {
  send_mail: tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    input: {
      type: 'object',
      properties: { to: { type: 'string' }, body: { type: 'string' }, subject: { type: 'string' } },
      required: ${JSON.stringify(needs)},
    },
    approval: true,
    execute: ({ to }) => 'sent to ' + to,
  }),
  other: tool({ name: 'other', description: 'Does something else.', input: { type: 'object' }, execute: () => 1 }),
}
const model = scriptedModel([
  { calls: [{ tool: 'send_mail', input: { to: 'bob', body: 'Hello.' } }] },
  ({ messages }) => ({ text: 'Heard ' + JSON.stringify(messages.at(-1).content[0].output.value) }),
])
export default defineConfig({
  agents: [agent(${JSON.stringify(agent)}, { model, tools: ${JSON.stringify(tools)}.map((name) => all[name]) })],
  store: sqlite('querent.db'),
})
`
}

async function parked() {
  const place = new Workplace()
  place.install('querent')
  place.write('querent.config.mjs', configOf({}))
  const { code, stdout } = await place.querent(['run', 'mailer', 'mail bob'])
  expect(code).toBe(75)
  return { place, run: /run_[0-9a-z]+/.exec(stdout)?.[0] ?? '' }
}

const deploys: [string, Deploy, RegExp | undefined, string][] = [
  ['other tools added', { tools: ['other', 'send_mail'] }, undefined, 'sent to bob'],
  ['the tool gone', { tools: ['other'] }, /no tool "send_mail" any more/, 'There is no tool'],
  ['its input needs more', { needs: ['to', 'subject'] }, /subject/, 'subject'],
]

test.each(deploys)(
  'C17: %s: querent doctor says so before, the model hears it after',
  async (_, deploy, found, heard) => {
    const { place, run } = await parked()
    place.write('querent.config.mjs', configOf(deploy))
    const doctor = await place.querent(['doctor'])
    expect(doctor).toMatchObject({ code: found ? 1 : 0, stderr: '' })
    if (found) {
      expect(doctor.stdout).toContain(run)
      expect(doctor.stdout).toMatch(found)
    }
    const answered = await place.querent(['answer', run, '--approve'])
    expect(answered.code).toBe(0)
    expect(answered.stdout).toContain(`Heard "`)
    expect(answered.stdout).toContain(heard)
  },
)

test('C17: the agent renamed: doctor names it, the run stays parked and answerable, and goes on after a rollback', async () => {
  const { place, run } = await parked()
  place.write('querent.config.mjs', configOf({ agent: 'postman' }))
  const doctor = await place.querent(['doctor'])
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toContain('There is no agent "mailer" here.')
  const asks = await place.querent(['asks', '--json'])
  expect(JSON.parse(asks.stdout)).toMatchObject({ items: [{ run, step: 'tool 1.1' }] })
  place.write('querent.config.mjs', configOf({}))
  expect((await place.querent(['doctor'])).code).toBe(0)
  const answered = await place.querent(['answer', run, '--approve'])
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('sent to bob') })
})

test('C17: other choices in the code: the answer is checked against the question that was asked', async () => {
  const { open, close } = world()
  const asking = (choices: string[]) => asker([{ calls: [ask({ question: 'Size?', choices })] }, { text: 'Thanks.' }])
  const before = await open(asking(['S', 'M']).agents)
  const { run } = await helperOf(before, 'asker').start('go')
  const [asked] = (await helperOf(before, 'asker').atRest(run)).asks
  await close(before)
  const { agents, model } = asking(['Red', 'Green'])
  const ann = helperOf(await open(agents), 'asker')
  expect((await ann.run(run)).asks).toEqual([asked])
  await expect(ann.approve({ run, step: 'question 1.1', data: 'Red' })).rejects.toMatchObject({ code: 'T0002' })
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await ann.atRest(run)).status).toBe('done')
  expect(resultsIn(model.prompts[0])).toMatchObject([{ value: 'M' }])
})
