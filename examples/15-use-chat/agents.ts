import { agent, tool } from 'querent'
import { scriptedModel } from 'querent/testing'

const pay = tool({
  name: 'pay',
  description: 'Pays for what was ordered.',
  input: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  approval: true,
  execute: () => 'paid',
})

// In place of openai('…'): it says the same each time, and needs no key.
const model = scriptedModel([
  {
    text: 'Happy to help.',
    calls: [{ tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }],
  },
  { text: 'That is 20 euros.', calls: [{ tool: 'pay', input: { euros: 20 } }] },
  { text: 'One T-shirt is on its way.' },
])

export const shirts = agent('shirts', { model, questions: true, tools: [pay] })
