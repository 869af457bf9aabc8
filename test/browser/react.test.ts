import { type AgentRecord, type Ask, agent, delegate, tool } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe } from 'vitest'
import { ask, asker, helperOf, typesOf, world } from '../engine/world.ts'
import { serve } from '../server/served.ts'
import { openBrowser, test } from './browser.ts'
import { expect, fallback, linesOf, openDesk } from './react-desk.ts'

const play = () => asker([{ text: 'Let me ask.', calls: [ask('Size?')] }, { text: 'It is ordered.' }])

/** Runs of Ann's that wait, each named by its input. */
async function waiting({ titles = ['a shirt'], agents = play().agents as AgentRecord[] } = {}) {
  const { open } = world()
  const engine = await open(agents)
  const helper = helperOf(engine, 'asker')
  const runs: string[] = []
  for (const title of titles) {
    const { run } = await helper.start(title)
    await helper.atRest(run)
    runs.push(run)
  }
  const served = await serve(engine, { fallback })
  const asks = await engine.as({ id: 'ann' }).asks()
  return { engine, helper, served, runs, run: runs[0] as string, asks }
}

type Drawn = { asked?: string; given?: string; lines: string[] }[]

describe('C43: state is keyed by run and ask', () => {
  test('C43: run A, B, A: never is one drawn under the other', async () => {
    const { served, runs } = await waiting({ titles: ['shirt A', 'shirt B'] })
    const desk = await openDesk(served.url, { runs })
    for (const title of ['shirt A', 'shirt B', 'shirt A']) {
      await desk.click(title === 'shirt A' ? 'Run 1' : 'Run 2')
      await expect(desk.messages.first()).toHaveText(`user: ${title}`)
      await expect(desk.shown('status')).toHaveText('waiting')
    }
    const drawn = await desk.page.evaluate(() => (window as unknown as { drawn: Drawn }).drawn)
    const wrong = drawn.filter(({ asked, given, lines }) => {
      const title = asked === runs[0] ? 'shirt A' : 'shirt B'
      return (given !== undefined && given !== asked) || (lines.length > 0 && lines[0] !== `user: ${title}`)
    })
    expect(wrong).toEqual([])
    expect(drawn.some(({ asked, lines }) => asked === runs[1] && lines.length > 0)).toBe(true)
  })

  test('C43: two asks of the same text: each gets its own answer', async () => {
    const twice = asker([{ calls: [ask('Size?'), ask('Size?')] }, { text: 'Thanks.' }])
    const { served, run, helper, asks } = await waiting({ agents: twice.agents })
    const desk = await openDesk(served.url, { runs: [run] })
    const [first, second] = asks as [Ask, Ask]
    for (const [each, answer] of [
      [second, 'for the second'],
      [first, 'for the first'],
    ] as const) {
      const form = desk.open.and(desk.page.getByLabel(each.id))
      await form.getByLabel('answer').fill(answer)
      await form.getByRole('button', { name: 'Send', exact: true }).click()
      await expect(form).toHaveCount(0)
    }
    await expect(desk.shown('status')).toHaveText('done')
    const ends = (await helper.run(run)).messages.flatMap((line) =>
      line.role === 'ask' ? [[line.ask.id, line.end?.data]] : [],
    )
    expect(ends).toEqual([
      [first.id, 'for the first'],
      [second.id, 'for the second'],
    ])
  })

  test('C43: a reload shows what was there', async () => {
    const { served, run, helper } = await waiting()
    const desk = await openDesk(served.url, { runs: [run] })
    await expect(desk.messages).toHaveText(linesOf(await helper.run(run)))
    await desk.page.reload()
    await expect(desk.messages).toHaveText(linesOf(await helper.run(run)))
    await expect(desk.shown('status')).toHaveText('waiting')
    await expect(desk.open).toHaveCount(1)
  })
})

describe('C43: one ask, several screens', () => {
  test('C43: two browsers, answered in one: gone in the other, live, with who and when', async () => {
    const { served, run, helper } = await waiting()
    const [one, two] = [await openDesk(served.url, { runs: [run] }), await openDesk(served.url, { runs: [run] })]
    await expect(two.open).toHaveCount(1)
    await one.open.getByLabel('answer').fill('M')
    await one.open.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(two.open).toHaveCount(0)
    await expect(two.asks).toHaveCount(0)
    await expect(two.messages).toHaveText(linesOf(await helper.atRest(run)))
    await expect(two.messages.nth(2)).toHaveText(/^ask: Size\? approved by you at \d{4}-.*Z "M"$/)
  })

  test('C43: two tabs of one browser, answered in one', async () => {
    const { served, run } = await waiting()
    const one = await openDesk(served.url, { runs: [run] })
    const two = await openDesk(served.url, { runs: [run] }, one.context)
    await expect(two.asks).toHaveCount(1)
    await one.asks.getByLabel('answer').fill('M')
    await one.asks.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(two.asks).toHaveCount(0)
    await expect(two.shown('status')).toHaveText('done')
  })

  test('C43: answered elsewhere while an answer is on its way: T0003 says by whom, when and how', async () => {
    const { served, run, helper, asks } = await waiting()
    const context = await openBrowser()
    const held = Promise.withResolvers<void>()
    await context.route('**/approve', async (route) => {
      await held.promise
      await route.continue()
    })
    const desk = await openDesk(served.url, { runs: [run] }, context)
    await desk.open.getByLabel('answer').fill('M')
    const sent = desk.page.waitForRequest('**/approve')
    await desk.open.getByRole('button', { name: 'Send', exact: true }).click()
    await sent
    await helper.approve(asks[0] as Ask, { data: 'L' })
    await expect(desk.messages.nth(2)).toHaveText(/approved by you at .* "L"$/)
    held.resolve()
    await expect.poll(() => desk.heard()).toHaveLength(1)
    expect((await desk.heard())[0]).toMatch(/^T0003 \{.*"outcome":"approved"/)
    await expect(desk.messages.nth(2)).toHaveText(/ "L"$/)
  })
})

describe('C43: an answer is sent once', () => {
  for (const name of ['double click', 'Send twice'] as const) {
    test(`C43: double submit (${name}): one request, one settlement`, async () => {
      const { served, engine, run } = await waiting()
      const context = await openBrowser()
      const held = Promise.withResolvers<void>()
      await context.route('**/approve', async (route) => {
        await held.promise
        await route.continue()
      })
      const desk = await openDesk(served.url, { runs: [run], flags: ['strict'] }, context)
      await desk.open.getByLabel('answer').fill('M')
      const sent = desk.page.waitForRequest('**/approve')
      if (name === 'Send twice') await desk.open.getByRole('button', { name }).click()
      else await desk.open.getByRole('button', { name: 'Send', exact: true }).dblclick()
      await sent
      held.resolve()
      await expect(desk.shown('status')).toHaveText('done')
      const heard = await desk.heard()
      if (name === 'Send twice') expect(heard[0]).toBe('true')
      else expect(heard[1]).toBe(heard[0])
      expect(desk.requests.filter((request) => request.startsWith('POST'))).toEqual([`POST /api/runs/${run}/approve`])
      expect(typesOf(await engine.runs.log(run)).filter((type) => type === 'ask.settled')).toHaveLength(1)
    })
  }

  test('C43: unmounted while an answer is on its way: it counts, and nothing complains', async () => {
    const { served, run, helper } = await waiting()
    const context = await openBrowser()
    const held = Promise.withResolvers<void>()
    await context.route('**/approve', async (route) => {
      await held.promise
      await route.continue()
    })
    const desk = await openDesk(served.url, { runs: [run], flags: ['strict'] }, context)
    await desk.open.getByLabel('answer').fill('M')
    const sent = desk.page.waitForRequest('**/approve')
    await desk.open.getByRole('button', { name: 'Send', exact: true }).click()
    await sent
    await desk.click('Leave')
    await expect(desk.shown('status')).toHaveCount(0)
    held.resolve()
    await expect.poll(() => desk.heard()).toHaveLength(1)
    expect((await helper.atRest(run)).messages.at(2)).toMatchObject({ end: { outcome: 'approved', data: 'M' } })
    await desk.click('Come back')
    await expect(desk.shown('status')).toHaveText('done')
  })

  test('a refusal, from the list of all that waits', async () => {
    const { served, run } = await waiting()
    const desk = await openDesk(served.url, { runs: [run] })
    await desk.asks.getByLabel('answer').fill('not now')
    await desk.asks.getByRole('button', { name: 'Refuse' }).click()
    await expect(desk.asks).toHaveCount(0)
    await expect(desk.messages.nth(2)).toHaveText(/refused by you/)
  })

  test('an answer that does not fit: T0002, and the ask still stands there', async () => {
    const { served, run } = await waiting()
    const desk = await openDesk(served.url, { runs: [run] })
    await desk.open.getByLabel('answer').fill('  ')
    await desk.open.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => desk.heard()).toHaveLength(1)
    expect((await desk.heard())[0]).toMatch(/^T0002 .*"issues":\[\{"path":""/)
    await expect(desk.open).toHaveCount(1)
    await expect(desk.shown('status')).toHaveText('waiting')
  })
})

describe('streams', () => {
  const streams = (requests: string[]) => requests.filter((request) => request.endsWith('/events')).sort()

  test('C43: StrictMode and many hooks: one stream of lists, one of the run; closed when the last has gone', async () => {
    const { served, run } = await waiting()
    const desk = await openDesk(served.url, { runs: [run], flags: ['strict', 'twice'] })
    const both = ['GET /api/events', `GET /api/runs/${run}/events`]
    await expect(desk.shown('status').first()).toHaveText('waiting')
    expect(streams(desk.requests)).toEqual(both)
    // To another screen and back: the same streams.
    await desk.click('Leave and come back')
    await expect(desk.shown('status').first()).toHaveText('waiting')
    expect(streams(desk.requests)).toEqual(both)
    const closed = both.map((stream) =>
      desk.page.waitForEvent('requestfailed', (request) => request.url().endsWith(stream.slice('GET '.length))),
    )
    await desk.click('Leave')
    await Promise.all(closed)
    await desk.click('Come back')
    await expect(desk.shown('status').first()).toHaveText('waiting')
    expect(streams(desk.requests)).toEqual([...both, ...both].sort())
  })

  test('a run that is over holds no stream; a message from another screen takes it up again', async () => {
    const { open, clock } = world()
    const engine = await open(asker([{ text: 'First.' }, { text: 'Second.' }]).agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    const served = await serve(engine, { fallback })
    const [one, two] = [await openDesk(served.url, { runs: [run] }), await openDesk(served.url, { runs: [run] })]
    for (const desk of [one, two]) await expect(desk.shown('status')).toHaveText('done')
    expect(streams(two.requests)).toEqual(['GET /api/events', `GET /api/runs/${run}/events`])
    clock.advance(1000)
    await one.click('Say')
    for (const desk of [one, two]) {
      await expect(desk.messages).toHaveText(['user: go', 'assistant: First.', 'user: and now?', 'assistant: Second.'])
      await expect(desk.shown('status')).toHaveText('done')
    }
  })
})

describe('a run as it goes on', () => {
  test('started on the page: asked, stopped, its ask withdrawn', async () => {
    const { open } = world()
    const engine = await open(play().agents)
    const served = await serve(engine, { fallback })
    const desk = await openDesk(served.url)
    await expect(desk.shown('status')).toHaveText('none')
    await desk.click('Start')
    await expect(desk.shown('status')).toHaveText('waiting')
    await expect(desk.shown('working')).toHaveText('from the page')
    await expect(desk.shown('agent asks')).toHaveText('1')
    await expect(desk.shown('tokens')).toHaveText('20')
    await desk.click('Stop')
    await expect(desk.shown('status')).toHaveText('stopped')
    await expect(desk.shown('working')).toHaveText('')
    await expect(desk.asks).toHaveCount(0)
    await expect(desk.messages.nth(2)).toHaveText(/withdrawn by run/)
  })

  test('live text stands apart until its message comes, and is taken back where the call failed', async () => {
    const { open, said, clock } = world()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { agents } = asker([
      { text: 'One two', error: 'cut off', hold: first.promise },
      { text: 'Three four', hold: second.promise },
    ])
    const engine = await open(agents, { idle: true })
    const { run } = await helperOf(engine, 'asker').start('go')
    const served = await serve(engine, { fallback })
    const desk = await openDesk(served.url, { runs: [run] })
    await expect(desk.messages).toHaveText(['user: go'])
    await engine.start()
    await expect(desk.shown('live text')).toHaveText('One two')
    await expect(desk.shown('text')).toHaveText('One two')
    await expect(desk.messages).toHaveText(['user: go'])
    await desk.page.reload()
    await expect(desk.shown('live text')).toHaveText('One two')
    first.resolve()
    await said('model call failed')
    await expect(desk.shown('live text')).toHaveText('')
    clock.advance(1000)
    await expect(desk.shown('live text')).toHaveText('Three four')
    second.resolve()
    await expect(desk.messages).toHaveText(['user: go', 'assistant: Three four'])
    await expect(desk.shown('live text')).toHaveText('')
    await expect(desk.shown('text')).toHaveText('Three four')
    await expect(desk.shown('output')).toHaveText('"Three four"')
  })

  test('a run shows what a run below it asks, and its answer counts', async () => {
    const deploy = tool({
      name: 'deploy',
      description: 'Deploys.',
      input: { type: 'object' },
      approval: true,
      execute: () => 'deployed',
    })
    const clerk = agent('clerk', {
      model: scriptedModel([{ calls: [{ tool: 'deploy', input: {} }] }, {}]),
      tools: [deploy],
    })
    const turns = [{ calls: [{ tool: 'clerk', input: { task: 'deploy it' } }] }, { text: 'Done.' }]
    const boss = agent('boss', { model: scriptedModel(turns), tools: [delegate(clerk)] })
    const { open } = world()
    const engine = await open([boss, clerk] as AgentRecord[])
    const { run } = await helperOf(engine, 'boss').start('go')
    await helperOf(engine, 'boss').atRest(run)
    const served = await serve(engine, { fallback })
    const desk = await openDesk(served.url, { runs: [run], agent: 'boss' })
    await expect(desk.open).toContainText(['deploy'])
    await expect(desk.shown('agent asks')).toHaveText('1')
    await expect(desk.page.getByRole('list', { name: 'tools' })).toHaveText('tool 1.1 clerk started')
    await desk.open.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(desk.shown('status')).toHaveText('done')
    await expect(desk.open).toHaveCount(0)
    await expect(desk.page.getByRole('list', { name: 'tools' })).toHaveText('tool 1.1 clerk returned')
  })

  test('what happens in other runs does not draw this one again', async () => {
    const { served, run, helper } = await waiting()
    const desk = await openDesk(served.url, { runs: [run] })
    await expect(desk.open).toHaveCount(1)
    await expect(desk.messages).toHaveCount(3)
    await expect(desk.shown('connection')).toHaveText('live')
    const drawings = () => desk.page.evaluate(() => (window as unknown as { drawn: Drawn }).drawn.length)
    const before = await drawings()
    const other = await helper.start('another')
    await helper.atRest(other.run)
    await expect(desk.page.getByRole('list', { name: 'runs' })).toContainText('another: waiting')
    await expect(desk.asks).toHaveCount(2)
    expect(await drawings()).toBe(before)
  })

  test('time is the server’s, which is another than the browser’s', async () => {
    const { served } = await waiting()
    const desk = await openDesk(served.url)
    // The clock of the engine stands still at the beginning of 2026.
    await expect(desk.shown('server day')).toHaveText('2026-01-01')
  })

  test('a run that failed says why', async () => {
    const { open } = world()
    const engine = await open(asker([]).agents)
    const { run } = await helperOf(engine, 'asker').start('go')
    await helperOf(engine, 'asker').atRest(run)
    const served = await serve(engine, { fallback })
    const desk = await openDesk(served.url, { runs: [run] })
    await expect(desk.shown('status')).toHaveText('failed')
    await expect(desk.shown('error')).toHaveText('T2005')
  })
})
