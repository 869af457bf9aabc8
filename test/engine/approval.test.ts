import { agent, code, tool } from 'querent'
import { scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { helperOf, refusal, world } from './world.ts'

const inputSchema = {
  type: 'object',
  properties: { to: { $ref: '#/$defs/address' }, amount: { type: 'integer' } },
  required: ['to', 'amount'],
  $defs: { address: { type: 'string', minLength: 2 } },
}

function payments(approval: Parameters<typeof tool>[0]['approval'], turns?: Parameters<typeof scriptedModel>[0]) {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: inputSchema,
    approval,
    execute(input) {
      paid.push(input)
      return 'paid'
    },
  })
  const call = { tool: 'pay', input: { to: 'bob', amount: 5 } }
  const model = scriptedModel(turns ?? [{ calls: [call] }, { text: 'Done.' }])
  return { paid, model, agents: [agent('cashier', { model, tools: [pay] })] }
}

const lastResult = (model: ReturnType<typeof scriptedModel>) => {
  const message = model.prompts.at(-1)?.messages.at(-1) as { content: { output: unknown }[] }
  return message.content.map((part) => part.output)
}

describe('approvals', () => {
  test('the stored input runs once approved, and not before', async () => {
    const { open, close } = world()
    const { paid, agents } = payments(true)
    const first = await open(agents)
    const { run } = await helperOf(first, 'cashier').start('pay bob')
    const parked = await helperOf(first, 'cashier').atRest(run)
    expect(parked.asks).toMatchObject([
      { kind: 'approval', step: 'tool 1.1', tool: 'pay', input: { to: 'bob', amount: 5 } },
    ])
    expect(paid).toEqual([])
    await close(first)
    const later = payments(true)
    const ann = helperOf(await open(later.agents), 'cashier')
    await ann.approve({ run, step: 'tool 1.1' })
    expect((await ann.atRest(run)).text).toBe('Done.')
    expect(later.paid).toEqual([{ to: 'bob', amount: 5 }])
    expect(wellFormed(later.model.prompts[0]?.messages ?? [])).toEqual([])
  })

  test('a refusal with its reason reaches the model, and the tool does not run', async () => {
    const { open } = world()
    const { paid, model, agents } = payments(true)
    const ann = helperOf(await open(agents), 'cashier')
    const { run } = await ann.start('pay bob')
    await ann.atRest(run)
    await ann.refuse({ run, step: 'tool 1.1', reason: 'too much' })
    await ann.atRest(run)
    expect(paid).toEqual([])
    expect(lastResult(model)).toEqual([{ type: 'text', value: 'The person refused this. Reason: too much' }])
  })

  test('the input may be edited only where the tool says so; it is checked, and the model hears of it', async () => {
    const { open } = world()
    const fixed = payments(true)
    const free = payments({ editable: true })
    const engine = await open([
      ...fixed.agents,
      agent('editor', { model: free.model, tools: free.agents[0]?.tools ?? [] }),
    ])
    const cashier = helperOf(engine, 'cashier')
    const started = await cashier.start('pay bob')
    await cashier.atRest(started.run)
    const edit = { input: { to: 'bob', amount: 3 } }
    expect(await refusal(cashier.approve({ run: started.run, step: 'tool 1.1', data: edit }))).toMatchObject({
      code: code.T0010,
    })

    const editor = helperOf(engine, 'editor')
    const { run } = await editor.start('pay bob')
    await editor.atRest(run)
    const short = { input: { to: 'b', amount: 3 } }
    expect(await refusal(editor.approve({ run, step: 'tool 1.1', data: short }))).toMatchObject({
      code: code.T0002,
      data: { issues: [{ path: '/input/to' }] },
    })
    await editor.approve({ run, step: 'tool 1.1', data: edit })
    await editor.atRest(run)
    expect(free.paid).toEqual([{ to: 'bob', amount: 3 }])
    expect(lastResult(free.model)).toMatchObject([
      { type: 'text', value: expect.stringContaining('The person changed the input') },
    ])
  })

  test('the rule is asked once, its answer logged; a call it lets go is not asked about', async () => {
    const { open } = world()
    let asked = 0
    const { paid, agents } = payments((input) => {
      asked++
      return (input as { amount: number }).amount > 10
    })
    const engine = await open(agents)
    const ann = helperOf(engine, 'cashier')
    const { run } = await ann.start('pay bob')
    expect((await ann.atRest(run)).status).toBe('done')
    expect(paid).toHaveLength(1)
    expect(asked).toBe(1)
    expect((await engine.runs.log(run)).filter((event) => event.type === 'approval.decided')).toMatchObject([
      { data: { needed: false } },
    ])
  })

  test('C37: a model that repeats itself is refused, then answered with an error; the person sees at most three asks', async () => {
    const { open } = world()
    const same = { calls: [{ tool: 'pay', input: { to: 'bob', amount: 5 } }] }
    const other = (amount: number) => ({ calls: [{ tool: 'pay', input: { to: 'bob', amount } }] })
    const { paid, model, agents } = payments(true, [same, same, other(6), other(7), other(8), { text: 'I give up.' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'cashier')
    const { run } = await ann.start('pay bob')
    let asks = 0
    for (;;) {
      const view = await ann.atRest(run)
      const [ask] = view.asks
      if (!ask) break
      asks++
      await ann.refuse(ask, { reason: 'no' })
    }
    expect(asks).toBe(3)
    expect(paid).toEqual([])
    expect((await ann.run(run)).text).toBe('I give up.')
    expect(new Set(model.prompts.map((prompt) => JSON.stringify(prompt.tools))).size).toBe(1)
    expect(lastResult(model)).toMatchObject([{ type: 'error-text', value: expect.stringContaining('3 times') }])
  })
})
