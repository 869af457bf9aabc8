/** A tool that runs only with a person's leave, and whose input they may change. */
import { agent, createEngine, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const pay = tool({
  name: 'pay',
  description: 'Pays a bill.',
  input: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'integer' } },
    required: ['to', 'amount'],
  },
  // `true` asks always; a function decides by the input; `editable` lets the person change it.
  approval: { editable: true, when: (input) => (input as { amount: number }).amount > 10 },
  // An idempotency key on the other side closes the last gap: `ctx.effect` is the same after a crash.
  execute: (input, ctx) => `Paid ${JSON.stringify(input)}${ctx.effect ? '' : '?'}`,
})

const model = scriptedModel([{ calls: [{ tool: 'pay', input: { to: 'bob', amount: 50 } }] }, { text: 'Done.' }])
const engine = createEngine({ agents: [agent('cashier', { model, tools: [pay] })], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('cashier')

const { run } = await ann.start('Pay Bob his 50.')
const [ask] = (await ann.atRest(run)).asks
console.log(ask?.kind, ask?.step, ask?.tool, JSON.stringify(ask?.input))

await ann.approve({ run, step: 'tool 1.1', data: { input: { to: 'bob', amount: 45 } } })
console.log((await ann.atRest(run)).text)
// What the model was told: that it was not its own input that ran.
console.log(JSON.stringify(model.prompts[1]?.messages.at(-1)))
await engine.close()
