import { type AgentRecord, agent } from '../../core/agent.ts'
import { isObject, type Json, type JsonSchema } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'
import { tool } from '../../core/tool.ts'
import { scriptedModel } from '../../testing/scripted-model.ts'

const sizes = [
  { label: 'S', description: 'chest 88 cm' },
  { label: 'M', description: 'chest 96 cm' },
  { label: 'L', description: 'chest 104 cm' },
]
const extras = ['Gift wrapping', 'Express delivery', 'Thank-you card']
const address: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, title: 'Name' },
    street: { type: 'string', minLength: 1, title: 'Street and number' },
    city: { type: 'string', minLength: 1, title: 'City' },
    floor: { type: 'integer', title: 'Floor' },
  },
  required: ['name', 'street', 'city'],
  additionalProperties: false,
}

const instructions = `You take orders for T-shirts. Ask with the question tool, one question in each turn:
1. the size: choices S, M, L, each with its chest width (88, 96, 104 cm) as description;
2. what they want on top: multi, choices ${extras.join(', ')};
3. the delivery address: the shape ${JSON.stringify(address)}.
Then call place_order once, and end with one sentence that says what was ordered. If a question is refused, order nothing.`

const placeOrder = tool({
  name: 'place_order',
  description: 'Places the order.',
  input: {
    type: 'object',
    properties: { size: { type: 'string' }, extras: { type: 'array', items: { type: 'string' } }, address },
    required: ['size', 'address'],
  },
  // To order costs money: it runs only with the person's leave.
  approval: true,
  execute: () => ({ order: 'T-1', status: 'placed' }),
})

/** The agent of the demo: it asks for one of several, several of several, a small shape, and leave to order. */
export function asker(model: unknown = script): AgentRecord {
  return agent('asker', { model, instructions, tools: [placeOrder], questions: true, limits: { steps: 12 } })
}

/** What a model would say. It reads the answers from the prompt, as a model does, so any process can go on with it. */
const script = scriptedModel([
  {
    text: 'A T-shirt, gladly. Three questions, one at a time.',
    calls: [{ tool: 'question', input: { question: 'Which size?', choices: sizes } }],
  },
  {
    text: 'Thank you. Next:',
    calls: [{ tool: 'question', input: { question: 'What would you like on top?', choices: extras, multi: true } }],
  },
  {
    text: 'And last:',
    calls: [{ tool: 'question', input: { question: 'Where shall we send it?', shape: address } }],
  },
  (request) => {
    const [size, wanted, to] = answersIn(request)
    if (!sizes.some(({ label }) => label === size) || !isObject(to)) return { text: 'Then nothing was ordered.' }
    const chosen = Array.isArray(wanted) ? wanted : []
    return { calls: [{ tool: 'place_order', input: { size: size as string, extras: chosen, address: to } }] }
  },
  (request) => {
    const [size, wanted, to, order] = answersIn(request)
    if (!isObject(order)) return { text: 'Then nothing was ordered.' }
    const chosen = Array.isArray(wanted) ? ` with ${wanted.join(' and ').toLowerCase()}` : ''
    const city = isObject(to) ? to.city : undefined
    return { text: `Ordered: one T-shirt in ${size}${chosen}, on its way to ${city}.` }
  },
])

function answersIn(request: ModelRequest): Json[] {
  return request.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => (output as { value: Json }).value) : [],
  )
}
