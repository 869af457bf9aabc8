import { type AgentOptions, agent } from 'querent'
import {
  type AgentFacts,
  checkAnswer,
  defaultTexts,
  type Failure,
  type Json,
  type Park,
  type RunFacts,
  type SettledAsk,
  type ToolContext,
  type ToolDefinition,
} from 'querent/extension'
import { describe, expect, test } from 'vitest'
import { type AskOptions, ask } from './ask.ts'

const chat: RunFacts = {
  run: 'run_1',
  agent: 'asker',
  trigger: 'chat',
  starter: { type: 'person', id: 'ann' },
  depth: 0,
}

function asker(options: Omit<AgentOptions, 'output'> = {}): AgentFacts {
  return agent('asker', { model: {}, ...options })
}

function toolsOf(options: AskOptions = {}, run: Partial<RunFacts> = {}, facts = asker()): ToolDefinition[] {
  return ask(options).tools?.(facts, { ...chat, ...run }) ?? []
}

async function outcomeOf(input: Json, options: AskOptions = {}, facts = asker()): Promise<Park | Failure> {
  return (await toolsOf(options, {}, facts)[0]?.execute(input, {} as ToolContext)) as Park | Failure
}

async function asked(input: Json, options: AskOptions = {}, facts = asker()): Promise<Park['ask']> {
  const outcome = await outcomeOf(input, options, facts)
  if (outcome.type === 'failure') throw new Error(outcome.message)
  return outcome.ask
}

describe('where it is offered', () => {
  test('only where somebody can answer, whether questions are on or not', () => {
    const names = (run: Partial<RunFacts>, facts = asker()) => toolsOf({}, run, facts).map(({ name }) => name)
    expect(names({})).toEqual(['ask'])
    expect(names({}, asker({ questions: true }))).toEqual(['ask'])
    expect(names({ trigger: 'system', starter: { type: 'system' } })).toEqual(['ask'])
    expect(names({ depth: 1 })).toEqual([])
    for (const trigger of ['schedule', 'webhook', 'manual', 'delegate'] as const) expect(names({ trigger })).toEqual([])
  })

  test('its name is reserved, and its calls are asks', () => {
    expect(ask().reserves).toEqual(['ask'])
    expect(toolsOf()[0]).toMatchObject({ asks: true, retrySafe: true })
  })

  test('an option that is none is refused', () => {
    expect(() => ask({ deliver: 'mail' as never })).toThrow(/deliver is "mail". Use "result" or "message"/)
  })
})

describe('what is asked', () => {
  test('is what the model said, prepared, under the name of the tool', async () => {
    const options: Json = [{ label: ' S' }, { label: 'M', description: 'medium ' }]
    expect(await asked({ question: ' Size? ', options, multi: true })).toEqual({
      kind: 'question',
      tool: 'ask',
      input: { question: 'Size?', options: [{ label: 'S' }, { label: 'M', description: 'medium' }], multi: true },
      options: [{ label: 'S' }, { label: 'M', description: 'medium' }],
      answerSchema: { type: 'array', items: { enum: ['S', 'M'] }, uniqueItems: true, minItems: 1 },
      rule: { onExpire: 'refuse', guarded: false },
      held: true,
    })
  })

  test('the first 8 options are kept, the others not even looked at', async () => {
    const options = Array.from({ length: 12 }, (_, i) => ({ label: i < 8 ? `option ${i}` : 'the same' }))
    const { input, options: shown, answerSchema } = await asked({ question: 'Which?', options })
    expect(shown).toEqual(options.slice(0, 8))
    expect(input).toEqual({ question: 'Which?', options: shown })
    expect(answerSchema).toEqual({ enum: options.slice(0, 8).map(({ label }) => label) })
    expect(await asked(input)).toMatchObject({ input, options: shown })
  })

  test('no options, none of them and null all ask for a free text', async () => {
    for (const input of [{}, { options: [] }, { options: null, multi: null }, { options: [], multi: false }]) {
      const { options, answerSchema } = await asked({ question: 'Why?', ...input } as Json)
      expect(options).toBeUndefined()
      expect(await checkAnswer(answerSchema ?? false, 'because')).toEqual([])
      expect(await checkAnswer(answerSchema ?? false, ' ')).toHaveLength(1)
    }
  })

  test('is cut between two characters', async () => {
    const { input } = await asked({
      question: `${'x'.repeat(1998)}👩‍👩‍👧`,
      options: [{ label: `${'y'.repeat(199)}é`, description: 'é'.repeat(101) }],
    })
    expect(input).toEqual({
      question: 'x'.repeat(1998),
      options: [{ label: 'y'.repeat(199), description: 'é'.repeat(100) }],
    })
  })

  test('has the rule of its agent, guards included', async () => {
    const ruleOf = async (options: Omit<AgentOptions, 'output'>) =>
      (await asked({ question: 'Size?', options: [{ label: 'S' }] }, {}, asker(options))).rule
    expect(await ruleOf({ onExpire: { answer: 'S' } })).toEqual({ onExpire: { answer: 'S' }, guarded: false })
    expect(await ruleOf({ onExpire: { answer: 'XL' } })).toEqual({ onExpire: 'tell', guarded: false })
    expect(await ruleOf({ guards: { in: [() => true] } })).toEqual({ onExpire: 'refuse', guarded: true })
  })

  test('is answered at once, in the words of the engine, where answers come as messages', async () => {
    expect(await asked({ question: 'Why?' }, { deliver: 'message' })).toMatchObject({ waiting: true })
    expect(await asked({ question: 'Why?' }, { deliver: 'result' })).not.toHaveProperty('waiting')
  })

  test('what the tool says of its input lets a good one through', async () => {
    const inputSchema = toolsOf()[0]?.inputSchema ?? false
    const input = { question: 'One?', options: [{ label: 'a', description: 'b' }], multi: true }
    expect(await checkAnswer(inputSchema, input)).toEqual([])
    expect(await checkAnswer(inputSchema, { ...input, options: [{}] })).toHaveLength(1)
  })
})

describe('what is not asked: the model hears why, in the words of this tool', () => {
  test.each<[string, Json, RegExp]>([
    ['an empty question', { question: ' \u200b' }, /^Nobody was asked: "question" is empty/],
    ['no question', { options: [{ label: 'a' }] }, /"question" is missing/],
    ['no object', 'Why?', /the input is a text; send an object/],
    [
      'equal labels',
      { question: 'a', options: [{ label: 'S' }, { label: 's.' }, { label: ' Ｓ' }] },
      /"options\[0\]" and "options\[2\]" look the same/,
    ],
    ['an empty label', { question: 'a', options: [{ label: '' }] }, /"options\[0\]" has an empty label/],
    ['multi alone', { question: 'a', multi: true, options: [] }, /"multi" is true without "options"/],
    [
      'words of the other tool',
      { question: 'a', choices: ['S'] },
      /did you mean "options"\? There are question, options, multi/,
    ],
  ])('%s', async (_name, input, message) => {
    expect(await outcomeOf(input)).toMatchObject({ type: 'failure', message: expect.stringMatching(message) })
  })
})

test('what the model hears of its end is what it hears of every question', async () => {
  const { waiting: _, ...opened } = await asked({ question: 'Size?', options: [{ label: 'S' }, { label: 'M' }] })
  const by = { type: 'person' as const, id: 'ann' }
  const place = { id: 'ask_1', effect: 'e', repeat: 1, step: 'question 1.1' as const, n: 1 }
  const kind = ask().kinds?.[0]
  const heard = (end: Omit<SettledAsk['end'], 'ask' | 'by'>) =>
    kind?.resolve({ ...opened, ...place, end: { ask: 'ask_1', by, ...end } }, defaultTexts)
  expect(heard({ outcome: 'approved', data: 'M' })).toEqual({ type: 'text', value: 'M' })
  expect(heard({ outcome: 'approved', data: ['M', 'S'] })).toEqual({ type: 'json', value: ['M', 'S'] })
  expect(heard({ outcome: 'refused' })).toEqual({ type: 'text', value: 'The person refused this.' })
  expect(kind?.kind).toBe('question')
  expect(kind?.describe(opened)).toBe('Size?\nS\nM')
})
