/** Answers as one new user message, for models that do better with short tool results than with late ones. */
import { agent, createEngine } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const model = scriptedModel([
  {
    calls: [
      { tool: 'question', input: { question: 'Size?', choices: ['S', 'M'] } },
      { tool: 'question', input: { question: 'Colour?' } },
    ],
  },
  { text: 'Ordered.' },
])
const asker = agent('asker', { model, questions: { deliver: 'message' } })
const engine = createEngine({ agents: [asker], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('asker')
const { run } = await ann.start('A T-shirt.')
await ann.atRest(run)
// In any order; the message brings them in the order they were asked, when the last is there.
await ann.approve({ run, step: 'question 1.2', data: 'blue' })
await ann.approve({ run, step: 'question 1.1', data: 'M' })
console.log((await ann.atRest(run)).text)
console.log(JSON.stringify(model.prompts[1]?.messages.at(-1)))
await engine.close()
