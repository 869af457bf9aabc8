import { existsSync } from 'node:fs'
import { type AgentOptions, agent, code, createEngine, type EngineOptions, tool } from 'querent'
import { type Extension, park } from 'querent/extension'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { asker, helperOf, refusal, world } from './world.ts'

const model = scriptedModel([{ text: 'ok' }])
const plain = { name: 'pay', description: '', input: { type: 'object' }, execute: () => 1 }
const named = (name: string) => tool({ name, description: '', input: { type: 'object' }, execute: () => 1 })

/** The error that a definition throws: its code, and a message that says what was seen and what to do. */
function thrownBy(define: () => unknown): { code: string; message: string } {
  try {
    define()
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('It was expected to throw, and did not.')
}

const options = (given: unknown) => given as AgentOptions

describe('T1001: the definition of an agent', () => {
  const wrong: [string, () => unknown, RegExp][] = [
    ['no name', () => agent('', { model }), /name "".*Use 1 to 64/],
    ['a name that no URL takes', () => agent('a/b', { model }), /"a\/b".*letters, digits/],
    ['a name that is no text', () => agent(7 as never, { model }), /name 7/],
    ['no options', () => agent('a', undefined as never), /"a" has no options.*Write agent\("a"/],
    ['no model', () => agent('a', {}), /"a" has no model.*Give an AI SDK language model/],
    ['an unknown option', () => agent('a', options({ model, tool: [] })), /unknown option "tool".*Known: .*tools/],
    [
      'two tools of a name',
      () => agent('a', { model, tools: [named('x'), named('x')] }),
      /two tools named "x".*Rename/,
    ],
    ['an access that is none', () => agent('a', options({ model, access: 'all' })), /access "all".*"everyone"/],
    ['an onExpire that is none', () => agent('a', options({ model, onExpire: 'later' })), /onExpire "later".*"refuse"/],
  ]

  test.each(wrong)('%s', (_, define, message) => {
    expect(thrownBy(define)).toMatchObject({ code: code.T1001, message: expect.stringMatching(message) })
  })

  test('two agents of one name, aliases included', () => {
    const { path } = world()
    const engineOf = (...agents: EngineOptions['agents']) =>
      thrownBy(() => createEngine({ agents, store: sqlite(path) }))
    const a = agent('a', { model })
    expect(engineOf(a, agent('a', { model }))).toMatchObject({
      code: code.T1001,
      message: expect.stringMatching(/"a".*Rename/),
    })
    expect(engineOf(a, agent('b', { model, aliases: ['a'] }))).toMatchObject({ code: code.T1001 })
    expect(existsSync(path)).toBe(false)
  })
})

describe('T1002: the definition of a tool', () => {
  const fine = { name: 'x', description: '', input: { type: 'object' }, execute: () => 1 }
  const wrong: [string, object, RegExp][] = [
    ['a name that providers refuse', { name: 'send mail' }, /"send mail".*letters, digits/],
    ['no name', { name: undefined }, /name undefined/],
    ['no execute', { execute: undefined }, /"x" has no execute function.*execute\(input, ctx\)/],
    ['no input', { input: undefined }, /"x" has no input schema.*JSON Schema/],
  ]

  test.each(wrong)('%s', (_, change, message) => {
    expect(thrownBy(() => tool({ ...fine, ...change } as never))).toMatchObject({
      code: code.T1002,
      message: expect.stringMatching(message),
    })
  })

  test('an AI SDK tool without execute', () => {
    const record = options({ model, tools: { x: { description: '', inputSchema: { type: 'object' } } } })
    expect(thrownBy(() => agent('a', record))).toMatchObject({
      code: code.T1002,
      message: expect.stringMatching(/"x" has no execute/),
    })
  })
})

test.each<[string, (store: EngineOptions['store']) => unknown, RegExp]>([
  ['an unknown option', (store) => ({ agents: [], store, agent: 1 }), /unknown option "agent".*Known: agents/],
  ['no agents', (store) => ({ store }), /needs agents/],
  ['no store', () => ({ agents: [] }), /needs a store, such as sqlite/],
  ['a store that is none', () => ({ agents: [], store: 'querent.db' }), /needs a store/],
  ['no concurrency', (store) => ({ agents: [], store, concurrency: 0 }), /concurrency is 0.*above 0/],
])('T1003: the options of an engine: %s', (_, given, message) => {
  const { path } = world()
  const define = () => createEngine(given(sqlite(path)) as EngineOptions)
  expect(thrownBy(define)).toMatchObject({ code: code.T1003, message: expect.stringMatching(message) })
  expect(existsSync(path)).toBe(false)
})

test.each<[string, () => unknown, RegExp]>([
  ['steps of 0', () => agent('a', { model, limits: { steps: 0 } }), /limits\.steps = 0.*above 0/],
  ['steps that are no whole number', () => agent('a', { model, limits: { steps: 1.5 } }), /limits\.steps = 1\.5/],
  ['tokens below 0', () => agent('a', { model, limits: { perRun: { tokensOut: -1 } } }), /perRun\.tokensOut = -1/],
  ['asks that are no number', () => agent('a', options({ model, limits: { perRun: { asks: '5' } } })), /asks = "5"/],
  ['a wait without a unit', () => agent('a', { model, limits: { ask: '7' } }), /limits\.ask of agent "a" is "7".*"7d"/],
  ['a wait of 0', () => agent('a', { model, limits: { ask: 0 } }), /is 0/],
  [
    'a time-out below 0',
    () => tool({ name: 'x', description: '', input: {}, execute: () => 1, timeout: -5 }),
    /timeout of tool "x" is -5/,
  ],
])('T1004: a limit: %s', (_, define, message) => {
  expect(thrownBy(define)).toMatchObject({ code: code.T1004, message: expect.stringMatching(message) })
})

test('T1005: an agent that is not here: the ones that are are named, and nothing is written', async () => {
  const { open } = world()
  const engine = await open(asker([]).agents, { idle: true })
  const message = expect.stringMatching(/no agent "tailor" here\. Agents: asker/)
  expect(thrownBy(() => helperOf(engine, 'tailor'))).toMatchObject({ code: code.T1005, message })
  expect(await refusal(engine.runs.start('tailor', { input: 'go' }))).toMatchObject({ code: code.T1005, message })
  expect((await engine.runs.list()).items).toEqual([])
})

test('T1006: a model that is none', () => {
  const { path } = world()
  for (const none of [7, {}, null, () => 1, { step: 'x' }]) {
    const define = () => createEngine({ agents: [agent('a', { model: none })], store: sqlite(path) })
    expect(thrownBy(define)).toMatchObject({
      code: code.T1006,
      message: expect.stringMatching(/"a" has a model that is none.*Give an AI SDK/),
    })
  }
  expect(existsSync(path)).toBe(false)
})

test.each([true, false])(
  'T1009: a tool named question, whether questions are on (%s) or not, in either form',
  (questions) => {
    const { path } = world()
    const record = { question: { description: '', inputSchema: { type: 'object' }, execute: () => 1 } }
    for (const tools of [[named('question')], record]) {
      const define = () => createEngine({ agents: [agent('a', { model, questions, tools })], store: sqlite(path) })
      expect(thrownBy(define)).toMatchObject({
        code: code.T1009,
        message: expect.stringMatching(/"a" has a tool named "question".*reserved.*Rename/),
      })
    }
    expect(existsSync(path)).toBe(false)
  },
)

test('an agent’s own extension takes the place of the built-in one of its name, kinds and all', async () => {
  const { open } = world()
  const model = scriptedModel([{ calls: [{ tool: 'question', input: { question: 'Well?' } }] }, { text: 'ok' }])
  const mine: Extension = {
    name: 'question',
    tools: () => [
      {
        name: 'question',
        description: 'Asks in its own way.',
        inputSchema: { type: 'object' },
        asks: true,
        retrySafe: true,
        replays: false,
        execute: () =>
          park({
            kind: 'question',
            tool: 'question',
            input: { question: 'Mine?' },
            answerSchema: true,
            rule: { onExpire: 'refuse', guarded: false },
          }),
      },
    ],
    kinds: [
      { kind: 'question', describe: () => 'Mine?', resolve: () => ({ type: 'text', value: 'resolved by mine' }) },
    ],
  }
  const ann = helperOf(await open([agent('asker', { model, questions: true, extensions: [mine] })]), 'asker')
  const { run } = await ann.start('go')
  expect((await ann.atRest(run)).asks[0]?.input).toEqual({ question: 'Mine?' })
  await ann.approve({ run, step: 'question 1.1', data: 1 })
  await ann.atRest(run)
  expect(JSON.stringify(model.prompts[1]?.messages.at(-1))).toContain('resolved by mine')
})

test.each<[string, () => unknown, string]>([
  ['aproval', () => tool({ ...plain, aproval: true } as never), 'T1002'],
  ['retrysafe', () => tool({ ...plain, retrysafe: true } as never), 'T1002'],
  ['yes', () => tool({ ...plain, retrySafe: 'yes' } as never), 'T1002'],
  ['whn', () => tool({ ...plain, approval: { whn: () => true } } as never), 'T1002'],
  ['input', () => agent('a', { model, guards: { input: [] } } as never), 'T1001'],
  ['guards', () => agent('a', { model, guards: [() => true] } as never), 'T1001'],
  ['guards.in', () => agent('a', { model, guards: { in: () => true } } as never), 'T1001'],
  ['step', () => agent('a', { model, limits: { step: 3 } } as never), 'T1001'],
  ['tokensout', () => agent('a', { model, limits: { perRun: { tokensout: 3 } } } as never), 'T1001'],
  ['questions', () => agent('a', { model, questions: 'yes' } as never), 'T1001'],
  ['delivr', () => agent('a', { model, questions: { delivr: 'message' } } as never), 'T1001'],
  ['temprature', () => agent('a', { model, settings: { temprature: 1 } } as never), 'T1001'],
  ['extensions', () => agent('a', { model, extensions: ['ask'] } as never), 'T1001'],
  ['tools', () => agent('a', { model, tools: [{ name: 'x' }] } as never), 'T1002'],
])('what is misspelt, or of the wrong kind, is not left out in silence: %s', (named, define, wanted) => {
  const { code: seen, message } = thrownBy(define)
  expect(seen).toBe(wanted)
  expect(message).toContain(named)
})
