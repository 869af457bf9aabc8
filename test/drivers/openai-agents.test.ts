import { Usage } from '@openai/agents'
import { assistantMessage, functionCall, modelError, modelResponder } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import { ended, helperOf, refusal, world } from '../engine/world.ts'
import { clerk, heard } from './sdk-world.ts'

const say = (text: string) => [assistantMessage(text)]
const call = (name: string, input: Record<string, unknown>, callId: string) => functionCall(name, input, { callId })

test('two calls that need leave are asked together; approved and refused in another process; nothing is repeated', async () => {
  const { open, close } = world()
  const turns = [
    [call('find', { id: 1 }, 'a')],
    [
      assistantMessage('I will delete two.'),
      call('delete', { id: 7 }, 'b'),
      call('delete', { id: 8 }, 'c'),
      call('find', { id: 9 }, 'd'),
    ],
    say('One is gone.'),
  ]
  const { model, done, agents } = clerk(turns)
  const one = await open(agents)
  const { run } = await helperOf(one, 'clerk').start('tidy up')
  const parked = await helperOf(one, 'clerk').atRest(run)
  expect(parked).toMatchObject({ status: 'waiting', text: 'I will delete two.' })
  expect(parked.asks.map(({ kind, step, tool, input }) => [kind, step, tool, input])).toEqual([
    ['approval', 'tool 2.1', 'delete', { id: 7 }],
    ['approval', 'tool 2.2', 'delete', { id: 8 }],
  ])
  await close(one)

  const two = await open(agents)
  const ann = helperOf(two, 'clerk')
  await ann.approve({ run, step: 'tool 2.1' })
  expect((await ann.atRest(run)).asks.map(({ step }) => step)).toEqual(['tool 2.2'])
  expect(done).toEqual(['find 1', 'find 9'])
  await close(two)

  const three = helperOf(await open(agents), 'clerk')
  await three.refuse({ run, step: 'tool 2.2', reason: 'keep it' })
  const end = await three.atRest(run)
  expect(end).toMatchObject({ status: 'done', text: 'One is gone.', output: 'One is gone.' })
  expect(done).toEqual(['find 1', 'find 9', 'delete 7'])
  expect(model.calls).toHaveLength(3)
  expect(heard(model)).toEqual([
    'user: tidy up',
    'call find {"id":1}',
    'result find: find done',
    'assistant: I will delete two.',
    'call delete {"id":7}',
    'call delete {"id":8}',
    'call find {"id":9}',
    'result find: find done',
    'result delete: delete done',
    'result delete: The person refused this. Reason: keep it',
  ])
})

test('askTool: the question of the built-in loop, checked when asked and when answered', async () => {
  const { open, close } = world()
  const { model, agents } = clerk([
    [call('question', { question: 'Which size?', choices: ['S'], multi: 'yes' }, 'a')],
    [
      call('question', { question: ' Which size? ', choices: ['S', 'M'] }, 'b'),
      call('question', { question: 'How many?', shape: { type: 'integer' } }, 'c'),
    ],
    say('Ordered.'),
  ])
  const one = await open(agents)
  const { run } = await helperOf(one, 'clerk').start('a shirt')
  const parked = await helperOf(one, 'clerk').atRest(run)
  expect(parked.asks).toMatchObject([
    {
      kind: 'question',
      step: 'question 2.1',
      input: { question: 'Which size?' },
      options: [{ label: 'S' }, { label: 'M' }],
    },
    { kind: 'question', step: 'question 2.2' },
  ])
  expect(heard(model).at(-1)).toMatch(/^result question: Nobody was asked: .*multi/)
  await close(one)

  const ann = helperOf(await open(agents), 'clerk')
  expect(await refusal(ann.approve({ run, step: 'question 2.1', data: 'XL' }))).toMatchObject({ code: 'T0002' })
  await ann.approve({ run, step: 'question 2.2', data: 0 })
  await ann.approve({ run, step: 'question 2.1', data: 'M' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Ordered.' })
  expect(heard(model).slice(-2)).toEqual(['result question: M', 'result question: 0'])
})

test('a question that is not offered, or refused, is told to the model', async () => {
  const { open } = world()
  const off = clerk([[call('question', { question: 'Who?' }, 'a')], say('Alone.')], {
    agentOptions: { questions: false },
  })
  const ann = helperOf(await open(off.agents), 'clerk')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Alone.' })
  expect(heard(off.model).at(-1)).toBe('result question: There is no tool "question". Tools: none.')

  const refused = clerk([[call('question', { question: 'Who?' }, 'a')], say('Well.')])
  const bob = helperOf(await open(refused.agents), 'clerk', 'bob')
  const other = await bob.start('go')
  await bob.atRest(other.run)
  await bob.refuse({ run: other.run, step: 'question 1.1', reason: 'private' })
  await bob.atRest(other.run)
  expect(heard(refused.model).at(-1)).toBe('result question: The person refused this. Reason: private')
})

test('a message instead of an answer: what was approved runs, the rest is told, then the message', async () => {
  const { open } = world()
  const { model, done, agents } = clerk([
    [call('delete', { id: 7 }, 'a'), call('delete', { id: 8 }, 'b'), call('question', { question: 'Sure?' }, 'c')],
    say('Seven is gone.'),
    say('Hello again.'),
  ])
  const ann = helperOf(await open(agents), 'clerk')
  const { run } = await ann.start('tidy up')
  await ann.atRest(run)
  await ann.approve({ run, step: 'tool 1.1' })
  await ann.say({ run, text: 'only seven' })
  expect(await ended(ann, run)).toMatchObject({ status: 'done', text: 'Seven is gone.', repeat: 2, asks: [] })
  expect(done).toEqual(['delete 7'])
  expect(heard(model).slice(-4)).toEqual([
    'result delete: delete done',
    'result delete: The person wrote a message instead of answering.',
    'result question: The person wrote a message instead of answering.',
    'user: only seven',
  ])
  await ann.say({ run, text: 'hello' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Hello again.', repeat: 3 })
  expect(heard(model).slice(-3)).toEqual(['user: only seven', 'assistant: Seven is gone.', 'user: hello'])
})

test('a message while the model works is in its next prompt', async () => {
  const { open } = world()
  const working = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const first = modelResponder(async () => {
    working.resolve()
    await goOn.promise
    return [call('find', { id: 1 }, 'a')]
  })
  const { model, agents } = clerk([first, say('Two.')])
  const ann = helperOf(await open(agents), 'clerk')
  const { run } = await ann.start('find one')
  await working.promise
  await ann.say({ run, text: 'find two' })
  goOn.resolve()
  expect(await ended(ann, run)).toMatchObject({ status: 'done', text: 'Two.', repeat: 2 })
  expect(heard(model)).toEqual(['user: find one', 'call find {"id":1}', 'result find: find done', 'user: find two'])
  expect(model.calls).toHaveLength(2)
})

test('stopped while it waits: nothing runs, and a later message goes on with a prompt that is whole', async () => {
  const { open } = world()
  const { model, done, agents } = clerk([
    [call('delete', { id: 7 }, 'a'), call('question', { question: 'Sure?' }, 'b'), call('delete', { id: 8 }, 'c')],
    say('As you like.'),
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('tidy up')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.2', data: 'yes' })
  await ann.approve({ run, step: 'tool 1.1' })
  await ann.stop({ run })
  expect(await ann.atRest(run)).toMatchObject({ status: 'stopped', asks: [] })
  await ann.say({ run, text: 'never mind' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'As you like.' })
  expect(done).toEqual([])
  expect(heard(model).slice(-4)).toEqual([
    'result delete: Stopped.',
    'result question: yes',
    'result delete: Stopped.',
    'user: never mind',
  ])
})

test('stopped while the model works: its call is aborted, and the worker is free', async () => {
  const { open } = world()
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const hang = modelResponder(({ request }) => {
    asked.resolve(request.signal)
    return new Promise(() => undefined)
  })
  const { agents } = clerk([hang, say('Next.')])
  const ann = helperOf(await open(agents, { concurrency: 1 }), 'clerk')
  const { run } = await ann.start('go')
  const signal = await asked.promise
  await ann.stop({ run })
  expect((await ann.atRest(run)).status).toBe('stopped')
  const next = await ann.start('next')
  expect(await ann.atRest(next.run)).toMatchObject({ status: 'done', output: 'Next.' })
  expect(signal?.aborted).toBe(true)
})

test('what was approved has run in a turn of its own: a process that dies in the next model call repeats nothing of it', async () => {
  const { open, kill } = world()
  const asked = Promise.withResolvers<void>()
  const hang = modelResponder(() => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  const { model, done, agents } = clerk([[call('delete', { id: 7 }, 'a')], hang, say('Gone.')])
  const one = await open(agents)
  const { run } = await helperOf(one, 'clerk').start('tidy up')
  await helperOf(one, 'clerk').atRest(run)
  await helperOf(one, 'clerk').approve({ run, step: 'tool 1.1' })
  await asked.promise
  await kill(one)
  const ann = helperOf(await open(agents), 'clerk')
  expect(await ended(ann, run)).toMatchObject({ status: 'done', output: 'Gone.' })
  expect(done).toEqual(['delete 7'])
  expect(model.calls[2]?.request.input).toEqual(model.calls[1]?.request.input)
})

test('what the SDK throws fails the run, its cause readable; a retry goes on from the last turn', async () => {
  const { open } = world()
  const { done, agents } = clerk([
    [call('find', { id: 1 }, 'a')],
    modelError(new Error('401 wrong key', { cause: new Error('the key has expired') })),
    say('Found.'),
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({
    status: 'failed',
    error: { code: 'T2005', message: 'The agent "Clerk" failed: 401 wrong key (the key has expired)' },
  })
  await engine.runs.retry(run)
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Found.' })
  expect(done).toEqual(['find 1'])
})

test('limits are ours: model calls of a round, output tokens of a run, asks', async () => {
  const { open } = world()
  const finds = (count: number) => Array.from({ length: count }, (_, id) => [call('find', { id }, `c${id}`)])
  const spending = modelResponder(() => ({
    usage: new Usage({ requests: 1, inputTokens: 3, outputTokens: 50, totalTokens: 53 }),
    output: [call('find', { id: 1 }, 'a')],
  }))
  const agentOptions = { limits: { steps: 2, perRun: { tokensOut: 40 } } }
  const steps = clerk(finds(3), { agentOptions: { limits: { steps: 2 } } })
  const tokens = clerk([spending, say('No.')], { agentOptions })
  const asks = clerk([[call('delete', { id: 1 }, 'a'), call('delete', { id: 2 }, 'b')]], {
    agentOptions: { limits: { perRun: { asks: 1 } } },
  })
  const ends = []
  for (const { agents } of [steps, tokens, asks]) {
    const ann = helperOf(await open(agents), 'clerk')
    const { run } = await ann.start('go')
    ends.push(await ann.atRest(run))
  }
  expect(ends.map(({ error }) => error?.code)).toEqual(['T2001', 'T2002', 'T2003'])
  expect([steps.model.calls.length, tokens.model.calls.length]).toEqual([2, 1])
  expect(ends[1]?.usage).toMatchObject({ inputTokens: 3, outputTokens: 50 })
})
