import { agent } from 'querent'
import { ask } from 'querent/ask'
import { type ScriptedCall, scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, resultsIn, world } from './world.ts'

const options = [{ label: 'S' }, { label: 'M' }]
const calls: ScriptedCall[] = [
  { tool: 'ask', input: { question: 'Size?', options, multi: true } },
  { tool: 'question', input: { question: 'How many?', shape: { type: 'integer' } } },
]

function shirts(deliver: { ask?: 'message'; question?: 'message' } = {}) {
  const model = scriptedModel([{ calls }, { text: 'Done.' }])
  const questions = { deliver: deliver.question ?? ('result' as const) }
  return { model, agents: [agent('shirts', { model, questions, extensions: [ask({ deliver: deliver.ask })] })] }
}

describe('questions and ask() in one agent', () => {
  test.each([{}, { ask: 'message' as const }, { question: 'message' as const }])(
    'each has its step and its delivery, over a restart: %j',
    async (deliver) => {
      const { open, close } = world()
      const first = await open(shirts(deliver).agents)
      const { run } = await helperOf(first, 'shirts').start('T-shirts')
      const { asks } = await helperOf(first, 'shirts').atRest(run)
      expect(asks.map(({ step, kind, tool }) => [step, kind, tool])).toEqual([
        ['question 1.1', 'question', 'ask'],
        ['question 1.2', 'question', 'question'],
      ])
      await helperOf(first, 'shirts').approve({ run, step: 'question 1.2', data: 3 })
      await close(first)

      const { model, agents } = shirts(deliver)
      const ann = helperOf(await open(agents), 'shirts')
      await ann.approve({ run, step: 'question 1.1', data: ['M', 'S'] })
      expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Done.' })
      const prompt = model.prompts.at(-1)
      expect(wellFormed(prompt?.messages ?? [])).toEqual([])
      const waiting = 'Asked. The answer will follow as a message.'
      expect(resultsIn(prompt).map(({ value }) => value)).toEqual([
        'ask' in deliver ? waiting : ['M', 'S'],
        'question' in deliver ? waiting : 3,
      ])
      const last = prompt?.messages.at(-1)
      if ('ask' in deliver) expect(last).toEqual({ role: 'user', content: 'Size?\n["M","S"]' })
      if ('question' in deliver) expect(last).toEqual({ role: 'user', content: 'How many?\n3' })
    },
  )
})
