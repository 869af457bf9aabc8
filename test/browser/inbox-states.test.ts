import { agent, delegate, type JsonSchema, tool } from 'querent'
import { tokenSessions } from 'querent/server'
import { scriptedModel } from 'querent/testing'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { expectAccessible, office, on, pathOf, player } from './inbox-desk.ts'

const sizes = {
  question: 'Which size fits **you**?',
  choices: [{ label: 'S', description: 'Chest 88 cm' }, { label: 'M' }],
  other: true,
}

const shape = {
  type: 'object',
  title: 'Delivery',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    age: { type: 'integer', title: 'Age', minimum: 18 },
    gift: { type: 'boolean', title: 'Wrap it', default: false },
    colour: { title: 'Colour', enum: ['red', 'blue'] },
    address: { type: 'object', title: 'Address', properties: { city: { type: 'string', title: 'City' } } },
  },
  required: ['name', 'age', 'colour'],
}

const asking = (question: Parameters<typeof ask>[0], limits = {}) =>
  player([{ text: 'I need to know:', calls: [ask(question)] }, { text: 'Thank you.' }], { limits }).agents

describe('every state is drawn, and axe finds nothing in it, light and dark, on a desk and a phone', () => {
  test('an empty inbox', async () => {
    const page = await (await office(asking('Why?'))).open()
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
    await expectAccessible(page)
  })

  test('no runs yet, and starting one', async () => {
    const page = await (await office(asking('Why?'))).open('/runs')
    await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible()
    await expectAccessible(page)
    await on(page).link('Start a run').click()
    await expect(page.getByRole('radio', { name: 'asker' })).toBeChecked()
    await on(page).button('Start').click()
    await expect(page.getByRole('alert')).toHaveText('Write what it should do.')
    await expectAccessible(page)
  })

  test('no agent that may be started', async () => {
    const page = await (await office(player([], { access: 'system' }).agents)).open('/new')
    await expect(page.getByRole('heading', { name: 'There is no agent you may start' })).toBeVisible()
    await expectAccessible(page)
  })

  test('loading: rows that are on their way, while nothing has come', async () => {
    const { open, url } = await office(asking('Why?'))
    const page = await open('/new')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/**', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(url)
    await expect(page.getByRole('status').filter({ hasText: 'Loading what waits for you' })).toBeVisible()
    await expectAccessible(page)
    held.resolve()
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
  })

  test('offline', async () => {
    const { open, rested, kill } = await office(asking(sizes))
    const page = await open(pathOf(await rested()))
    await expect(on(page).card).toBeVisible()
    await kill()
    await expect(on(page).banner).toBeVisible()
    await expectAccessible(page)
  })

  test('not signed in, where signing in is not the page’s business', async () => {
    const page = await (await office(asking('Why?'))).open('/', { as: '' })
    await expect(page.getByRole('heading', { name: 'You are not signed in' })).toBeVisible()
    await expectAccessible(page)
    await page.context().setExtraHTTPHeaders({ authorization: 'Bearer ann' })
    await on(page).button('Try again').click()
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
  })

  test('signing in with the token of the server: what was asked for is there then', async () => {
    const sessions = tokenSessions({ token: 'a-long-and-random-token', person: { id: 'ann' } })
    const { open, rested, url } = await office(asking('Why?'), { identify: sessions, sessions })
    const page = await open(pathOf(await rested()), { as: '' })
    const field = page.getByLabel('Token of this server')
    await field.fill('another-token')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('This is not the token of this server.')
    await expectAccessible(page)
    await field.fill('a-long-and-random-token')
    await on(page).button('Sign in').click()
    await expect(on(page).card).toContainText('Why?')
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    expect(stored).not.toContain('random-token')
    await page.goto(url)
    await expect(on(page).rows).toHaveCount(1)
  })

  test('a run, an ask and an address that are not there', async () => {
    const { open, url } = await office(asking('Why?'))
    const page = await open('/runs/run_none')
    await expect(page.getByRole('heading', { name: 'This run cannot be shown' })).toBeVisible()
    await expectAccessible(page)
    for (const path of ['/asks/ask_none?run=run_none', '/asks/ask_none']) {
      await page.goto(url + path)
      await expect(page.getByRole('heading', { name: 'This does not wait for you' })).toBeVisible()
    }
    await expectAccessible(page)
    await page.goto(`${url}/elsewhere`)
    await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible()
    await expectAccessible(page)
  })

  test('a question with choices, the text of one’s own, and the reason of a refusal', async () => {
    const { open, rested } = await office(asking(sizes, { ask: '3d' }))
    await rested()
    const page = await open(pathOf(await rested()))
    await page.getByLabel('Something else …').check()
    await expectAccessible(page)
    await on(page).button('Refuse …').click()
    await expectAccessible(page)
  })

  test('a shape, and what is wrong with it field by field', async () => {
    const { open, rested } = await office(asking({ question: 'Where to?', shape }))
    const page = await open(pathOf(await rested()))
    await page.getByLabel('Name').fill('A')
    await page.getByLabel('Age').fill('7')
    await page.getByLabel('red').check()
    await on(page).button('Send answer').click()
    await expect(page.locator('.querent-error')).toHaveCount(2)
    await expect(page.getByLabel('Name')).toBeFocused()
    await expectAccessible(page)
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Age').fill('40')
    await on(page).button('Send answer').click()
    await expect(on(page).note).toContainText(/You answered.*name\s*Ann.*age\s*40/s)
    await expectAccessible(page)
  })

  test('an approval, given and in the conversation', async () => {
    const deploy = tool({
      name: 'deploy',
      description: 'Deploys.',
      input: { type: 'object', properties: { env: { type: 'string' } } },
      approval: { editable: true },
      execute: () => 'done',
    })
    const turns = [{ text: 'May I?', calls: [{ tool: 'deploy', input: { env: 'production' } }] }, { text: 'Out.' }]
    const { open, rested } = await office(player(turns, { tools: [deploy] }).agents)
    const view = await rested()
    const page = await open(pathOf(view))
    await expect(on(page).card).toContainText('production')
    await expectAccessible(page)
    await on(page).button('Approve').click()
    await expect(on(page).note).toContainText('You approved this')
    await on(page).link('Open the whole run').click()
    await expect(on(page).messages.last()).toHaveText('Out.')
    await expectAccessible(page)
  })

  test('an ask of an agent below', async () => {
    const book = tool({
      name: 'book',
      description: 'Books.',
      input: { type: 'object' },
      approval: true,
      execute: () => 'booked',
    })
    const child = agent('desk', {
      model: scriptedModel([{ calls: [{ tool: 'book', input: {} }] }, { text: 'Booked.' }]),
      tools: [book],
    })
    const root = agent('planner', {
      model: scriptedModel([{ calls: [{ tool: 'desk', input: { task: 'Book it' } }] }, { text: 'All set.' }]),
      tools: [delegate(child)],
    })
    const { open, rested } = await office([root, child])
    const view = await rested()
    const page = await open(pathOf(view))
    await expect(on(page).heading).toHaveText(/Approval for planner\s*desk/)
    await expectAccessible(page)
    await on(page).link('Open the whole run').click()
    await expect(on(page).card).toContainText('book wants to run with')
    await on(page).button('Approve').click()
    await expect(on(page).messages.last()).toHaveText('All set.')
    await expectAccessible(page)
  })

  test('a run that works, with text as it comes, then stopped', async () => {
    const [go, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const turn = () => go.promise.then(() => ({ text: 'Let me think about **this**', hold: hold.promise }))
    const { open, helper } = await office(player([turn]).agents)
    const { run } = await helper().start('Begin')
    const page = await open(`/runs/${run}`)
    await expect(on(page).detail.getByText('Working')).toBeVisible()
    await expect(on(page).messages.last()).toHaveText('Thinking')
    await expectAccessible(page)
    go.resolve()
    await expect(on(page).messages.last()).toHaveText('Let me think about this')
    await expectAccessible(page)
    await on(page).button('Stop').click()
    await expectAccessible(page)
    await on(page).button('Stop the run').click()
    await expect(page.getByText('You stopped this run')).toBeVisible()
    await expectAccessible(page)
    hold.resolve()
  })

  test('a run that failed: its code, why, and what to do', async () => {
    const failing = { error: { message: 'The provider is gone', retryable: false } }
    const { open, rested } = await office(player([failing]).agents)
    const page = await open(`/runs/${(await rested()).run}`)
    await expect(on(page).note).toContainText('This run failed (T2005)')
    await expect(on(page).note).toContainText('Write to it to try once more')
    await expectAccessible(page)
  })

  test('a run with an output', async () => {
    const output: JsonSchema = { type: 'object', properties: { total: { type: 'number' } } }
    const { open, rested } = await office([
      agent('asker', { model: scriptedModel([{ text: '{"total": 12}' }]), output }),
    ])
    const page = await open(`/runs/${(await rested()).run}`)
    await expect(on(page).note).toContainText(/Result\s*total\s*12/)
    await expectAccessible(page)
  })

  test('the keys', async () => {
    const page = await (await office(asking('Why?'))).open()
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
    await expectAccessible(page)
  })
})

describe('long lists', () => {
  test('200 asks and more are listed, said to be the first, and moved through', async () => {
    const calls = Array.from({ length: 70 }, (_, n) => ask(`Question ${n + 1}?`))
    const { open, rested } = await office(player([{ calls }], { limits: { perRun: { asks: 100 } } }).agents)
    for (let run = 0; run < 3; run++) await rested()
    const page = await open()
    await expect(on(page).rows).toHaveCount(200)
    await expect(page.getByText('These are the 200 that are due first')).toBeVisible()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await expect(on(page).rows.first()).toBeFocused()
    await expectAccessible(page)
  })

  test('older runs come page by page', async () => {
    const { open, helper } = await office(player([{ text: 'Done.' }]).agents)
    for (let run = 0; run < 120; run++) await helper().start(`Run ${run}`)
    const page = await open('/runs')
    const { rows, button } = on(page)
    await expect(rows).toHaveCount(50)
    await button('Show older').click()
    await expect(rows).toHaveCount(100)
    await button('Show older').click()
    await expect(rows).toHaveCount(120)
    await expect(button('Show older')).toHaveCount(0)
    await expect(rows.last()).toContainText('Run 0')
  })
})
