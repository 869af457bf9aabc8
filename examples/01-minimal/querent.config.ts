/**
 * An agent that asks one question. From this folder:
 *
 *   npx querent run asker 'I need a T-shirt'
 *   npx querent asks
 *   npx querent answer <run> --choose M
 *
 * The first command may end before the second begins: the run waits in the file.
 */
import { agent, defineConfig } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

// A script in place of a model, so that no key is needed. Any language model of the AI SDK stands here as well:
//   import { openai } from '@ai-sdk/openai'
//   const model = openai('gpt-5.6')
const model = scriptedModel([
  { calls: [{ tool: 'question', input: { question: 'Which size?', choices: ['S', 'M', 'L'] } }] },
  { text: 'Ordered.' },
])

export const asker = agent('asker', { model, instructions: 'Ask what you need to know.', questions: true })

export default defineConfig({ agents: [asker], store: sqlite('querent.db') })
