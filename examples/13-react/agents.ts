import { agent } from 'querent'
import { scriptedModel } from 'querent/testing'

// In place of openai('…'): it says the same each time, and needs no key.
const model = scriptedModel([
  {
    text: 'Happy to help.',
    calls: [{ tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }],
  },
  { text: 'One T-shirt is on its way.' },
])

export const shirts = agent('shirts', { model, questions: true })
