import { describe } from 'vitest'
import { cuttingProxy, type Fate } from '../client/cutting-proxy.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { serve } from '../server/served.ts'
import { test } from './browser.ts'
import { expect, fallback, linesOf, openDesk } from './react-desk.ts'

const play = () =>
  asker([
    { text: 'Let me ask.', calls: [ask('Size?')] },
    { text: 'And the colour.', calls: [ask('Colour?')] },
    { text: 'It is ordered.' },
  ]).agents

describe('the server goes away under an open page', () => {
  test('killed and started again: the page says so, and is right again without a reload', async () => {
    const { open, kill } = world()
    const first = await open(play())
    let served = await serve(first, { fallback })
    const again = { fallback, port: Number(new URL(served.url).port) }
    const { run } = await helperOf(first, 'asker').start('a shirt')
    await helperOf(first, 'asker').atRest(run)
    const desk = await openDesk(served.url, { runs: [run], flags: ['strict'] })
    await expect(desk.open).toHaveCount(1)
    await desk.open.getByLabel('answer').fill('a draft')
    await served.kill()
    await kill(first)
    await expect(desk.shown('lists')).toHaveText('offline T3004')
    await expect(desk.shown('connection')).toHaveText('offline T3004')
    // What was there stays, the draft in it too.
    await expect(desk.shown('status')).toHaveText('waiting')
    await expect(desk.open.getByLabel('answer')).toHaveValue('a draft')
    // Nothing happened meanwhile: it is live all the same.
    const second = await open(play())
    served = await serve(second, again)
    await expect(desk.shown('lists')).toHaveText('live')
    await expect(desk.shown('connection')).toHaveText('live')
    // And once more, with an answer from elsewhere while it was away.
    await served.kill()
    await expect(desk.shown('connection')).toHaveText('offline T3004')
    await helperOf(second, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    const view = await helperOf(second, 'asker').atRest(run)
    await serve(second, again)
    await expect(desk.shown('lists')).toHaveText('live')
    await expect(desk.messages).toHaveText(linesOf(view))
    await expect(desk.open).toContainText(['Colour?'])
    await desk.open.getByLabel('answer').fill('blue')
    await desk.open.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(desk.shown('status')).toHaveText('done')
  })

  test('with the database put back to an earlier day: the page begins again', async () => {
    const ids = (prefix: string) => `${prefix}_same`
    const [one, two] = [world(), world()]
    const first = await one.open(asker([{ text: 'One.' }, { text: 'Two.' }]).agents, { ids })
    const { run } = await helperOf(first, 'asker').start('today')
    await helperOf(first, 'asker').atRest(run)
    await helperOf(first, 'asker').say({ run, text: 'more' })
    await helperOf(first, 'asker').atRest(run)
    const served = await serve(first, { fallback })
    const desk = await openDesk(served.url, { runs: [run] })
    await expect(desk.messages).toHaveCount(4)
    await served.kill()
    await one.kill(first)
    const second = await two.open(asker([{ text: 'Yesterday.' }]).agents, { ids, idle: true })
    await helperOf(second, 'asker').start('yesterday')
    await serve(second, { fallback, port: Number(new URL(served.url).port) })
    await expect(desk.messages).toHaveText(['user: yesterday'])
    await second.start()
    await expect(desk.messages).toHaveText(['user: yesterday', 'assistant: Yesterday.'])
    await expect(desk.shown('status')).toHaveText('done')
  })
})

describe('a bad line', () => {
  test.for([
    ['between events', false],
    ['inside of the next', true],
  ] as const)('cut %s, at every one of them: every line once, in order', async ([_, inside]) => {
    const { open } = world()
    const engine = await open(play())
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    for (const data of ['M', 'blue']) {
      const { asks } = await ann.atRest(run)
      await ann.approve(asks[0] as never, { data })
    }
    const view = await ann.atRest(run)
    const fates: Fate[] = []
    const served = await serve(engine, { fallback })
    const proxy = await cuttingProxy(
      () => served.url,
      (path) => (path === `/api/runs/${run}/events` ? fates.shift() : undefined) ?? 'pass',
    )
    const cuts = (await engine.runs.log(run)).length
    expect(cuts).toBeGreaterThan(8)
    const desk = await openDesk(proxy.url, { runs: [run] })
    for (let cutAfterEvents = 0; cutAfterEvents <= cuts; cutAfterEvents++) {
      fates.push({ cutAfterEvents, inside })
      await desk.page.reload()
      await expect(desk.messages).toHaveText(linesOf(view))
      await expect(desk.shown('status')).toHaveText('done')
    }
    expect(fates).toEqual([])
  })

  test('while it goes on, over connections that live for one event each', async () => {
    const { open } = world()
    const engine = await open(play())
    const served = await serve(engine, { fallback })
    const proxy = await cuttingProxy(
      () => served.url,
      (path) => (path.endsWith('/events') ? { cutAfterEvents: 1 } : 'pass'),
    )
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('a shirt')
    const desk = await openDesk(proxy.url, { runs: [run] })
    // A line that gives nothing new is tried up to ten seconds apart, and what has changed may come with the one after the next.
    const patience = { timeout: 60_000 }
    for (const [question, data] of [
      ['Size?', 'M'],
      ['Colour?', 'blue'],
    ] as const) {
      await expect(desk.open).toContainText([question], patience)
      await ann.approve((await ann.run(run)).asks[0] as never, { data })
    }
    await expect(desk.shown('status')).toHaveText('done', patience)
    await expect(desk.messages).toHaveText(linesOf(await ann.run(run)))
  })
})

describe('what is refused is not asked for again', () => {
  test('a run that is not there, and somebody else’s: T0001, one request', async () => {
    const { open } = world()
    const engine = await open(play(), { idle: true })
    const served = await serve(engine, { fallback })
    const bobs = await helperOf(engine, 'asker', 'bob').start('of Bob')
    for (const run of ['run_none', bobs.run]) {
      const desk = await openDesk(served.url, { runs: [run], flags: ['strict'] })
      await expect(desk.shown('status')).toHaveText('unavailable')
      await expect(desk.shown('error')).toHaveText('T0001')
      await expect(desk.shown('connection')).toHaveText('offline T0001')
      await expect(desk.shown('lists')).toHaveText('live')
      // The lists change, and change again: that is no reason to ask for it.
      for (const title of ['one', 'two']) {
        await helperOf(engine, 'asker').start(`${title} for ${run}`)
        await expect(desk.page.getByRole('list', { name: 'runs' })).toContainText(`${title} for ${run}`)
      }
      expect(desk.requests.filter((request) => request.includes('/api/runs/'))).toEqual([`GET /api/runs/${run}/events`])
      expect(await desk.page.content()).not.toContain('of Bob')
    }
  })

  test('a visitor, who is somebody by the run they start', async () => {
    const { open } = world()
    const engine = await open(asker([{ calls: [ask('Size?')] }, {}], { access: 'everyone' }).agents)
    const secret = 'thirty-two characters of a secret, or more'
    const served = await serve(engine, { fallback, identify: () => undefined, secret })
    const desk = await openDesk(served.url, { as: '' })
    await expect(desk.shown('lists')).toHaveText('offline T0007')
    await desk.click('Start')
    await expect(desk.shown('status')).toHaveText('waiting')
    await expect(desk.shown('lists')).toHaveText('live')
    await expect(desk.asks).toHaveCount(1)
  })

  test('nobody is signed in: T0007, one request; signed in, all is there', async () => {
    const { open } = world()
    const engine = await open(play())
    const { run } = await helperOf(engine, 'asker').start('a shirt')
    await helperOf(engine, 'asker').atRest(run)
    const served = await serve(engine, { fallback })
    const desk = await openDesk(served.url, { as: '', runs: [run], flags: ['strict', 'twice'] })
    await expect(desk.shown('lists')).toHaveText('offline T0007')
    await expect(desk.shown('asks connection')).toHaveText('offline T0007')
    await expect(desk.shown('status').first()).toHaveText('unavailable')
    // Whoever looks now does not make it ask.
    await desk.click('Leave and come back')
    await expect(desk.shown('lists')).toHaveText('offline T0007')
    const streams = desk.requests.filter((request) => request.endsWith('/events'))
    expect(streams.sort()).toEqual(['GET /api/events', `GET /api/runs/${run}/events`])
    await desk.click('Sign in')
    await expect(desk.shown('lists')).toHaveText('live')
    await expect(desk.shown('status').first()).toHaveText('waiting')
    await expect(desk.messages.first()).toHaveText('user: a shirt')
    await expect(desk.asks).toHaveCount(1)
  })
})
