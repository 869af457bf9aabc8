import { type AgentOptions, agent, code, type Json, type OnExpire, tool } from 'querent'
import { ask } from 'querent/ask'
import { type ScriptedPrompt, scriptedModel, type TurnSource, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ended, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const faces: Record<string, AgentOptions> = {
  question: { questions: { deliver: 'message' } },
  ask: { extensions: [ask({ deliver: 'message' })] },
}

const anything = { type: 'object' } as const
const waiting = 'Asked. The answer will follow as a message.'
const hourMs = 3_600_000

const deletion = (done: string[] = []) =>
  tool({
    name: 'delete_record',
    description: 'Deletes.',
    input: anything,
    approval: true,
    execute: () => `deleted ${done.push('deleted')}`,
  })

const valuesIn = (prompt: ScriptedPrompt | undefined) => resultsIn(prompt).map(({ value }) => value)
const lastOf = (prompt: ScriptedPrompt | undefined) => prompt?.messages.at(-1)
const textOf = (messages: unknown) => JSON.stringify(messages).slice(0, -1)

describe.each(Object.entries(faces))('answers that come as a message, asked with %s', (face, options) => {
  const asks = (question: string) => ({ tool: face, input: { question } as Json })
  const deleting = { tool: 'delete_record', input: {} as Json }

  function play(turns: TurnSource[], more: AgentOptions = {}) {
    const model = scriptedModel(turns)
    return { model, agents: [agent('asker', { ...options, ...more, model })] }
  }
  const three = [{ calls: [asks('Size?'), asks('Colour?'), asks('Name?')] }, { text: 'Ordered.' }]

  test.each(['close', 'kill'] as const)(
    'three questions, a restart (%s) before each answer: one message in call order, after the last, in the same round',
    async (end) => {
      const w = world()
      let played = play(three)
      let engine = await w.open(played.agents)
      const { run } = await helperOf(engine, 'asker').start('a shirt')
      const parked = await helperOf(engine, 'asker').atRest(run)
      expect(parked.asks.map(({ step }) => step)).toEqual(['question 1.1', 'question 1.2', 'question 1.3'])
      const before = played.model.prompts[0]
      for (const [index, m] of [3, 1, 2].entries()) {
        const log = await engine.runs.log(run)
        await w[end](engine)
        played = play(three)
        engine = await w.open(played.agents)
        // A resume without an answer asks the model nothing, and writes nothing.
        expect(await helperOf(engine, 'asker').atRest(run)).toMatchObject({ status: 'waiting' })
        expect(await engine.runs.log(run)).toEqual(log)
        await helperOf(engine, 'asker').approve({ run, step: `question 1.${m}`, data: `answer ${m}` })
        await helperOf(engine, 'asker').atRest(run)
        expect(played.model.calls).toBe(index === 2 ? 1 : 0)
      }
      expect(await helperOf(engine, 'asker').run(run)).toMatchObject({ status: 'done', text: 'Ordered.', repeat: 1 })
      const [prompt] = played.model.prompts
      expect(wellFormed(prompt?.messages ?? [])).toEqual([])
      expect(prompt?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
      expect(valuesIn(prompt)).toEqual([waiting, waiting, waiting])
      expect(lastOf(prompt)).toEqual({
        role: 'user',
        content: 'Size?\nanswer 1\n\nColour?\nanswer 2\n\nName?\nanswer 3',
      })
      expect(textOf(prompt?.messages)).toContain(textOf(before?.messages))
      const types = typesOf(await engine.runs.log(run))
      expect(types.filter((type) => type === 'tool.returned')).toHaveLength(3)
      expect(types.filter((type) => type === 'message.added')).toHaveLength(1)
    },
  )

  test('a refusal with its reason stands under its question', async () => {
    const { open } = world()
    const { model, agents } = play([{ calls: [asks('Size?'), asks('Colour?')] }, { text: 'Ordered.' }])
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    await ann.refuse({ run, step: 'question 1.2', reason: 'any will do' })
    await ann.refuse({ run, step: 'question 1.1' })
    await ann.atRest(run)
    expect(lastOf(model.prompts[1])).toEqual({
      role: 'user',
      content: 'Size?\nThe person refused this.\n\nColour?\nThe person refused this. Reason: any will do',
    })
  })

  const expiries: [OnExpire, string][] = [
    ['refuse', 'The person refused this.'],
    ['tell', 'Nobody answered in time. This is not a refusal.'],
    [{ answer: 'M' }, 'Nobody answered in time. This is the default answer, not the person’s: M'],
    [{ answer: 7 }, 'Nobody answered in time. This is not a refusal.'],
  ]

  test.each(expiries)('onExpire %j: the message says so, beside what was answered', async (onExpire, told) => {
    const { open, clock, armed } = world()
    const { model, agents } = play([{ calls: [asks('Size?'), asks('Colour?')] }, { text: 'Ordered.' }], {
      limits: { ask: '1h' },
      onExpire,
    })
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.2', data: 'red' })
    await armed(hourMs + 1)
    clock.advance(hourMs + 1)
    expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 1 })
    expect(lastOf(model.prompts[1])).toEqual({ role: 'user', content: `Size?\n${told}\n\nColour?\nred` })
  })

  test('onExpire "fail" fails the run at once, whatever else is open; a later round goes on with a whole prompt', async () => {
    const { open, clock, armed } = world()
    const [begun, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const work = tool({
      name: 'work',
      description: 'Works.',
      input: anything,
      retrySafe: true,
      async execute(_, ctx) {
        begun.resolve()
        await later.promise
        return ctx.ask({ key: 'k', question: 'May I?' })
      },
    })
    const { model, agents } = play([{ calls: [asks('Size?'), { tool: 'work', input: {} }] }, { text: 'Again.' }], {
      tools: [work],
      limits: { ask: '1h' },
      onExpire: 'fail',
    })
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    await begun.promise
    clock.advance(hourMs / 2)
    later.resolve()
    expect((await ann.atRest(run)).asks.map(({ step }) => step)).toEqual(['question 1.1', 'tool 1.2'])
    await armed(hourMs / 2 + 1)
    clock.advance(hourMs / 2 + 1)
    expect(await ended(ann, run)).toMatchObject({ status: 'failed', error: { code: code.T2004 }, asks: [] })
    expect(model.calls).toBe(1)
    await ann.say({ run, text: 'again' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
  })

  test.each([
    ['the approval first', ['tool 1.2', 'question 1.1']],
    ['the question first', ['question 1.1', 'tool 1.2']],
  ])('beside an approval, %s: that call has no result until it is decided', async (_, order) => {
    const w = world()
    const done: string[] = []
    const turns = [{ calls: [asks('Which?'), deleting] }, { text: 'Ok.' }]
    let played = play(turns, { tools: [deletion(done)] })
    let engine = await w.open(played.agents)
    const { run } = await helperOf(engine, 'asker').start('clean up')
    await helperOf(engine, 'asker').atRest(run)
    const returned = async () =>
      (await engine.runs.log(run)).filter((event) => event.type === 'tool.returned').map(({ data }) => data)
    expect(await returned()).toMatchObject([{ result: { value: waiting } }])
    for (const step of order) {
      await w.close(engine)
      played = play(turns, { tools: [deletion(done)] })
      engine = await w.open(played.agents)
      const ann = helperOf(engine, 'asker')
      await ann.approve(step === 'tool 1.2' ? { run, step } : { run, step, data: 'the old one' })
      await ann.atRest(run)
    }
    expect(await helperOf(engine, 'asker').run(run)).toMatchObject({ status: 'done', repeat: 1 })
    expect(done).toEqual(['deleted'])
    const [prompt] = played.model.prompts
    expect(valuesIn(prompt)).toEqual([waiting, 'deleted 1'])
    expect(lastOf(prompt)).toEqual({ role: 'user', content: 'Which?\nthe old one' })
    expect(wellFormed(prompt?.messages ?? [])).toEqual([])
  })

  test('a question that a guard refused, or that nobody could answer, is told in its result; the message has the others', async () => {
    const { open } = world()
    const guards = { out: [(text: string) => (text.includes('PIN') ? { refuse: 'it asks for a PIN' } : true)] }
    const { model, agents } = play([{ calls: [asks('Your PIN?'), asks(' '), asks('Size?')] }, { text: 'Ok.' }], {
      guards: guards as AgentOptions['guards'],
    })
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).asks.map(({ step }) => step)).toEqual(['question 1.3'])
    await ann.approve({ run, step: 'question 1.3', data: 'M' })
    await ann.atRest(run)
    expect(valuesIn(model.prompts[1])).toEqual([
      'This was not shown to the person: it asks for a PIN.',
      expect.stringContaining('Nobody was asked'),
      waiting,
    ])
    expect(lastOf(model.prompts[1])).toEqual({ role: 'user', content: 'Size?\nM' })
  })

  test('where nothing could be asked there is no message, and the model is called at once', async () => {
    const { open } = world()
    const { model, agents } = play([{ calls: [asks(' ')] }, { text: 'Ok.' }])
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
    expect(lastOf(model.prompts[1])?.role).toBe('tool')
  })

  test('a message of the person between the answers: what was answered is brought, then theirs opens the next round', async () => {
    const { open, close } = world()
    const turns = [{ calls: [asks('Size?'), asks('Colour?')] }, { text: 'A cap.' }]
    const first = await open(play(turns).agents)
    const { run } = await helperOf(first, 'asker').start('a shirt')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const page = await open(play(turns).agents, { idle: true })
    await helperOf(page, 'asker').approve({ run, step: 'question 1.2', data: 'red' })
    await helperOf(page, 'asker').say({ run, text: 'forget it, a cap' })
    expect((await helperOf(page, 'asker').run(run)).asks).toEqual([])
    const { model, agents } = play(turns)
    const ann = helperOf(await open(agents), 'asker')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'A cap.', repeat: 2 })
    expect(model.prompts[0]?.messages.slice(-2)).toEqual([
      { role: 'user', content: 'Size?\nThe person wrote a message instead of answering.\n\nColour?\nred' },
      { role: 'user', content: 'forget it, a cap' },
    ])
    expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'M' }))).toMatchObject({ code: code.T0003 })
  })

  test('a message that came before the question opened: the waiting result stands, and the message says why', async () => {
    const { open } = world()
    const { model, agents } = play([{ calls: [asks('Size?')] }, { text: 'Large.' }])
    let run = ''
    const page = await open(agents, { idle: true })
    const engine = await open(agents, {
      async atPoint({ transition, when }) {
        if (transition === 'parkRun' && when === 'before' && run !== '')
          await helperOf(page, 'asker').say({ run, text: 'a large one', key: 'once' })
      },
    })
    const ann = helperOf(engine, 'asker')
    run = (await ann.start('a shirt')).run
    expect(await ended(ann, run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(valuesIn(model.prompts[1])).toEqual([waiting])
    expect(model.prompts[1]?.messages.slice(-2)).toEqual([
      { role: 'user', content: 'Size?\nThe person had written a message before this was asked.' },
      { role: 'user', content: 'a large one' },
    ])
  })

  test('stopped while it waits: the message says so, and a new round follows it', async () => {
    const { open } = world()
    const { model, agents } = play([{ calls: [asks('Size?'), asks('Colour?')] }, { text: 'Again.' }])
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    await ann.stop({ run })
    await ann.say({ run, text: 'again' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(wellFormed(model.prompts[1]?.messages ?? [])).toEqual([])
    expect(model.prompts[1]?.messages.slice(-2)).toEqual([
      { role: 'user', content: 'Size?\nM\n\nColour?\nStopped.' },
      { role: 'user', content: 'again' },
    ])
  })

  test('turn after turn, each brings its own answers, and the prompt only grows', async () => {
    const { open } = world()
    const { model, agents } = play([
      { calls: [asks('Size?')] },
      { text: 'Thanks.', calls: [asks('Colour?'), asks('Name?')] },
      { text: 'Ordered.' },
    ])
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('a shirt')
    for (const step of ['question 1.1', 'question 2.2', 'question 2.1']) {
      await ann.atRest(run)
      await ann.approve({ run, step, data: step })
    }
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 1 })
    expect(lastOf(model.prompts[2])).toEqual({ role: 'user', content: 'Colour?\nquestion 2.1\n\nName?\nquestion 2.2' })
    for (const [index, prompt] of model.prompts.slice(1).entries())
      expect(textOf(prompt.messages).startsWith(textOf(model.prompts[index]?.messages))).toBe(true)
  })

  test('the person sees their answers with what was asked, and not the message made of them', async () => {
    const { open } = world()
    const { agents } = play([{ calls: [asks('Size?')] }, { text: 'Ordered.' }])
    const ann = helperOf(await open(agents), 'asker')
    const { run } = await ann.start('a shirt')
    await ann.atRest(run)
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    const { messages } = await ann.atRest(run)
    expect(messages).toMatchObject([
      { role: 'user', text: 'a shirt' },
      { role: 'ask', end: { outcome: 'approved', data: 'M' } },
      { role: 'assistant', text: 'Ordered.' },
    ])
  })
})
