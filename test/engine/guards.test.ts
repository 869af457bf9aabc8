import { code, type Guard, tool, type ViewEvent } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, resultsIn, typesOf, world } from './world.ts'

const no =
  (word: string): Guard =>
  (text) =>
    !text.includes(word) || { refuse: `it says ${word}` }

const broken: Guard = () => {
  throw new Error('the guard itself is broken')
}

describe('in guards', () => {
  test('see input, messages and answers, with what they are; T0012, and nothing is written', async () => {
    const { open } = world()
    const seen: string[] = []
    const note: Guard = (text, { agent, run, direction, kind }) => {
      seen.push(`${agent} ${direction} ${kind} ${run.slice(0, 4)}: ${text}`)
      return true
    }
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }, { text: 'ok' }], {
      guards: { in: [note, no('secret')] },
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    expect(await refusal(ann.start('a secret'))).toMatchObject({
      code: code.T0012,
      message: 'Not accepted: it says secret.',
      data: { reason: 'it says secret' },
    })
    expect((await engine.runs.list()).items).toEqual([])

    const { run } = await ann.start('go')
    await ann.atRest(run)
    const log = await engine.runs.log(run)
    expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'secret size' }))).toMatchObject({
      code: code.T0012,
    })
    expect(await refusal(ann.say({ run, text: 'my secret' }))).toMatchObject({ code: code.T0012 })
    expect(await engine.runs.log(run)).toEqual(log)
    expect(await ann.run(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    expect(model.calls).toBe(2)
    expect(seen).toEqual([
      'asker in input run_: a secret',
      'asker in input run_: go',
      'asker in answer run_: secret size',
      'asker in message run_: my secret',
      'asker in answer run_: M',
    ])
  })

  test('judge an answer only after it fits, and the reason of a refusal, which the model hears too', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask({ question: 'Size?', choices: ['S'] })] }, { text: 'ok' }], {
      guards: { in: [no('XL')] },
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const parked = await ann.atRest(run)
    const at = { run, step: 'question 1.1' }
    expect(await refusal(ann.approve(at, { data: 'XL' }))).toMatchObject({ code: code.T0002 })
    expect(await refusal(ann.refuse(at, { reason: 'I want XL' }))).toMatchObject({ code: code.T0012 })
    expect(await ann.run(run)).toEqual(parked)
    await ann.refuse(at, { reason: 'none fits' })
    expect((await ann.atRest(run)).status).toBe('done')
  })

  test('judge the reason for which an approval was refused', async () => {
    const { open } = world()
    const pay = tool({ name: 'pay', description: '', input: { type: 'object' }, approval: true, execute: () => 1 })
    const { agents } = asker([{ calls: [{ tool: 'pay', input: {} }] }, { text: 'ok' }], {
      tools: [pay],
      guards: { in: [no('secret')] },
    })
    const engine = await open(agents)
    const page = await open([], { idle: true })
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    const at = { run, step: 'tool 1.1' }
    const ann = helperOf(engine, 'asker')
    expect(await refusal(ann.refuse(at, { reason: 'a secret' }))).toMatchObject({ code: code.T0012 })
    expect(await refusal(helperOf(page, 'asker').refuse(at, { reason: 'a secret' }))).toMatchObject({
      code: code.T0009,
    })
    await helperOf(page, 'asker').approve(at)
    expect((await ended(ann, run)).status).toBe('done')
  })

  test('T0009 where the process that is written to lacks them; the ask still waits', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }], { guards: { in: [no('secret')] } })
    const engine = await open(agents)
    const page = await open([], { idle: true })
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    const bob = helperOf(page, 'asker')
    expect(await refusal(bob.approve({ run, step: 'question 1.1', data: 'M' }))).toMatchObject({ code: code.T0009 })
    expect(await refusal(bob.approve({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0002 })
    expect(await refusal(bob.refuse({ run, step: 'question 1.1', reason: 'no' }))).toMatchObject({ code: code.T0009 })
    expect(await refusal(bob.say({ run, text: 'hello' }))).toMatchObject({ code: code.T0009 })
    expect((await bob.run(run)).status).toBe('waiting')
    await bob.refuse({ run, step: 'question 1.1' })
    expect((await helperOf(engine, 'asker').atRest(run)).status).toBe('done')
  })

  test('where no guard must see it, a process without the agent stores a message for one that has it', async () => {
    const { open, close } = world()
    const first = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(first.agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    await close(engine)
    const page = await open([], { idle: true })
    expect(await helperOf(page, 'asker').say({ run, text: 'hello' })).toEqual({ run, status: 'ready' })
    const next = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const ann = helperOf(await open(next.agents), 'asker')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', repeat: 2 })
    expect(JSON.stringify(next.model.prompts[0]?.messages.at(-1))).toContain('hello')
  })

  test('whatever is not true refuses, and so does one that throws', async () => {
    const { open } = world()
    for (const guard of [broken, () => undefined, () => false, () => ({}), async () => 'yes'] as unknown as Guard[]) {
      const engine = await open(asker([{ text: 'ok' }], { guards: { in: [guard] } }).agents)
      expect(await refusal(helperOf(engine, 'asker').start('go'))).toMatchObject({ code: code.T0012 })
    }
  })
})

describe('out guards', () => {
  test('a text they refuse is shown to nobody; the model is told after its turn, and says it otherwise', async () => {
    const { open } = world()
    const { model, agents } = asker(
      [{ text: 'The password is 1234.', calls: [{ tool: 'nothing', input: {} }] }, { text: 'I cannot say.' }],
      { guards: { out: [no('password')] } },
    )
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const seen: ViewEvent[] = []
    for await (const event of ann.watch(run)) seen.push(event)
    const view = await ann.run(run)
    expect(view).toMatchObject({ status: 'done', text: 'I cannot say.' })
    expect(JSON.stringify([seen, view])).not.toContain('1234')
    expect(model.prompts[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(model.prompts[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: 'This was not shown to the person: it says password.',
    })
    const reply = (await engine.runs.log(run)).find((event) => event.type === 'model.replied')
    expect(reply?.data).toMatchObject({ refused: { reason: expect.stringContaining('it says password') } })
  })

  test('with them no text is shown before they passed the whole', async () => {
    const { open } = world()
    const { agents } = asker([{ text: 'One two three.' }], { guards: { out: [() => true] } })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const types: string[] = []
    for await (const event of ann.watch(run)) types.push(event.type)
    expect(types).toEqual(['message', 'message', 'status'])
  })

  test('T2006 where no turn is left to say it otherwise', async () => {
    const { open } = world()
    const { model, agents } = asker([{ text: 'The password.' }, { text: 'The password!' }, { text: 'never' }], {
      guards: { out: [no('password')] },
      limits: { steps: 2 },
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const view = await ann.atRest(run)
    expect(view).toMatchObject({ status: 'failed', error: { code: code.T2006 }, text: '' })
    expect(JSON.stringify(view)).not.toContain('password')
    expect(model.calls).toBe(2)
  })

  test('a question they refuse is on no screen and in no stream; they see all that a person would read', async () => {
    const { open } = world()
    const seen: string[] = []
    const note: Guard = (text, { kind }) => {
      if (kind === 'question') seen.push(text)
      return true
    }
    const hidden = {
      question: 'Which?',
      choices: [{ label: 'a', description: 'the secret one' }, 'b'],
    }
    const shaped = {
      question: 'Fill in.',
      shape: { type: 'object', properties: { x: { title: 'A title', enum: ['secret value'], default: 'a default' } } },
    }
    const { model, agents } = asker([{ calls: [ask(hidden), ask(shaped), ask('Open?')] }, { text: 'ok' }], {
      guards: { out: [note, no('secret')] },
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const parked = await ann.atRest(run)
    expect(parked.asks.map(({ step }) => step)).toEqual(['question 1.3'])
    expect(JSON.stringify([parked, await engine.as({ id: 'ann' }).asks()])).not.toContain('secret')
    expect(await refusal(ann.approve({ run, step: 'question 1.1', data: 'a' }))).toMatchObject({ code: code.T0006 })
    await ann.approve({ run, step: 'question 1.3', data: 'yes' })
    expect(JSON.stringify(await ann.atRest(run))).not.toContain('secret')
    const told = 'This was not shown to the person: it says secret.'
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([told, told, 'yes'])
    expect(seen[0]).toContain('the secret one')
    for (const word of ['Fill in.', 'A title', 'secret value', 'a default']) expect(seen[1]).toContain(word)
    const refused = (await engine.runs.log(run)).filter((event) => event.type === 'guard.refused')
    expect(refused.map(({ data }) => data)).toMatchObject([
      { direction: 'out', kind: 'question', reason: 'it says secret', effect: `${run}.1.1.1` },
      { direction: 'out', kind: 'question', reason: 'it says secret', effect: `${run}.1.1.2` },
    ])
  })

  test('one that throws shows nothing, and its error is told to nobody', async () => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'x' }, { text: 'y' }], {
      guards: { out: [broken] },
      limits: { steps: 2 },
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error: { code: code.T2006 } })
    expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual([
      'This was not shown to the person: a guard failed.',
    ])
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  })
})
