import { tool } from 'querent'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, type Said } from './dialects.ts'
import { expectGrown } from './exchange.ts'
import { serve } from './served-agent.ts'

// The SDK warns of what a provider's protocol cannot carry.
beforeAll(() => {
  globalThis.AI_SDK_LOG_WARNINGS = false
})
afterAll(() => {
  globalThis.AI_SDK_LOG_WARNINGS = undefined
})

const question = { id: 'call_a', name: 'question', arguments: '{"question":"Which size?"}' }

function find(found: string[]) {
  return tool({
    name: 'find',
    description: 'Finds.',
    input: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    execute: (input) => {
      found.push((input as { q: string }).q)
      return 'found'
    },
  })
}

describe.each(dialects)('$name', (dialect) => {
  test('a refusal is the answer, told as what it is', async () => {
    const { engine, startToRest } = await serve(dialect, [{ refusal: 'I will not.' }])
    const { run, ...done } = await startToRest()
    expect(done).toMatchObject({ status: 'done', text: 'I will not.', output: 'I will not.' })
    const replied = (await engine.runs.log(run)).find((event) => event.type === 'model.replied')
    expect(replied?.data).toMatchObject({ finish: 'content-filter' })
  })

  test('a text that was cut at the model’s own limit is the answer; the log says that it was', async () => {
    const { engine, startToRest } = await serve(dialect, [{ text: 'Half a', end: 'length' }])
    const { run, ...done } = await startToRest()
    expect(done).toMatchObject({ status: 'done', text: 'Half a' })
    const replied = (await engine.runs.log(run)).find((event) => event.type === 'model.replied')
    expect(replied?.data).toMatchObject({ finish: 'length' })
  })

  test.each([
    ['filter', 'a filter of the provider withheld the reply'],
    ['length', 'its output tokens were used up before it said anything'],
  ] as const)(
    'an end by %s with nothing said is no answer: T2005; a retry asks again, and so does a message',
    async (end, why) => {
      const script = [{ reasoning: 'Hm.', end }, { reasoning: 'Hm.', end }, { text: 'Whole.' }]
      const { ann, engine, startToRest, server } = await serve(dialect, script)
      const { run, ...failed } = await startToRest()
      const error = { code: 'T2005', message: expect.stringContaining(why) }
      expect(failed).toMatchObject({ status: 'failed', error })
      // What it cost is counted.
      expect(failed.usage.outputTokens).toBe(7)
      await engine.runs.retry(run)
      expect(await ann.atRest(run)).toMatchObject({ status: 'failed', error })
      await ann.say({ run, text: 'Try again' })
      expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Whole.' })
      expect(server.requests).toHaveLength(3)
    },
  )

  test('a text that was cut because the run has no tokens left fails the run (T2002)', async () => {
    const limits = { perRun: { tokensOut: 7 } }
    const { startToRest } = await serve(dialect, [{ text: 'Half a', end: 'length' }], { limits })
    expect(await startToRest()).toMatchObject({
      status: 'failed',
      text: 'Half a',
      error: { code: 'T2002', message: expect.stringContaining('limits.perRun.tokensOut') },
    })
  })

  test('arguments that are no JSON: the model is told, and repairs them', async () => {
    const garbage = [
      { ...question, arguments: '{"question":"Which' },
      { id: 'call_b', name: 'find', arguments: '{"q":' },
    ]
    const repaired = [
      { ...question, id: 'call_c' },
      { id: 'call_d', name: 'find', arguments: '{"q":"caps"}' },
    ]
    const found: string[] = []
    const { ann, server, sent, startToRest } = await serve(
      dialect,
      [{ calls: garbage }, { calls: repaired.slice(1) }, { calls: repaired.slice(0, 1) }, { text: 'M.' }],
      { questions: true, tools: [find(found)] },
    )
    const { run, asks } = await startToRest()
    expect(asks).toMatchObject([{ step: 'question 3.1', input: { question: 'Which size?' } }])
    expect(found).toEqual(['caps'])
    expect(server.requests[1]?.body).toContain('The input of this call is not JSON')
    await ann.approve({ run, step: 'question 3.1', data: 'M' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'M.' })
    expect(sent(3).results).toEqual(['call_a', 'call_b', 'call_d', 'call_c'])
    for (const index of [1, 2, 3])
      expectGrown(server.requests[index - 1]?.body, server.requests[index]?.body, dialect.list)
  })

  test('arguments that were cut off at the length limit: the model hears that', async () => {
    const cut: Said = {
      text: 'I look.',
      calls: [{ id: 'call_b', name: 'find', arguments: '{"q":"ca' }],
      end: 'length',
    } as const
    const found: string[] = []
    const { server, startToRest } = await serve(dialect, [cut, { text: 'None.' }], { tools: [find(found)] })
    expect(await startToRest()).toMatchObject({ status: 'done', text: 'None.' })
    expect(found).toEqual([])
    expect(server.requests[1]?.body).toContain('cut off at the limit of output tokens')
  })
})

describe.each(dialects.filter(({ name }) => name !== 'anthropic'))('$name reports no usage', (dialect) => {
  test('it is estimated, and said to be', async () => {
    const { startToRest } = await serve(dialect, [{ text: 'A whole sentence.', usage: null }])
    const { usage } = await startToRest()
    expect(usage.estimated).toBe(true)
    expect(usage.inputTokens).toBeGreaterThan(0)
    expect(usage.outputTokens).toBeGreaterThan(0)
    expect(usage.totalTokens).toBe(usage.inputTokens + usage.outputTokens)
  })
})

describe.each(dialects.filter(({ name }) => name === 'responses' || name === 'anthropic'))('$name', (dialect) => {
  test('a tool that the provider ran is not run again, and stays over a park', async () => {
    const ran = { id: 'mcp_1', name: 'find', output: 'found by the provider' }
    const found: string[] = []
    const { ann, engine, server, startToRest } = await serve(dialect, [{ ran, calls: [question] }, { text: 'M.' }], {
      questions: true,
      tools: [find(found)],
    })
    const { run } = await startToRest()
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'M.' })
    expect(found).toEqual([])
    const replied = (await engine.runs.log(run)).find((event) => event.type === 'model.replied')
    expect(replied?.data).toMatchObject({
      calls: [{ tool: 'question' }],
      messages: [expect.stringContaining('found by the provider')],
    })
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, dialect.list)
  })
})
