/** An answer that must fit a JSON Schema which the model wrote. What does not fit is refused, field by field. */
import { agent, code, createEngine, QuerentError } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const shape = {
  type: 'object',
  properties: { street: { type: 'string', minLength: 1 }, zip: { type: 'string', pattern: '^[0-9]{5}$' } },
  required: ['street', 'zip'],
}
const model = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Where shall we send it?', shape } }] },
  { text: 'On its way.' },
])
const engine = createEngine({ agents: [agent('shop', { model, questions: true })], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('shop')
const { run } = await ann.start('Send me the shirt.')
await ann.atRest(run)

try {
  await ann.approve({ run, step: 'question 1.1', data: { street: '', zip: '1234' } })
} catch (error) {
  if (!(error instanceof QuerentError) || !error.is(code.T0002)) throw error
  for (const issue of error.data.issues ?? []) console.log(issue.path, issue.message)
}
await ann.approve({ run, step: 'question 1.1', data: { street: '12 Harbour Road', zip: '28195' } })
console.log((await ann.atRest(run)).text)
await engine.close()
