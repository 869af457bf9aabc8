import { tool } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, resultsIn, world } from '../../engine/world.ts'
import { serve } from '../served.ts'
import { history, openChat, shown } from './chats.ts'

const size = ask({ question: 'Which size?', choices: ['S', 'M'] })

const pay = (runs: unknown[]) =>
  tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'integer' } } },
    approval: true,
    execute: (input) => {
      runs.push(input)
      return 'paid'
    },
  })

const payCall = { tool: 'pay', input: { amount: 5 } }

async function served(...args: Parameters<typeof asker>) {
  const { open } = world()
  const { agents, model } = asker(...args)
  return { model, server: await serve(await open(agents)) }
}

describe('a question', () => {
  test('waits as a part of the reply, and its answer goes on with the same reply', async () => {
    const { server, model } = await served([{ text: 'Let me ask.', calls: [size] }, { text: 'Ordered.' }])
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'a shirt' })
    expect(page.chat.status).toBe('ready')
    const [text, question] = page.parts()
    expect(text).toMatchObject({ type: 'text', text: 'Let me ask.', state: 'done' })
    expect(question).toMatchObject({
      type: 'tool-question',
      state: 'input-available',
      input: { question: 'Which size?', choices: ['S', 'M'] },
      toolMetadata: { ask: { kind: 'question', step: 'question 1.1', options: [{ label: 'S' }, { label: 'M' }] } },
    })
    const { toolCallId } = question as { toolCallId: string }
    await page.after(() => page.chat.addToolOutput({ tool: 'question', toolCallId, output: 'M' }))
    expect(page.chat.status).toBe('ready')
    expect(page.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(page.parts().slice(1)).toMatchObject([
      { state: 'output-available', output: 'M', toolMetadata: { end: { outcome: 'approved', by: 'you' } } },
      { type: 'text', text: 'Ordered.' },
    ])
    expect(page.chat.messages.at(-1)?.metadata).toMatchObject({ status: 'done', usage: { outputTokens: 20 } })
    expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: 'M' }])
    expect(page.posted).toHaveLength(2)
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('is refused with an error, whose text is the reason', async () => {
    const { server, model } = await served([{ calls: [size] }, { text: 'Then not.' }])
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'a shirt' })
    const [question] = page.parts() as { toolCallId: string }[]
    const { toolCallId = '' } = question ?? {}
    await page.after(() =>
      page.chat.addToolOutput({ state: 'output-error', tool: 'question', toolCallId, errorText: 'not now' }),
    )
    expect(page.parts()).toMatchObject([
      { state: 'output-error', errorText: 'not now', toolMetadata: { end: { outcome: 'refused' } } },
      { text: 'Then not.' },
    ])
    expect(JSON.stringify(resultsIn(model.prompts[1]))).toContain('not now')
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('is open again where the answer does not fit, and the model hears nothing', async () => {
    const { server, model } = await served([{ calls: [size] }, { text: 'Ordered.' }])
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'a shirt' })
    const [question] = page.parts() as { toolCallId: string }[]
    const { toolCallId = '' } = question ?? {}
    await page.after(() => page.chat.addToolOutput({ tool: 'question', toolCallId, output: 'XL' }))
    expect(page.chat.status).toBe('error')
    expect(page.errors).toMatchObject([{ code: 'T0002', data: { ask: toolCallId, issues: [{ path: '' }] } }])
    expect(page.parts()).toMatchObject([{ state: 'input-available' }])
    expect(page.parts()[0]).not.toHaveProperty('output', 'XL')
    expect(model.calls).toBe(1)
    await page.after(() => page.chat.addToolOutput({ tool: 'question', toolCallId, output: 'S' }))
    expect(page.chat.status).toBe('ready')
    expect(page.parts()).toMatchObject([{ state: 'output-available', output: 'S' }, { text: 'Ordered.' }])
    expect(page.posted).toHaveLength(3)
  })
})

describe('an approval', () => {
  test('is requested, given, and its call runs', async () => {
    const runs: unknown[] = []
    const { server } = await served([{ calls: [payCall] }, { text: 'Done.' }], { tools: [pay(runs)] })
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'pay' })
    const [part] = page.parts() as { approval: { id: string } }[]
    expect(part).toMatchObject({
      type: 'dynamic-tool',
      toolName: 'pay',
      state: 'approval-requested',
      ...(payCall.input && { input: { amount: 5 } }),
    })
    await page.after(() => page.chat.addToolApprovalResponse({ id: part?.approval.id ?? '', approved: true }))
    expect(page.parts()).toMatchObject([
      { state: 'output-available', output: null, approval: { approved: true } },
      { text: 'Done.' },
    ])
    expect(runs).toEqual([{ amount: 5 }])
    expect(page.posted).toHaveLength(2)
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('is refused with a reason, and nothing runs', async () => {
    const runs: unknown[] = []
    const { server, model } = await served([{ calls: [payCall] }, { text: 'Then not.' }], { tools: [pay(runs)] })
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'pay' })
    const [part] = page.parts() as { approval: { id: string } }[]
    const refusal = { id: part?.approval.id ?? '', approved: false, reason: 'too much' }
    await page.after(() => page.chat.addToolApprovalResponse(refusal))
    expect(page.parts()).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'too much' } },
      { text: 'Then not.' },
    ])
    expect(runs).toEqual([])
    expect(JSON.stringify(resultsIn(model.prompts[1]))).toContain('too much')
    expect(page.posted).toHaveLength(2)
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })
})
