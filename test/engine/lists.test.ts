import { code, type ListOptions } from 'querent'
import { describe, expect, test } from 'vitest'
import { ask, asker, helperOf, refusal, world } from './world.ts'

/** Every page of a list, one behind the other. */
async function pages<T>(
  list: (options: ListOptions) => Promise<{ items: T[]; cursor?: string }>,
  limit: number,
): Promise<T[][]> {
  const all: T[][] = []
  let after: string | undefined
  do {
    const { items, cursor } = await list(after === undefined ? { limit } : { limit, after })
    all.push(items)
    after = cursor
  } while (after !== undefined)
  return all
}

describe('lists', () => {
  test('working: a person’s runs of this agent that are not over, newest first, each with its asks', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const other = { ...agents[0], name: 'other' }
    const engine = await open([agents[0], other])
    const [ann, bob] = [helperOf(engine, 'asker'), helperOf(engine, 'asker', 'bob')]
    const runs: string[] = []
    for (const index of [0, 1, 2]) runs.push((await ann.start(`a shirt\n  number ${index}`)).run)
    await bob.start('mine')
    await helperOf(engine, 'other').start('other agent')
    for (const run of runs) await ann.atRest(run)
    await ann.stop({ run: runs[1] as string })
    const working = await ann.working()
    expect(working.map(({ run }) => run)).toEqual([runs[2], runs[0]])
    expect(working[0]).toMatchObject({
      title: 'a shirt number 2',
      status: 'waiting',
      asks: [{ step: 'question 1.1', run: runs[2] }],
    })
    expect(working[0]).not.toHaveProperty('messages')
  })

  test('a person’s asks: the nearest deadline first, those without one last', async () => {
    const { open } = world()
    const waits = [undefined, '7d', '1h', undefined, '1d']
    const names = waits.map((_, index) => `asker${index}`)
    const engine = await open(
      waits.map((wait, index) => ({
        ...asker([{ calls: [ask('Size?')] }], wait ? { limits: { ask: wait } } : {}).asker,
        name: names[index] as string,
      })),
    )
    for (const name of names) {
      const ann = helperOf(engine, name)
      await ann.atRest((await ann.start('go')).run)
    }
    const list = (options: ListOptions) => engine.asks.list({ person: 'ann' }, options)
    const wanted = ['asker2', 'asker4', 'asker1', 'asker0', 'asker3']
    expect((await list({})).items.map(({ agent }) => agent)).toEqual(wanted)
    expect((await engine.as({ id: 'ann' }).asks()).map(({ agent }) => agent)).toEqual(wanted)
    const paged = await pages(list, 2)
    expect(paged.map((page) => page.map(({ agent }) => agent))).toEqual([
      wanted.slice(0, 2),
      wanted.slice(2, 4),
      wanted.slice(4),
    ])
    expect((await engine.asks.list({ person: 'bob' })).items).toEqual([])
    expect((await engine.asks.list({ starter: 'system' })).items).toEqual([])
  })

  test('runs: by status, agent and whether they go on; a cursor neither skips nor repeats while runs come', async () => {
    const { open } = world()
    const { agents } = asker([{ text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const runs: string[] = []
    for (let index = 0; index < 7; index++) {
      const { run } = await ann.start('go')
      await ann.atRest(run)
      runs.unshift(run)
    }
    const first = await engine.runs.list({ limit: 3 })
    await ann.atRest((await ann.start('new')).run)
    const second = await engine.runs.list({ limit: 3, after: first.cursor as string })
    const third = await engine.runs.list({ limit: 3, after: second.cursor as string })
    expect([...first.items, ...second.items, ...third.items].map(({ run }) => run)).toEqual(runs)
    expect(third).not.toHaveProperty('cursor')
    expect((await engine.runs.list({ status: 'done', limit: 200 })).items).toHaveLength(8)
    expect((await engine.runs.list({ status: 'waiting' })).items).toEqual([])
    expect((await engine.runs.list({ active: true })).items).toEqual([])
    expect((await engine.runs.list({ agent: 'nobody' })).items).toEqual([])
  })

  test('a page holds 1 at least and 200 at most; T0008 for a cursor that no list gave', async () => {
    const { open } = world()
    const engine = await open(asker([]).agents, { idle: true })
    const ann = helperOf(engine, 'asker')
    for (let index = 0; index < 3; index++) await ann.start('go')
    expect((await engine.runs.list({ limit: 0 })).items).toHaveLength(1)
    expect((await engine.runs.list({ limit: 999 })).items).toHaveLength(3)
    const after = 'nonsense'
    const lists = [
      () => engine.runs.list({ after }),
      () => engine.asks.list({ person: 'ann' }, { after }),
      () => engine.as({ id: 'ann' }).asks({ after }),
      () => ann.working({ after }),
    ]
    for (const list of lists) expect(await refusal(list())).toMatchObject({ code: code.T0008 })
  })
})

describe('erase', () => {
  test('removes a run that is over with all that belongs to it; from then on it is not there', async () => {
    const { open } = world()
    const { agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go', { key: 'k' })
    await ann.atRest(run)
    expect(await refusal(engine.runs.erase(run))).toMatchObject({ code: code.T0011 })
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    await engine.runs.erase(run)
    const gone = [
      () => ann.run(run),
      () => ann.say({ run, text: 'hi' }),
      () => ann.approve({ run, step: 'question 1.1', data: 'M' }),
      () => engine.runs.get(run),
      () => engine.runs.log(run),
      () => engine.runs.erase(run),
      () => engine.runs.retry(run),
    ]
    for (const attempt of gone) expect(await refusal(attempt())).toMatchObject({ code: code.T0001 })
    expect((await engine.runs.list()).items).toEqual([])
  })
})

test('retry: T0011 where the run did not fail, T0001 where there is none', async () => {
  const { open } = world()
  const { agents } = asker([{ calls: [ask('Size?')] }])
  const engine = await open(agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  expect(await refusal(engine.runs.retry(run))).toMatchObject({ code: code.T0011 })
  expect(await refusal(engine.runs.retry('run_none'))).toMatchObject({ code: code.T0001 })
  expect((await ann.run(run)).status).toBe('waiting')
})

describe('an agent under another name', () => {
  test('parked runs of a former name go on where it is an alias', async () => {
    const { open, close } = world()
    const play = () => asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const first = await open(play().agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const renamed = { ...play().asker, name: 'tailor', aliases: ['asker'] }
    const second = await open([renamed])
    await helperOf(second, 'tailor').approve({ run, step: 'question 1.1', data: 'M' })
    expect((await helperOf(second, 'tailor').atRest(run)).status).toBe('done')
    expect((await helperOf(second, 'asker').run(run)).status).toBe('done')
  })

  test('without an alias they stay parked and answerable, and go on after a rollback', async () => {
    const { open, close } = world()
    const play = () => asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const first = await open(play().agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const renamed = await open([{ ...play().asker, name: 'tailor' }])
    const [waiting] = await renamed.as({ id: 'ann' }).asks()
    expect(waiting).toMatchObject({ run, agent: 'asker' })
    await helperOf(renamed, 'tailor').approve({ run, step: 'question 1.1', data: 'M' })
    expect((await renamed.runs.get(run)).status).toBe('ready')
    await close(renamed)
    const back = await open(play().agents)
    expect((await helperOf(back, 'asker').atRest(run)).status).toBe('done')
  })
})
