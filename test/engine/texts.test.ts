import { agent, defaultTexts, type Texts, tool } from 'querent'
import { ask } from 'querent/ask'
import { type ScriptedModel, scriptedModel, type TurnSource } from 'querent/testing'
import { expect, test } from 'vitest'
import { ended, helperOf, resultsIn, world } from './world.ts'

/** Every sentence in another language: its own name. */
const texts = Object.fromEntries(
  Object.entries(defaultTexts).map(([name, text]) => [
    name,
    typeof text === 'string' ? `<${name}>` : (...words: string[]) => `<${name} ${words.join(' ')}>`,
  ]),
) as unknown as Texts

const anything = { type: 'object' } as const
const [question, act, slow] = ['question', 'act', 'slow'].map((name) => ({ tool: name, input: { question: 'Size?' } }))
const asked = { calls: [question as { tool: string; input: { question: string } }] }

function play(turns: TurnSource[], options: Partial<Parameters<typeof agent>[1]> = {}) {
  const model = scriptedModel(turns)
  const tools = [
    tool({ name: 'act', description: 'Acts.', input: anything, execute: () => 'acted', approval: { editable: true } }),
    tool({
      name: 'slow',
      description: 'Waits.',
      input: anything,
      execute: () => new Promise(() => undefined),
      timeout: 5,
    }),
  ]
  return { model, agents: [agent('asker', { questions: true, tools, ...options, model })] }
}

const said = (model: ScriptedModel) => resultsIn(model.prompts.at(-1)).map(({ value }) => value)

test('the sentences that the model is told can be replaced, for another language', async () => {
  const { open, clock, armed } = world()
  const { model, agents } = play(
    [
      asked,
      asked,
      { calls: [act, slow] as never },
      { calls: [question, act, slow] as never },
      { calls: [{ tool: 'question', input: { question: 'PIN?' } }] },
      { text: 'Ok.' },
      asked,
      { text: 'Ok.' },
    ],
    {
      limits: { ask: '1h' },
      onExpire: 'tell',
      guards: { out: [(text: string) => !text.includes('PIN') || { refuse: 'a PIN' }] } as never,
    },
  )
  const engine = await open(agents, { texts })
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.refuse({ run, step: 'question 1.1', reason: 'why not' })
  await ann.atRest(run)
  expect(said(model)).toEqual(['<refused> <reason why not>'])
  await armed(3_600_001)
  clock.advance(3_600_001)
  for await (const event of ann.watch(run)) if (event.type === 'ask.opened' && event.ask.step === 'tool 3.1') break
  expect(said(model)).toEqual(['<expired>'])
  await armed(5)
  clock.advance(5)
  await ann.approve({ run, step: 'tool 3.1', data: { input: { x: 1 } } })
  for await (const event of ann.watch(run)) if (event.type === 'ask.opened' && event.ask.step === 'tool 4.2') break
  expect(said(model)).toEqual(['<edited {"x":1}>\nacted', '<timedOut>'])
  await ann.approve({ run, step: 'question 4.1', data: 'M' })
  await ann.refuse({ run, step: 'tool 4.2' })
  expect(await ended(ann, run)).toMatchObject({ status: 'done' })
  expect(said(model)).toEqual(['<notShown a PIN>'])
  const heard = (await engine.runs.log(run)).flatMap((event) =>
    event.type === 'tool.returned' ? [event.data.result.value] : [],
  )
  expect(heard).toContain('<heldBack>')
  await ann.say({ run, text: 'more' })
  await ann.atRest(run)
  await ann.say({ run, text: 'no' })
  await ann.atRest(run)
  expect(said(model)).toEqual(['<messageInstead>'])
})

test.each([
  ['question', { questions: { deliver: 'message' as const } }],
  ['ask', { extensions: [ask({ deliver: 'message' })] }],
])('the waiting result too, asked with %s', async (face, options) => {
  const { open } = world()
  const { model, agents } = play([{ calls: [{ tool: face, input: { question: 'Size?' } }] }, { text: 'Ok.' }], options)
  const ann = helperOf(await open(agents, { texts }), 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  await ann.stop({ run })
  await ann.say({ run, text: 'again' })
  await ann.atRest(run)
  expect(said(model)).toEqual(['<waiting>'])
  expect(model.prompts.at(-1)?.messages.at(-2)).toEqual({ role: 'user', content: 'Size?\n<stopped>' })
})
