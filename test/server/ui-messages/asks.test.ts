import { delegate, tool } from 'querent'
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
      input: { amount: 5 },
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

describe('an approval that is answered with another input', () => {
  const withInput = async (approval: true | { editable: true }) => {
    const runs: unknown[] = []
    const { execute } = pay(runs)
    const input = { type: 'object', properties: { amount: { type: 'integer' } } } as const
    const tools = [tool({ name: 'pay', description: 'Pays.', input, approval, execute })]
    const { server } = await served([{ calls: [payCall] }, { text: 'Done.' }], { tools })
    const page = openChat(server, { sends: false })
    await page.chat.sendMessage({ text: 'pay' })
    const [part] = page.parts() as { toolCallId: string }[]
    const toolCallId = part?.toolCallId ?? ''
    const answer = async (amount: unknown) => {
      await page.chat.addToolOutput({ tool: 'pay', toolCallId, output: { input: { amount } } })
      await page.chat.sendMessage()
    }
    return { runs, page, server, answer }
  }

  test('runs with it where it may be edited, checked', async () => {
    const { runs, page, server, answer } = await withInput({ editable: true })
    await answer('much')
    expect(page.errors).toMatchObject([{ code: 'T0002' }])
    expect(page.parts()).toMatchObject([{ state: 'approval-requested', input: { amount: 5 } }])
    await answer(4)
    expect([runs, page.chat.status]).toEqual([[{ amount: 4 }], 'ready'])
    expect(page.parts()).toMatchObject([{ state: 'output-available', output: null }, { text: 'Done.' }])
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('is open again where it may not', async () => {
    const { runs, page, answer } = await withInput(true)
    await answer(4)
    expect([runs, page.errors[0]?.code]).toEqual([[], 'T0010'])
    expect(page.parts()).toMatchObject([{ state: 'approval-requested' }])
  })
})

describe('several asks of one turn', () => {
  const colour = ask({ question: 'Which colour?' })

  const several = (runs: unknown[]) =>
    served([{ calls: [size, payCall, colour] }, { text: 'All done.' }], { tools: [pay(runs)] })

  type Part = { toolCallId: string; approval: { id: string } }

  test('are sent together when the last is answered, in any order, once', async () => {
    const runs: unknown[] = []
    const { server, model } = await several(runs)
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'go' })
    const [first, payment, last] = page.parts() as Part[]
    await page.chat.addToolOutput({ tool: 'question', toolCallId: last?.toolCallId ?? '', output: 'red' })
    await page.chat.addToolApprovalResponse({ id: payment?.approval.id ?? '', approved: true })
    expect(page.posted).toHaveLength(1)
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: first?.toolCallId ?? '', output: 'S' }),
    )
    expect(page.posted).toHaveLength(2)
    expect(page.parts()).toMatchObject([
      { output: 'S', state: 'output-available' },
      { toolName: 'pay', state: 'output-available' },
      { output: 'red', state: 'output-available' },
      { text: 'All done.' },
    ])
    expect([runs.length, model.calls]).toEqual([1, 2])
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('count one by one where the page sends each, and those that are open stay as they are', async () => {
    const runs: unknown[] = []
    const { server, model } = await several(runs)
    const page = openChat(server, { sends: false })
    await page.chat.sendMessage({ text: 'go' })
    const [first, payment, last] = page.parts() as Part[]
    await page.chat.addToolApprovalResponse({ id: payment?.approval.id ?? '', approved: true })
    await page.chat.sendMessage()
    expect([runs.length, model.calls]).toEqual([1, 1])
    expect(page.parts()).toMatchObject([
      { state: 'input-available' },
      { state: 'output-available' },
      { state: 'input-available' },
    ])
    for (const [part, output] of [
      [first, 'M'],
      [last, 'blue'],
    ] as const) {
      await page.chat.addToolOutput({ tool: 'question', toolCallId: part?.toolCallId ?? '', output })
      await page.chat.sendMessage()
    }
    expect(page.parts()).toMatchObject([{ output: 'M' }, { output: null }, { output: 'blue' }, { text: 'All done.' }])
    expect([runs.length, model.calls]).toEqual([1, 2])
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })

  test('where one does not fit, the others count', async () => {
    const { server } = await several([])
    const page = openChat(server)
    await page.chat.sendMessage({ text: 'go' })
    const [first, payment, last] = page.parts() as Part[]
    await page.chat.addToolApprovalResponse({ id: payment?.approval.id ?? '', approved: false })
    await page.chat.addToolOutput({ tool: 'question', toolCallId: last?.toolCallId ?? '', output: 'red' })
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: first?.toolCallId ?? '', output: 'XXL' }),
    )
    expect(page.errors).toMatchObject([{ code: 'T0002', data: { ask: first?.toolCallId } }])
    await page.after(() =>
      page.chat.addToolOutput({ tool: 'question', toolCallId: first?.toolCallId ?? '', output: 'S' }),
    )
    expect(page.chat.status).toBe('ready')
    expect(page.parts()).toMatchObject([
      { output: 'S' },
      { state: 'output-denied' },
      { output: 'red' },
      { text: 'All done.' },
    ])
    expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  })
})

test('an approval of a delegated run, its path with it', async () => {
  const runs: unknown[] = []
  const { open } = world()
  const clerk = asker([{ calls: [payCall] }, { text: 'Paid.' }], { tools: [pay(runs)] }).asker
  const child = { ...clerk, name: 'clerk', description: 'Pays.' }
  const boss = asker([{ calls: [{ tool: 'clerk', input: { task: 'pay' } }] }, { text: 'It is done.' }], {
    tools: [delegate(child)],
  })
  const server = await serve(await open([...boss.agents, child]))
  const page = openChat(server)
  await page.chat.sendMessage({ text: 'pay' })
  const [call, approval] = page.parts() as { approval: { id: string } }[]
  // What is asked below it stands for the call: at work beside it, it would keep the page from sending the answer.
  expect(call).toMatchObject({ toolName: 'clerk', state: 'output-available', output: null, providerExecuted: true })
  expect(approval).toMatchObject({
    ...{ toolName: 'pay', state: 'approval-requested', input: { amount: 5 } },
    toolMetadata: { ask: { path: ['asker', 'clerk'] } },
  })
  await page.after(() => page.chat.addToolApprovalResponse({ id: approval?.approval.id ?? '', approved: true }))
  expect(page.parts()).toMatchObject([
    { toolName: 'clerk', state: 'output-available', output: null },
    { toolName: 'pay', state: 'output-available', output: null },
    { text: 'It is done.' },
  ])
  expect([runs.length, page.posted.length]).toEqual([1, 2])
  expect(shown(await history(server))).toEqual(shown(page.chat.messages))
})

test('what a tool asks is a question beside its call', async () => {
  const book = tool({
    name: 'book',
    description: 'Books.',
    retrySafe: true,
    input: { type: 'object' },
    async execute(_, { ask }) {
      const answer = await ask({ key: 'day', question: 'Which day?' })
      return answer.status === 'answered' ? `booked ${String(answer.data)}` : 'not booked'
    },
  })
  const { server, model } = await served([{ calls: [{ tool: 'book', input: {} }] }, { text: 'Booked.' }], {
    tools: [book],
  })
  const page = openChat(server)
  await page.chat.sendMessage({ text: 'book' })
  const [call, question] = page.parts() as { toolCallId: string }[]
  expect([call, question]).toMatchObject([
    { toolName: 'book', state: 'input-available', input: {}, providerExecuted: true },
    { type: 'tool-question', state: 'input-available' },
  ])
  await page.after(() =>
    page.chat.addToolOutput({ tool: 'question', toolCallId: question?.toolCallId ?? '', output: 'Monday' }),
  )
  expect(page.parts()).toMatchObject([
    { toolName: 'book', state: 'output-available', output: null },
    { output: 'Monday' },
    { text: 'Booked.' },
  ])
  expect(resultsIn(model.prompts[1])).toEqual([{ type: 'text', value: 'booked Monday' }])
  expect(shown(await history(server))).toEqual(shown(page.chat.messages))
  // Refused, the call goes on as well.
  const other = openChat(server, { id: 'chat-2' })
  await other.chat.sendMessage({ text: 'book' })
  const toolCallId = (other.parts()[1] as { toolCallId: string }).toolCallId
  await other.after(() =>
    other.chat.addToolOutput({ state: 'output-error', tool: 'question', toolCallId, errorText: 'no' }),
  )
  expect(other.parts()).toMatchObject([
    { toolName: 'book', state: 'output-available' },
    { state: 'output-error', errorText: 'no' },
    { text: 'Booked.' },
  ])
})
