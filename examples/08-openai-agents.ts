/**
 * An agent of the OpenAI Agents SDK that asks a question, and for leave. `npm i querent @openai/agents zod`; then, each
 * line a process of its own:
 *
 *   node 08-openai-agents.ts            # Which size? S, M or L?
 *   node 08-openai-agents.ts M          # May I? order {"size":"M"}
 *   node 08-openai-agents.ts yes        # Ordered.
 */
import { appendFileSync } from 'node:fs'
import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import { agent, createEngine, defineConfig } from 'querent'
import { askTool, openaiAgents } from 'querent/openai-agents'
import { sqlite } from 'querent/sqlite'
import { z } from 'zod'

const order = tool({
  name: 'order',
  description: 'Orders a T-shirt.',
  parameters: z.object({ size: z.enum(['S', 'M', 'L']) }),
  needsApproval: true,
  execute({ size }) {
    appendFileSync('orders.txt', `${size}\n`)
    return `Ordered size ${size}.`
  },
})

const seller = new Agent({
  name: 'Seller',
  instructions: 'You order T-shirts. Ask for the size.',
  // Without a key a script plays the model, so that this runs anywhere.
  model: process.env.OPENAI_API_KEY ? 'gpt-5.2' : script(),
  // What a run needs is in our log: it does not depend on how long the provider keeps what it stored.
  modelSettings: { store: false },
  tools: [askTool(), order],
})

const runner = new Runner({ tracingDisabled: true })

const config = defineConfig({
  agents: [agent('seller', { driver: openaiAgents(seller, { runner }), questions: true })],
  store: sqlite('orders.db'),
})
export default config

if (import.meta.main) {
  const engine = createEngine(config)
  await engine.start()
  const ann = engine.as({ id: 'ann' }).agent('seller')
  const [underWay] = await ann.working()
  const run = underWay?.run ?? (await ann.start('I need a T-shirt')).run

  const [ask] = (await ann.atRest(run)).asks
  const answer = process.argv[2]
  if (ask && answer !== undefined) {
    if (ask.kind === 'question')
      await ann.approve(ask, { data: answer }).catch((error: Error) => console.log(error.message))
    else if (answer === 'yes') await ann.approve(ask)
    else await ann.refuse(ask, { reason: answer })
  }

  const { asks, output, error } = await ann.atRest(run)
  const [open] = asks
  if (open?.kind === 'question') console.log((open.input as { question: string }).question)
  else if (open) console.log(`May I? ${open.tool} ${JSON.stringify(open.input)}`)
  else console.log(output ?? error?.message)
  await engine.close()
}

/** A model that goes by what it has heard: it asks, then orders, then says so. */
function script(): ScriptedModel {
  const next = modelResponder(({ request: { input } }) => {
    const results = typeof input === 'string' ? [] : input.filter((item) => item.type === 'function_call_result')
    const [first] = results
    if (!first) {
      const question = { question: 'Which size? S, M or L?', choices: ['S', 'M', 'L'] }
      return [functionCall('question', question, { callId: 'call_1' })]
    }
    const { text: size } = first.output as { text: string }
    if (results.length === 1) return [functionCall('order', { size }, { callId: 'call_2' })]
    return [assistantMessage('Ordered.')]
  })
  return new ScriptedModel([next, next, next])
}
