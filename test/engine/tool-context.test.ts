import { tool } from 'querent'
import { expect, test } from 'vitest'
import { asker, helperOf, resultsIn, world } from './world.ts'

const anything = { type: 'object' } as const

test('ctx.effect is one for a call: the same over replays and processes, another for each call, whatever id it has', async () => {
  const { open, kill } = world()
  const seen: string[][] = []
  const play = () => {
    const effects: string[] = []
    seen.push(effects)
    const work = tool({
      name: 'work',
      description: 'works',
      input: anything,
      retrySafe: true,
      execute(_, ctx) {
        effects.push(ctx.effect)
        return ctx.ask({ key: 'k', question: 'And?' })
      },
    })
    const twice = ['0', '0'].map((id) => ({ tool: 'work', input: {}, id }))
    return asker([{ calls: twice }, { text: 'ok' }], { tools: [work] })
  }
  const first = await open(play().agents)
  const { run } = await helperOf(first, 'asker').start('go')
  await helperOf(first, 'asker').atRest(run)
  await kill(first)
  const ann = helperOf(await open(play().agents), 'asker')
  for (const m of [2, 1]) {
    await ann.approve({ run, step: `tool 1.${m}`, data: 'yes' })
    await ann.atRest(run)
  }
  const [before = [], after = []] = seen
  expect(new Set(before).size).toBe(2)
  expect(after.sort()).toEqual(before.sort())
})

test('time that a tool waits for a person is not time it takes', async () => {
  const { open, clock } = world()
  const work = tool({
    name: 'work',
    description: 'works',
    input: anything,
    replays: true,
    timeout: '1m',
    execute: (_, ctx) => ctx.ask({ key: 'k', question: 'And?' }),
  })
  const { model, agents } = asker([{ calls: [{ tool: 'work', input: {} }] }, { text: 'ok' }], { tools: [work] })
  const ann = helperOf(await open(agents), 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  clock.advance(30 * 86_400_000)
  await ann.approve({ run, step: 'tool 1.1', data: 'late' })
  expect((await ann.atRest(run)).status).toBe('done')
  expect(resultsIn(model.prompts[1])).toEqual([{ type: 'json', value: { status: 'answered', data: 'late' } }])
})
