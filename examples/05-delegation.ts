/** An agent that gives work to another. The child parks with its parent; its approval is asked on the root run. */
import { agent, createEngine, delegate, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const send = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  approval: true,
  execute: () => 'sent',
})
const clerk = agent('clerk', {
  model: scriptedModel([{ calls: [{ tool: 'send_mail', input: { to: 'bob' } }] }, { text: 'Bob knows.' }]),
  tools: [send],
})
const boss = agent('boss', {
  model: scriptedModel([{ calls: [{ tool: 'clerk', input: { task: 'Tell Bob.' } }] }, { text: 'Done.' }]),
  tools: [delegate(clerk)],
})

const engine = createEngine({ agents: [boss, clerk], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('boss')
const { run } = await ann.start('Bob should know.')
const [ask] = (await ann.atRest(run)).asks
console.log(ask?.path.join(' → '), ask?.step)
if (ask) await ann.approve(ask)
console.log((await ann.atRest(run)).text)
await engine.close()
