import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { jsonSchema, tool as sdkTool } from 'ai'
import { type AgentRecord, agent, type Output, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { helperOf, world } from './world.ts'

const seen: unknown[] = []

const withZod = tool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.coerce.number().default(1) }),
  execute(input) {
    expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>()
    seen.push(input)
    return input.a + input.b
  },
})

const withValibot = tool({
  name: 'add',
  description: 'Adds.',
  input: toStandardJsonSchema(v.object({ a: v.number(), b: v.pipe(v.number(), v.minValue(1)) })),
  execute(input) {
    expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>()
    seen.push(input)
    return input.a + input.b
  },
})

const withJsonSchema = tool({
  name: 'add',
  description: 'Adds.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute(input) {
    seen.push(input)
    return input
  },
})

const fromAiSdk = {
  add: sdkTool({
    description: 'Adds.',
    inputSchema: jsonSchema<{ a: number; b: number }>({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    }),
    execute: (input) => {
      seen.push(input)
      return input.a + input.b
    },
  }),
}

test.each([
  ['zod', [withZod]],
  ['valibot', [withValibot]],
  ['JSON Schema', [withJsonSchema]],
  ['a tool of the AI SDK', fromAiSdk],
])(
  'a tool with %s: the model is told its schema, a wrong input is told to the model, a right one runs',
  async (_, tools) => {
    seen.length = 0
    const { open } = world()
    const model = scriptedModel([
      { calls: [{ tool: 'add', input: { a: 'one', b: 2 } }] },
      { calls: [{ tool: 'add', input: { a: 1, b: 2 } }] },
      { text: 'ok' },
    ])
    const ann = helperOf(await open([agent('adder', { model, tools })]), 'adder')
    const { run } = await ann.start('go')
    expect((await ann.atRest(run)).text).toBe('ok')
    expect(seen).toEqual([{ a: 1, b: 2 }])
    expect(model.prompts[0]?.tools[0]?.inputSchema).toMatchObject({ properties: { a: { type: 'number' } } })
    expect(JSON.stringify(model.prompts[1]?.messages.at(-1))).toContain('/a')
  },
)

test('the type of an output is that of its schema, or text', () => {
  const plain = agent('plain', { model: scriptedModel([]) })
  const typed = agent('typed', { model: scriptedModel([]), output: z.object({ size: z.enum(['S', 'M']) }) })
  expectTypeOf<Output<typeof plain>>().toEqualTypeOf<string>()
  expectTypeOf<Output<typeof typed>>().toEqualTypeOf<{ size: 'S' | 'M' }>()
  expect([plain, typed].map((each: AgentRecord) => each.name)).toEqual(['plain', 'typed'])
})
