import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agent } from '../core/agent.ts'
import { defaultTexts } from '../core/texts.ts'
import { instructionsOf, readOutput } from './check-output.ts'

const model = 'some/model'
const order = z.object({ size: z.enum(['S', 'M']), count: z.int() })
const shirts = agent('shirts', { model, output: order })
const value = { size: 'M', count: 2 }
const text = JSON.stringify(value)

describe('readOutput', () => {
  test.each([
    ['as it is', text],
    ['with space around it', `\n ${text}\n`],
    ['in a code block', `\`\`\`json\n${text}\n\`\`\``],
    ['in a code block without a name', `\`\`\`\n${text}\n\`\`\``],
    ['in a code block of a loud model', `\`\`\`JSON\r\n${text}\r\n\`\`\`\r\n`],
    ['in a code block on one line', `\`\`\`json ${text} \`\`\``],
  ])('reads JSON %s', async (_, given) => {
    expect(await readOutput(shirts, given)).toEqual({ ok: true, output: value })
  })

  test.each([
    ['text', 'Take M.', 'it is not JSON'],
    ['nothing', '', 'it is not JSON'],
    ['text around it', `Here: ${text}`, 'it is not JSON'],
    ['a list', `[${text}]`, 'object'],
    ['another value', '{"size":"XL","count":2}', '/size'],
    ['a missing property', '{"size":"M"}', '/count'],
  ])('says of %s why it does not fit', async (_, given, problem) => {
    expect(await readOutput(shirts, given)).toEqual({ ok: false, problems: expect.stringContaining(problem) })
  })

  test('checks rules that a JSON Schema cannot carry', async () => {
    const even = order.refine(({ count }) => count % 2 === 0, { path: ['count'], message: 'must be even' })
    const pairs = agent('pairs', { model, output: even })
    expect(await readOutput(pairs, text)).toEqual({ ok: true, output: value })
    expect(await readOutput(pairs, '{"size":"M","count":3}')).toEqual({ ok: false, problems: '/count must be even' })
  })

  test('gives what the schema makes of it, as JSON', async () => {
    const dated = agent('dated', { model, output: z.object({ at: z.iso.date().transform((at) => new Date(at)) }) })
    expect(await readOutput(dated, '{"at":"2026-01-02"}')).toEqual({
      ok: true,
      output: { at: '2026-01-02T00:00:00.000Z' },
    })
  })

  test.each([[false], [0], [''], [null]])('knows %j for an answer', async (falsy) => {
    const any = agent('any', { model, output: { enum: [false, 0, '', null] } })
    expect(await readOutput(any, JSON.stringify(falsy))).toEqual({ ok: true, output: falsy })
  })

  test('reads nothing where there is no schema', async () => {
    expect(await readOutput(agent('plain', { model }), text)).toEqual({ ok: true, output: undefined })
  })
})

describe('instructionsOf', () => {
  test('tells the schema behind the instructions, where there is one', () => {
    const output = { type: 'object', title: 'Order' } as const
    expect(instructionsOf(agent('a', { model, instructions: 'Be brief.' }), defaultTexts)).toBe('Be brief.')
    expect(instructionsOf(agent('a', { model, instructions: 'Be brief.', output }), defaultTexts)).toMatch(
      /^Be brief\.\n\nYour final answer must be JSON.*\{"type":"object","title":"Order"\}$/,
    )
    expect(instructionsOf(agent('a', { model, output }), defaultTexts)).toMatch(/^Your final answer/)
  })
})
