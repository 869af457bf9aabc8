import { tool } from 'querent'
import { wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, resultsIn, world } from '../engine/world.ts'

const nothing = { type: 'object', properties: {} }

test('C02: a call and its result stand exactly once in every later prompt, over a park, a process and a message', async () => {
  const { open, close } = world()
  let scripts = 0
  const script = () =>
    tool({ name: 'run_script', description: 'runs', input: nothing, execute: () => `ran ${++scripts}` })
  const play = () =>
    asker(
      [
        { calls: [{ tool: 'run_script', input: {} }] },
        { calls: [ask('Which branch?')] },
        { text: 'On it.' },
        { calls: [{ tool: 'run_script', input: {} }] },
        { text: 'Done again.' },
      ],
      { tools: [script()] },
    )
  const before = play()
  const first = await open(before.agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await helperOf(first, 'asker').atRest(run)
  await close(first)

  const after = play()
  const second = await open(after.agents)
  const ann = helperOf(second, 'asker')
  await ann.approve({ run, step: 'question 2.1', data: 'main' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'On it.' })
  await ann.say({ run, text: 'and once more' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Done again.', repeat: 2 })

  const prompts = [...before.model.prompts, ...after.model.prompts]
  expect(prompts).toHaveLength(5)
  for (const [index, prompt] of prompts.entries()) {
    expect(wellFormed(prompt.messages)).toEqual([])
    const text = JSON.stringify(prompt.messages)
    const count = (what: string) => text.split(what).length - 1
    expect(count('"ran 1"')).toBe(index > 0 ? 1 : 0)
    expect(count('"value":"main"')).toBe(index > 1 ? 1 : 0)
    expect(count('"type":"tool-call"')).toBe([0, 1, 2, 2, 3][index])
    expect(count('"type":"tool-result"')).toBe([0, 1, 2, 2, 3][index])
  }
  expect(scripts).toBe(2)
})

test('C03: after a long park come the calls, then at once both results, and only then anything else', async () => {
  const { open, clock } = world()
  const search = tool({ name: 'search', description: 'reads', input: nothing, retrySafe: true, execute: () => 'found' })
  const { model, agents } = asker(
    [
      { text: 'Let me see.', calls: [ask({ question: 'Which?', choices: ['a', 'b'] }), { tool: 'search', input: {} }] },
      { text: 'Thanks.' },
      { text: 'Sure.' },
    ],
    { tools: [search], guards: { in: [() => true] } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('find it')
  await ann.atRest(run)
  clock.advance(9 * 3_600_000)
  await ann.approve({ run, step: 'question 1.1', data: 'b' })
  await ann.atRest(run)
  await ann.say({ run, text: 'thanks' })
  await ann.atRest(run)

  expect(model.prompts[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(resultsIn(model.prompts[1])).toEqual([
    { type: 'text', value: 'b' },
    { type: 'text', value: 'found' },
  ])
  expect(model.prompts[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  for (const { messages } of model.prompts) expect(wellFormed(messages)).toEqual([])
})
