import { type AgentOptions, agent } from 'querent'
import {
  type AgentFacts,
  type Ask,
  checkAnswer,
  defaultTexts,
  type Extension,
  type Failure,
  type Json,
  type Park,
  type RunFacts,
  type SettledAsk,
  type Settlement,
  type ToolContext,
  type ToolDefinition,
} from 'querent/extension'
import { describe, expect, test } from 'vitest'
import { question, questions } from './question.ts'

const chat: RunFacts = {
  run: 'run_1',
  agent: 'asker',
  trigger: 'chat',
  starter: { type: 'person', id: 'ann' },
  depth: 0,
}

function asker(options: Omit<AgentOptions, 'output'> = {}): AgentFacts {
  return agent('asker', { model: {}, questions: true, ...options })
}

function toolsOf(facts: AgentFacts, run: Partial<RunFacts> = {}): ToolDefinition[] {
  return question.tools?.(facts, { ...chat, ...run }) ?? []
}

async function ask(input: Json, options: Omit<AgentOptions, 'output'> = {}): Promise<Park | Failure> {
  const [tool] = toolsOf(asker(options))
  return (await tool?.execute(input, {} as ToolContext)) as Park | Failure
}

async function asked(input: Json, options: Omit<AgentOptions, 'output'> = {}): Promise<Park['ask']> {
  const outcome = await ask(input, options)
  if (outcome.type === 'failure') throw new Error(outcome.message)
  return outcome.ask
}

async function messageOf(input: Json): Promise<string> {
  const outcome = await ask(input)
  return outcome.type === 'failure' ? outcome.message : 'asked'
}

describe('where it is offered', () => {
  test('only where somebody can answer', () => {
    const names = (facts: AgentFacts, run: Partial<RunFacts> = {}) => toolsOf(facts, run).map(({ name }) => name)
    expect(names(asker())).toEqual(['question'])
    expect(names(asker({ questions: {} }))).toEqual(['question'])
    expect(names(asker(), { trigger: 'system', starter: { type: 'system' } })).toEqual(['question'])
    expect(names(asker({ questions: false }))).toEqual([])
    expect(names(asker(), { depth: 1 })).toEqual([])
    for (const trigger of ['schedule', 'webhook', 'manual', 'delegate'] as const)
      expect(names(asker(), { trigger })).toEqual([])
  })

  test('it is the same tool each time: the prompt prefix must not change', () => {
    const told = ({ name, description, inputSchema }: ToolDefinition) =>
      JSON.stringify({ name, description, inputSchema })
    expect(toolsOf(asker()).map(told)).toEqual(toolsOf(asker({ instructions: 'x' })).map(told))
    expect(question.reserves).toEqual(['question'])
    expect(toolsOf(asker())[0]).toMatchObject({ asks: true })
  })

  test.each<Json>([
    { question: 'Free?' },
    { question: 'One?', choices: ['a', { label: 'b', description: 'c' }], multi: true, other: true },
    { question: 'Form?', shape: { type: 'object', properties: {} } },
  ])('what the tool says of its input lets a good one through: %j', async (input) => {
    expect(await checkAnswer(toolsOf(asker())[0]?.inputSchema ?? false, input)).toEqual([])
    expect(await messageOf(input)).toBe('asked')
  })
})

describe('installed as an extension, without agent({ questions })', () => {
  const toolOf = (extension: Extension, run: Partial<RunFacts> = {}) =>
    extension.tools?.(asker({ questions: false, extensions: [extension] }), { ...chat, ...run })[0]

  test('it is the same tool, offered where somebody can answer', () => {
    const { execute: _, ...told } = toolsOf(asker())[0] as ToolDefinition
    expect(toolOf(questions())).toMatchObject(told)
    expect(toolOf(questions(), { depth: 1 })).toBeUndefined()
    expect(toolOf(questions(), { trigger: 'schedule' })).toBeUndefined()
    expect(questions().reserves).toEqual(['question'])
  })

  test('answers come as it says', async () => {
    const outcomeOf = (extension: Extension) => toolOf(extension)?.execute({ question: 'Why?' }, {} as ToolContext)
    expect(await outcomeOf(questions())).not.toHaveProperty('ask.waiting')
    expect(await outcomeOf(questions({ deliver: 'message' }))).toMatchObject({ ask: { waiting: true } })
    expect(() => questions({ deliver: 'mail' as never })).toThrow(/deliver is "mail". Use "result" or "message"/)
  })
})

describe('what is asked', () => {
  test('is prepared, with its choices in one form and the whole check of an answer', async () => {
    expect(
      await asked({ question: ' Size? ', choices: [' S', { label: 'M', description: 'medium' }], multi: null }),
    ).toEqual({
      kind: 'question',
      tool: 'question',
      input: { question: 'Size?', choices: ['S', { label: 'M', description: 'medium' }] },
      options: [{ label: 'S' }, { label: 'M', description: 'medium' }],
      answerSchema: { enum: ['S', 'M'] },
      rule: { onExpire: 'refuse', guarded: false },
      held: true,
    })
    expect(await asked({ question: 'Why?' })).not.toHaveProperty('options')
  })

  test('is answered at once, in the words of the engine, where answers come as messages', async () => {
    expect(await asked({ question: 'Why?' }, { questions: { deliver: 'message' } })).toMatchObject({
      waiting: true,
    })
    expect(await asked({ question: 'Why?' }, { questions: { deliver: 'result' } })).not.toHaveProperty('waiting')
  })

  test('is guarded where the agent has in guards', async () => {
    expect((await asked({ question: 'Why?' }, { guards: { in: [() => true] } })).rule.guarded).toBe(true)
    expect((await asked({ question: 'Why?' }, { guards: { out: [() => true] } })).rule.guarded).toBe(false)
  })

  test('has the rule of its agent; a default answer that was not asked for becomes "tell"', async () => {
    const choices = ['S', 'M']
    const ruleOf = async (onExpire: AgentFacts['onExpire']) =>
      (await asked({ question: 'Size?', choices }, { onExpire })).rule.onExpire
    expect(await ruleOf('fail')).toBe('fail')
    expect(await ruleOf('tell')).toBe('tell')
    expect(await ruleOf({ answer: 'M' })).toEqual({ answer: 'M' })
    expect(await ruleOf({ answer: 'XL' })).toBe('tell')
  })
})

describe('what is not asked: the model hears why', () => {
  test.each<[string, Json, RegExp]>([
    ['C25: no question', {}, /^Nobody was asked: "question" is missing/],
    ['C24: two labels alike', { question: 'Where?', choices: ['Staging', 'staging '] }, /look the same to a person/],
    [
      'C27: a recursive shape',
      { question: 'Tree?', shape: { properties: { child: { $ref: '#' } } } },
      /"shape" cannot be used\. At #\/properties\/child\/\$ref: the shape refers to itself/,
    ],
    ['C27: a remote reference', { question: 'What?', shape: { $ref: 'https://example.com/a' } }, /nothing is fetched/],
    [
      'C28: an unknown dialect',
      { question: 'What?', shape: { $schema: 'https://json-schema.org/draft/2019-09/schema' } },
      /is not a dialect that can be checked/,
    ],
    [
      'a shape in a text',
      { question: 'What?', shape: '{"type":"string"}' },
      /The shape is a text\. Send the JSON Schema itself/,
    ],
    [
      'a choice that the shape refuses',
      { question: 'How many?', choices: ['1', '2'], shape: { type: 'integer' } },
      /the choice "1" does not fit "shape" \(it must be a whole number\)/,
    ],
  ])('%s', async (_name, input, message) => {
    expect(await messageOf(input)).toMatch(message)
  })
})

describe('C20, C21, C26: the answer is checked against what was stored', () => {
  test.each<[Json, Json, string[]]>([
    [{ type: 'boolean' }, false, []],
    [{ type: 'integer' }, 0, []],
    [{ type: 'string' }, '', []],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'array' }, [], []],
    [{ type: 'string' }, null, [' must be text']],
    [{ type: 'boolean' }, 'true', [' must be true or false']],
    [{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }, {}, ['/name is required']],
  ])('%j with %j', async (shape, data, issues) => {
    const { answerSchema } = await asked({ question: 'What?', shape })
    const found = await checkAnswer(answerSchema ?? false, data)
    expect(found.map(({ path, message }) => `${path} ${message}`)).toEqual(issues)
  })
})

describe('what the model hears of its end', () => {
  const kind = question.kinds?.[0]

  async function heard(end: Omit<Settlement, 'ask' | 'by'>, onExpire: AgentFacts['onExpire'] = 'refuse') {
    const { waiting: _, ...opened } = await asked({ question: 'Size?', choices: ['S', 'M'] }, { onExpire })
    const place = { id: 'ask_1', effect: 'e', repeat: 1, step: 'question 1.1' as Ask['step'], n: 1 }
    const ask: SettledAsk = { ...opened, ...place, end: { ask: 'ask_1', by: { type: 'person', id: 'ann' }, ...end } }
    return kind?.resolve(ask, defaultTexts)
  }
  const text = (value: string) => ({ type: 'text', value })

  test('C20: the answer: a text as text, everything else as JSON', async () => {
    expect(await heard({ outcome: 'approved', data: 'M' })).toEqual(text('M'))
    for (const value of [false, 0, null, [], { selected: [], other: 'x' }]) {
      expect(await heard({ outcome: 'approved', data: value })).toEqual({ type: 'json', value })
    }
    expect(await heard({ outcome: 'approved', data: '' })).toEqual(text(''))
  })

  test('refused, with a reason and without', async () => {
    expect(await heard({ outcome: 'refused' })).toEqual(text('The person refused this.'))
    expect(await heard({ outcome: 'refused', reason: 'not now' })).toEqual(
      text('The person refused this. Reason: not now'),
    )
  })

  test('expired, by the rule of the ask', async () => {
    const expired = { outcome: 'expired' } as const
    expect(await heard(expired, 'refuse')).toEqual(text('The person refused this.'))
    expect(await heard(expired, 'tell')).toEqual(text('Nobody answered in time. This is not a refusal.'))
    expect(await heard(expired, { answer: 'M' })).toEqual(
      text('Nobody answered in time. This is the default answer, not the person’s: M'),
    )
    expect(await heard(expired, { answer: 'XL' })).toEqual(text('Nobody answered in time. This is not a refusal.'))
  })

  test('withdrawn, by why', async () => {
    const withdrawn = (because: Settlement['because']) => heard({ outcome: 'withdrawn', because })
    expect(await withdrawn('message')).toEqual(text(defaultTexts.messageInstead))
    expect(await withdrawn('messageBefore')).toEqual(text(defaultTexts.messageBefore))
    expect(await withdrawn('stop')).toEqual(text(defaultTexts.stopped))
    expect(await withdrawn('end')).toEqual(text(defaultTexts.ended))
  })

  test('guards see the whole question', () => {
    const input = { question: 'Size?', choices: [{ label: 'S', description: 'small' }] }
    expect(kind?.describe({ tool: 'question', input, options: input.choices })).toBe('Size?\nS\nsmall')
  })
})

describe('ctx.ask', () => {
  test('asks as the tool does, holding nothing back', () => {
    expect(
      question.askInTool?.(
        { key: 'k', question: ' Sure? ', choices: ['Yes', 'No'] },
        asker({ onExpire: { answer: 'Yes' } }),
      ),
    ).toEqual({
      type: 'park',
      ask: {
        kind: 'question',
        tool: 'question',
        input: { question: 'Sure?', choices: ['Yes', 'No'] },
        options: [{ label: 'Yes' }, { label: 'No' }],
        answerSchema: { enum: ['Yes', 'No'] },
        rule: { onExpire: 'tell', guarded: false },
      },
    })
  })

  test('what nobody could answer fails', () => {
    expect(question.askInTool?.({ key: 'k', question: '' }, asker())).toMatchObject({ type: 'failure' })
  })
})
