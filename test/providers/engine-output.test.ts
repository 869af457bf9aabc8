import { tool } from 'querent'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Dialect, dialects } from './dialects.ts'
import { expectGrown } from './exchange.ts'
import { serve } from './served-agent.ts'

const order = z.object({ size: z.enum(['S', 'M']), count: z.int() })
const orderOnWire = {
  type: 'object',
  properties: { size: { enum: ['S', 'M'] }, count: { type: 'integer' } },
  required: ['size', 'count'],
  additionalProperties: false,
}
const lookUp = tool({
  name: 'look_up',
  description: 'Looks something up.',
  input: { type: 'object' },
  retrySafe: true,
  execute: () => 'found',
})
const calls = [
  { id: 'call_a', name: 'question', arguments: '{"question":"Which size?","choices":["S","M"]}' },
  { id: 'call_b', name: 'look_up', arguments: '{}' },
]
const answer = '{"size":"M","count":2}'
const fenced = `\`\`\`json\n${answer}\n\`\`\``

describe.each(dialects)('$name', (dialect) => {
  test('the model is told the schema, held to it where it can be, and its answer is a value; beside tools and questions', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const options = { output: order, questions: true, tools: [lookUp] }
    const { ann, engine, server, sent, startToRest } = await serve(dialect, [{ calls }, { text: answer }], options)
    const { run } = await startToRest()
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    const done = await ann.atRest(run)
    expect(done).toMatchObject({ status: 'done', output: { size: 'M', count: 2 }, text: answer })
    expect((await engine.runs.list()).items[0]?.output).toEqual({ size: 'M', count: 2 })
    for (const index of [0, 1]) {
      const { format, instructions, tools } = sent(index)
      expect(JSON.stringify(instructions)).toMatch(/Be brief\..*must be JSON.*count/)
      expect(tools.map(({ name }) => name)).toEqual(['look_up', 'question'])
      if (dialect.name === 'compatible') expect(format).toBe('any')
      else expect(format).toMatchObject({ schema: orderOnWire })
      if (dialect.name === 'chat' || dialect.name === 'responses') expect(format).toMatchObject({ strict: true })
    }
    expectGrown(server.requests[0]?.body, server.requests[1]?.body, dialect.list)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test('an answer that does not fit is shown to nobody, told to the model and repaired; a code block will do', async () => {
    const script = [{ text: 'Take M.' }, { text: '{"size":"XL","count":2}' }, { text: fenced }]
    const { ann, server, startToRest } = await serve(dialect, script, { output: order })
    const { run, ...done } = await startToRest()
    expect(done).toMatchObject({ status: 'done', output: { size: 'M', count: 2 } })
    expect(done.messages.map((message) => message.role === 'assistant' && message.text)).toEqual([false, fenced])
    expect(server.requests).toHaveLength(3)
    expect(server.requests[1]?.body).toContain('it is not JSON')
    expect(server.requests[2]?.body).toContain('/size')
    for (const index of [1, 2])
      expectGrown(server.requests[index - 1]?.body, server.requests[index]?.body, dialect.list)
    await ann.say({ run, text: 'And a cap?' })
    await ann.atRest(run)
    expectGrown(server.requests[2]?.body, server.requests[3]?.body, dialect.list)
  })

  test('T2007 where no turn is left', async () => {
    const { server, startToRest } = await serve(dialect, [{ text: 'Take M.' }, { text: '{}' }], {
      output: order,
      limits: { steps: 2 },
    })
    const failed = await startToRest()
    expect(failed).toMatchObject({ status: 'failed', text: '', error: { code: 'T2007' } })
    expect(failed).not.toHaveProperty('output')
    expect(server.requests).toHaveLength(2)
  })
})

const [chat, compatible, responses] = dialects as [Dialect, Dialect, Dialect, Dialect]

test('live text of an answer that does not fit is taken back', async () => {
  const hang = { text: answer, end: 'nothing', after: 'hang' } as const
  const { startWatched } = await serve(chat, [{ text: 'Take M.' }, hang], { output: order })
  const seen = await (await startWatched()).seenUntil('text.reset')
  expect(seen.filter((event) => event.type === 'message')).toEqual([])
})

/** Schemas that OpenAI refuses with a 400 where it is told to hold the model to them. */
const loose = {
  'an optional property': z.object({ size: z.string(), note: z.string().optional() }),
  'a map': z.object({ sizes: z.record(z.string(), z.number()) }),
  'an open object': { type: 'object', properties: { any: { type: 'object' } }, required: ['any'] },
  'a keyword it does not know': {
    type: 'object',
    properties: { size: { type: 'string', not: { const: 'XL' } } },
    required: ['size'],
    additionalProperties: false,
  },
}

describe.each([chat, responses])('OpenAI over $name', (dialect) => {
  test.each(Object.entries(loose))('is not held to a schema with %s', async (_, output) => {
    const { sent, startToRest } = await serve(dialect, [{ text: '{}' }], { output: output })
    await startToRest()
    expect(sent(0).format).toMatchObject({ schema: { type: 'object' }, strict: false })
  })

  test('is told of a schema that is no object, and given no format, which it would refuse', async () => {
    const { sent, startToRest } = await serve(dialect, [{ text: '["S"]' }], { output: z.array(z.string()) })
    expect(await startToRest()).toMatchObject({ status: 'done', output: ['S'] })
    expect(sent(0).format).toBeUndefined()
    expect(JSON.stringify(sent(0).instructions)).toContain('must be JSON')
  })

  test('is held as the settings say', async () => {
    const settings = { providerOptions: { openai: { strictJsonSchema: false } } }
    const { sent, startToRest } = await serve(dialect, [{ text: answer }], { output: order, settings })
    await startToRest()
    expect(sent(0).format).toMatchObject({ strict: false })
  })
})

test('a compatible server is sent nothing but what it knows', async () => {
  const { server, startToRest } = await serve(compatible, [{ text: '{}' }], { output: { type: 'object' } })
  expect(await startToRest()).toMatchObject({ status: 'done', output: {} })
  expect(server.requests[0]?.body).not.toContain('strictJsonSchema')
})
