import { Agent, type RunContext, tool as sdkTool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { type AgentRecord, agent } from 'querent'
import { askTool, openaiAgents } from 'querent/openai-agents'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ended, helperOf, world } from '../engine/world.ts'
import { clerk, heard, runner } from './sdk-world.ts'

const say = (text: string) => [assistantMessage(text)]
const call = (name: string, input: Record<string, unknown>, callId: string) => functionCall(name, input, { callId })

test('out guards: a text and an ask that they refuse are shown to nobody, and the model is told', async () => {
  const { open } = world()
  const out = [(text: string) => (/secret|666/.test(text) ? { refuse: 'a secret' } : (true as const))]
  const { model, done, agents } = clerk(
    [[assistantMessage('the secret'), call('delete', { id: 666 }, 'a')], say('the secret is'), say('Nothing.')],
    { agentOptions: { guards: { out } } },
  )
  const engine = await open(agents)
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('go')
  const end = await ann.atRest(run)
  expect(end).toMatchObject({ status: 'done', output: 'Nothing.' })
  expect(JSON.stringify(end)).not.toMatch(/secret|666/)
  const notShown = 'This was not shown to the person: a secret.'
  expect(heard(model).slice(2)).toEqual([
    'call delete {"id":666}',
    `result delete: ${notShown}`,
    `user: ${notShown}`,
    'assistant: the secret is',
    `user: ${notShown}`,
  ])
  expect(done).toEqual([])
})

test('C37: a call that was refused is not asked again, nor its tool after three refusals, until the person writes', async () => {
  const { open } = world()
  let calls = 0
  const again = (id: number) => [call('delete', { id }, `c${id}${++calls}`)]
  const turns = [again(1), again(1), again(2), again(3), again(4), say('I stop.'), again(1), say('Done.')]
  const { model, agents } = clerk(turns)
  const ann = helperOf(await open(agents), 'clerk')
  const { run } = await ann.start('tidy up')
  for (const step of ['tool 1.1', 'tool 3.1', 'tool 4.1']) {
    expect((await ann.atRest(run)).asks.map((ask) => ask.step)).toEqual([step])
    await ann.refuse({ run, step })
  }
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'I stop.' })
  const results = heard(model).filter((line) => line.startsWith('result'))
  expect(results[1]).toMatch(/^result delete: Not run and not asked again/)
  expect(results[4]).toMatch(/^result delete: Not run and not asked: the person refused "delete" 3 times/)
  await ann.say({ run, text: 'delete one' })
  expect((await ann.atRest(run)).asks).toMatchObject([{ repeat: 2, step: 'tool 1.1' }])
})

test('nobody answers: the model hears it as the agent’s rule says', async () => {
  const { open, clock } = world()
  const { model, agents } = clerk(
    [[call('delete', { id: 1 }, 'a'), call('question', { question: 'Sure?' }, 'b')], say('Well.')],
    {
      agentOptions: { limits: { ask: '1h' }, onExpire: { answer: 'no' } },
    },
  )
  const ann = helperOf(await open(agents), 'clerk')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  clock.advance(3_600_001)
  expect(await ended(ann, run)).toMatchObject({ status: 'done' })
  expect(heard(model).slice(-2)).toEqual([
    'result delete: The person refused this.',
    'result question: Nobody answered in time. This is the default answer, not the person’s: no',
  ])
})

test('the context is made anew in each process and is never stored; what it ends with may be a value', async () => {
  const { open, close } = world()
  const seen: string[] = []
  const sign = sdkTool({
    name: 'sign',
    description: 'Signs.',
    parameters: z.object({ name: z.string() }),
    needsApproval: true,
    execute: ({ name }, context) => {
      seen.push(`${name} with ${(context as RunContext<{ key: string }>).context.key}`)
      return 'signed'
    },
  })
  const model = new ScriptedModel([[call('sign', { name: 'Ann' }, 'a')], say('{"size":"M"}')])
  const signer = new Agent<{ key: string }, z.ZodObject<{ size: z.ZodString }>>({
    name: 'Signer',
    model,
    tools: [sign, askTool()],
    outputType: z.object({ size: z.string() }),
  })
  const inProcess = (key: string) => [
    agent('clerk', {
      driver: openaiAgents(signer, { runner, context: ({ run }) => ({ key: `${key} of ${run}` }) }),
    }) as AgentRecord,
  ]
  const one = await open(inProcess('hunter1'))
  const { run } = await helperOf(one, 'clerk').start('go')
  await helperOf(one, 'clerk').atRest(run)
  expect(JSON.stringify(await one.runs.log(run))).not.toContain('hunter')
  await close(one)
  const ann = helperOf(await open(inProcess('hunter2')), 'clerk')
  await ann.approve({ run, step: 'tool 1.1' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: { size: 'M' } })
  expect(seen).toEqual([`Ann with hunter2 of ${run}`])
})

test('agents that hand over, and agents inside tools: their approvals are asks, and they go on', async () => {
  const { open, close } = world()
  const done: string[] = []
  const pay = (who: string) =>
    sdkTool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => {
        done.push(`${who} ${amount}`)
        return 'paid'
      },
    })
  const innerModel = new ScriptedModel([[call('pay', { amount: 5 }, 'i1')], say('Five are paid.')])
  const inner = new Agent({ name: 'Cashier', model: innerModel, tools: [pay('cashier')] })
  const bankModel = new ScriptedModel([
    [call('ask_cashier', { input: 'five' }, 'b1')],
    [call('pay', { amount: 6 }, 'b2')],
    say('All paid.'),
    say('Bye.'),
  ])
  const cashier = inner.asTool({
    toolName: 'ask_cashier',
    toolDescription: 'Asks the cashier.',
    runConfig: { tracingDisabled: true },
  })
  const bank = new Agent({ name: 'Bank', model: bankModel, tools: [cashier, pay('bank')] })
  const desk = new Agent({
    name: 'Desk',
    model: new ScriptedModel([[call('transfer_to_Bank', {}, 'd1')]]),
    handoffs: [bank],
  })
  const driver = openaiAgents(desk, { runner, context: () => ({ key: 'hunter1' }) })
  const agents = [agent('clerk', { driver }) as AgentRecord]
  const one = await open(agents)
  const { run } = await helperOf(one, 'clerk').start('pay')
  const first = await helperOf(one, 'clerk').atRest(run)
  expect(first.error).toBeUndefined()
  expect(first.asks).toMatchObject([{ tool: 'pay', input: { amount: 5 } }])
  expect(JSON.stringify(await one.runs.log(run))).not.toContain('hunter')
  await close(one)
  const two = await open(agents)
  await helperOf(two, 'clerk').approve(first.asks[0] as never)
  const second = await helperOf(two, 'clerk').atRest(run)
  expect(second.asks).toMatchObject([{ tool: 'pay', input: { amount: 6 } }])
  await close(two)
  const ann = helperOf(await open(agents), 'clerk')
  await ann.approve(second.asks[0] as never)
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'All paid.' })
  expect(done).toEqual(['cashier 5', 'bank 6'])
  await ann.say({ run, text: 'thanks' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', output: 'Bye.' })
  expect(heard(bankModel).at(-1)).toBe('user: thanks')
})

test('the log grows with what is new in a turn, not with the history', async () => {
  const { open } = world()
  const turns = Array.from({ length: 12 }, (_, id) => [
    assistantMessage('x'.repeat(500)),
    call('find', { id }, `c${id}`),
  ])
  const { agents } = clerk([...turns, say('Done.'), say('Again.'), say('Bye.')])
  const engine = await open(agents)
  const ann = helperOf(engine, 'clerk')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  for (const text of ['again', 'thanks']) {
    await ann.say({ run, text })
    await ann.atRest(run)
  }
  expect((await ann.run(run)).text).toBe('Bye.')
  const sizes = (await engine.runs.log(run)).flatMap((event) =>
    event.type === 'driver.kept' && event.data.key.startsWith('turn') ? [JSON.stringify(event.data.value).length] : [],
  )
  expect(sizes).toHaveLength(15)
  // A second round begins with the history as its input, said once; the others say what they add.
  const [, ...others] = sizes.toSpliced(13, 1)
  for (const size of others) expect(size).toBeLessThan(4000)
})

test('files and images of a person reach the SDK', async () => {
  const { open } = world()
  const { model, agents } = clerk([say('Seen.')])
  const ann = helperOf(await open(agents), 'clerk')
  const { run } = await ann.start([
    { type: 'text', text: 'look' },
    { type: 'image', image: 'aGk=', mediaType: 'image/png' },
    { type: 'image', image: 'https://example.com/a.png' },
    { type: 'file', data: 'aGk=', mediaType: 'application/pdf', filename: 'a.pdf' },
    { type: 'file', data: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
  ])
  await ann.atRest(run)
  expect(model.lastCall?.request.input).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image: 'data:image/png;base64,aGk=' },
        { type: 'input_image', image: 'https://example.com/a.png' },
        { type: 'input_file', file: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' },
        { type: 'input_file', file: { url: 'https://example.com/a.pdf' } },
      ],
    },
  ])
})

test('askTool outside of the driver says that nobody was asked', async () => {
  const asking = askTool()
  const model = new ScriptedModel([[call('question', { question: 'Who?' }, 'a')], say('Well.')])
  const stray = new Agent({ name: 'Stray', model, tools: [asking] })
  const held = await runner.run(stray, 'go')
  for (const item of held.interruptions ?? []) held.state.approve(item)
  await expect(runner.run(stray, held.state)).rejects.toThrow('askTool() needs the driver openaiAgents()')
})
