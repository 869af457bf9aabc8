import { type Ask, code, type Json } from 'querent'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, resultsIn, typesOf, world } from '../engine/world.ts'

/** An agent that asks one question with a shape, once for each answer it is to get. */
function shaped(shape: Json, times: number) {
  return asker([
    ...Array.from({ length: times }, () => ({ calls: [ask({ question: 'Value?', shape })] })),
    { text: 'ok' },
  ])
}

const values: [Json, Json, Json[]][] = [
  [{ type: 'boolean' }, false, ['false', 0, null]],
  [{ type: 'integer' }, 0, ['0', false, null, '']],
  [{ type: 'string' }, '', [null, 0, false]],
  [{ type: ['string', 'null'] }, null, [0, false, []]],
  [{ type: 'array' }, [], [null, '', {}]],
]

test.each(values)('C20: %j is answered with %j, and it reaches the model as that', async (shape, value, misfits) => {
  const { open } = world()
  const { model, agents } = shaped(shape, 4)
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)

  for (const misfit of misfits)
    expect(await refusal(ann.approve({ run, step: 'question 1.1', data: misfit }))).toMatchObject({ code: code.T0002 })
  expect(await refusal(ann.approve({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0002 })
  expect(await refusal(ann.approve({ run, step: 'question 1.1', data: undefined }))).toMatchObject({ code: code.T0002 })
  expect(await refusal(ann.approve({ run, step: 'question 1.2', data: value }))).toMatchObject({ code: code.T0006 })
  expect(model.calls).toBe(1)

  const ways = [
    () => ann.approve({ run, step: 'question 1.1', data: value }),
    () => ann.approve({ run, step: 'question 2.1' }, { data: value }),
    async () => ann.approve((await ann.run(run)).asks[0] as Ask, { data: value }),
    async () => ann.approve({ ...((await ann.run(run)).asks[0] as Ask), data: value } as Ask),
  ]
  const told = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
  for (const [index, way] of ways.entries()) {
    await way()
    const view = await ann.atRest(run)
    expect(resultsIn(model.prompts[index + 1])).toEqual([told])
    expect(view.messages.findLast((line) => line.role === 'ask' && line.end)).toMatchObject({ end: { data: value } })
  }
  expect((await ann.run(run)).status).toBe('done')
})

test.each(values)(
  'C20: %j is answered with %j by the backend, where the system started the run',
  async (shape, value) => {
    const { open } = world()
    const { model, agents } = shaped(shape, 2)
    const engine = await open(agents)
    const { run } = await engine.runs.start('asker', { input: 'go' })
    await engine.runs.atRest(run)
    expect(await refusal(engine.runs.approve({ run, step: 'question 1.1' }))).toMatchObject({ code: code.T0002 })
    await engine.runs.approve({ run, step: 'question 1.1', data: value })
    await engine.runs.atRest(run)
    await engine.runs.approve({ run, step: 'question 2.1' }, { data: value })
    await engine.runs.atRest(run)
    const told = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
    expect(model.prompts.slice(1).map(resultsIn)).toEqual([[told], [told]])
  },
)

const unclear = [
  { labels: ['Staging', 'Staging'] },
  { labels: ['Staging', 'staging '] },
  { labels: ['caf\u00e9', 'cafe\u0301'] },
]

test.each(unclear)(
  'C24: labels that a person cannot tell apart are refused to the model: $labels',
  async ({ labels }) => {
    const { open } = world()
    const { model, agents } = asker([{ calls: [ask({ question: 'Where?', choices: labels })] }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).status).toBe('done')
    expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
    expect(resultsIn(model.prompts[1])).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/choices\[0\].*choices\[1\].*own label/) },
    ])
  },
)

test('C24: two questions of one text in one turn are two asks with two answers', async () => {
  const { open } = world()
  const same = ask({ question: 'Name?' })
  const { model, agents } = asker([
    {
      calls: [
        { ...same, id: 'x' },
        { ...same, id: 'x' },
      ],
    },
    { text: 'ok' },
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const { asks } = await ann.atRest(run)
  expect(asks.map(({ step }) => step)).toEqual(['question 1.1', 'question 1.2'])
  await ann.approve(asks[1] as Ask, { data: 'second' })
  await ann.approve(asks[0] as Ask, { data: 'first' })
  await ann.atRest(run)
  expect(resultsIn(model.prompts[1]).map(({ value }) => value)).toEqual(['first', 'second'])
})

const many = Array.from({ length: 2000 }, (_, index) => `label ${index}`)

const repairable: [string, Json, RegExp][] = [
  ['no choices', { question: 'Q?', choices: [] }, /"choices" is empty.*at least one/],
  ['2,000 choices', { question: 'Q?', choices: many }, /2000 choices, at most 50/],
  ['an empty label', { question: 'Q?', choices: ['a', ' '] }, /"choices\[1\]" is empty/],
  ['choices as a JSON text', { question: 'Q?', choices: '["a","b"]' }, /"choices" is a text; send a list/],
  ['no question', { choices: ['a', 'b'] }, /"question" is missing/],
  ['an empty question', { question: '  ' }, /"question" is empty/],
  ['multi without choices', { question: 'Q?', multi: true }, /"multi" is true without "choices"/],
  ['an unknown field', { question: 'Q?', options: ['a'] }, /"options" is no field.*did you mean "choices"/],
]

test.each(repairable)('C25: %s: an error the model can repair, and nobody is asked', async (_, input, message) => {
  const { open } = world()
  const { model, agents } = asker([{ calls: [{ tool: 'question', input }] }, { text: 'ok' }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', asks: [] })
  expect(typesOf(await engine.runs.log(run))).not.toContain('ask.opened')
  expect(resultsIn(model.prompts[1])).toEqual([{ type: 'error-text', value: expect.stringMatching(message) }])
})

test('C25: one choice is a question; a long label is cut; what was bad beside them does not matter', async () => {
  const { open } = world()
  const long = 'é'.repeat(10_000)
  const { model, agents } = asker([
    {
      calls: [
        ask({ question: 'One?', choices: ['only'] }),
        ask({ question: '' }),
        ask({ question: 'Long?', choices: [long, 'b'] }),
      ],
    },
    { text: 'ok' },
  ])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const { asks } = await ann.atRest(run)
  expect(asks.map(({ step }) => step)).toEqual(['question 1.1', 'question 1.3'])
  const cut = 'é'.repeat(100)
  expect(asks[1]).toMatchObject({ input: { choices: [cut, 'b'] }, options: [{ label: cut }, { label: 'b' }] })
  expect(await refusal(ann.approve({ run, step: 'question 1.2', data: 'x' }))).toMatchObject({ code: code.T0006 })
  await ann.approve({ run, step: 'question 1.1', data: 'only' })
  await ann.approve({ run, step: 'question 1.3', data: cut })
  await ann.atRest(run)
  expect(resultsIn(model.prompts[1])).toEqual([
    { type: 'text', value: 'only' },
    { type: 'error-text', value: expect.stringContaining('"question" is empty') },
    { type: 'text', value: cut },
  ])
})

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
}

test('C26: what does not fit is said field by field, the model is not woken; a refusal needs no value', async () => {
  const { open } = world()
  const { model, agents } = shaped(person, 1)
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  const log = await engine.runs.log(run)
  const wrong: [Json, string[]][] = [
    [{}, ['/name']],
    [{ name: 42 }, ['/name']],
    [{ name: 'Ann', age: -5 }, ['/age']],
    [{ name: 42, age: '5' }, ['/name', '/age']],
  ]
  for (const [data, paths] of wrong) {
    const refused = await refusal(ann.approve({ run, step: 'question 1.1', data }))
    expect(refused.code).toBe(code.T0002)
    const issues = refused.data.issues as { path: string; message: string }[]
    expect(issues.map(({ path }) => path).sort()).toEqual([...paths].sort())
    for (const { message } of issues) expect(message).not.toBe('')
    expect(await ann.run(run)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
  }
  expect(await engine.runs.log(run)).toEqual(log)
  expect(model.calls).toBe(1)
  await ann.refuse({ run, step: 'question 1.1', reason: 'not your business' })
  await ann.atRest(run)
  expect(resultsIn(model.prompts[1])).toEqual([
    { type: 'text', value: 'The person refused this. Reason: not your business' },
  ])
})

test.each([
  ['may have them', person, true],
  ['may not', { ...person, additionalProperties: false }, false],
])('C26: extra keys, where the shape says it %s', async (_, shape, fits) => {
  const { open } = world()
  const { agents } = shaped(shape, 1)
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  const answer = ann.approve({ run, step: 'question 1.1', data: { name: 'Ann', extra: 1 } })
  if (fits) expect((await answer).duplicate).toBe(false)
  else expect(await refusal(answer)).toMatchObject({ code: code.T0002, data: { issues: [{ path: '/extra' }] } })
})
