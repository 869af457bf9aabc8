import { tool } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

const sizes = { question: 'Which size fits you?', choices: ['S', 'M', 'L'] }

const shirts = () => player([{ text: 'One question first.', calls: [ask(sizes)] }, { text: 'It is ordered in **M**.' }])

describe('from start to end', () => {
  test('started, asked, answered and done, in one page', async () => {
    const { model, agents } = shirts()
    const { open } = await office(agents)
    const page = await open()
    const { rows, button, messages, detail } = on(page)
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
    await page.getByRole('link', { name: 'New run' }).click()
    await page.getByLabel('What should it do?').fill('I need a T-shirt')
    await button('Start').click()
    await expect(messages).toHaveText(['I need a T-shirt', 'One question first.'])
    await expect(page.getByText('Waiting for you').first()).toBeVisible()
    await page.getByLabel('M', { exact: true }).check()
    await button('Send answer').click()
    await expect(messages.last()).toHaveText('It is ordered in M.')
    await expect(messages).toHaveText([
      'I need a T-shirt',
      'One question first.',
      sizes.question,
      'M',
      'It is ordered in M.',
    ])
    await expect(detail.getByText('Done')).toBeVisible()
    await expect(detail.getByText('20 tokens in, 20 out')).toBeVisible()
    await expect(rows).toHaveText([/asker.*Done.*I need a T-shirt/])
    expect(model.calls).toBe(2)
  })

  test('answered in the inbox: what was sent, when, and the next one', async () => {
    const { open, rested } = await office(shirts().agents)
    await rested('First')
    await rested('Second')
    const page = await open()
    const { rows, button, note, heading, link } = on(page)
    await expect(page).toHaveTitle('(2) Inbox · Querent')
    await expect(rows).toHaveText([/asker.*new.*Which size/, /asker.*new.*Which size/])
    await rows.first().click()
    await expect(heading).toHaveText('Question from asker: Which size fits you?')
    await expect(rows.first()).not.toHaveAttribute('data-new')
    await page.getByLabel('L', { exact: true }).check()
    await button('Send answer').click()
    await expect(note).toHaveText(/^You answered .*L$/)
    await expect(page).toHaveTitle('(1) Inbox · Querent')
    await expect(rows).toHaveCount(1)
    await link(/^Next/).click()
    await expect(page.getByLabel('L', { exact: true })).not.toBeChecked()
    await button('Refuse …').click()
    await page.getByLabel('Why?').fill('I have enough shirts')
    await button('Refuse').click()
    await expect(note).toHaveText(/^You refused .*I have enough shirts$/)
    await expect(page.getByText('Nothing else waits for you.')).toBeVisible()
    await expect(page).toHaveTitle('Inbox · Querent')
  })

  test('an approval shows exactly what would run, and runs once', async () => {
    let charged = 0
    const charge = tool({
      name: 'charge',
      description: 'Charges.',
      input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
      approval: true,
      execute: () => `charged ${++charged} times`,
    })
    const turns = [{ calls: [{ tool: 'charge', input: { amount: 5 } }] }, { text: 'Paid.' }]
    const { open, rested } = await office(player(turns, { tools: [charge] }).agents)
    const page = await open(pathOf(await rested()))
    const { button, note, card } = on(page)
    await expect(card).toContainText('charge wants to run with')
    await expect(card).toContainText(/amount\s*5/)
    await button('Approve').dblclick()
    await expect(note).toHaveText(/^You approved this/)
    await on(page).link('Open the whole run').click()
    await expect(page.getByText('charge done')).toBeVisible()
    await expect(on(page).messages.last()).toHaveText('Paid.')
    expect(charged).toBe(1)
  })

  test('a run is written to, stopped after a second look, and goes on', async () => {
    const { open, rested, helper } = await office(
      player([{ calls: [ask('Red?')] }, { calls: [ask('Blue?')] }, { text: 'As you like.' }]).agents,
    )
    const { run } = await rested()
    const page = await open(`/runs/${run}`)
    const { button, messages, detail } = on(page)
    await page.getByLabel('Write to this run').fill('Neither.')
    await expect(page.getByText('what is asked above is withdrawn')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Withdrawn: no answer is needed any more.')).toBeVisible()
    await expect(detail.getByText('Blue?')).toBeVisible()
    await button('Stop').click()
    await button('Let it run').click()
    expect((await helper().run(run)).status).toBe('waiting')
    await button('Stop').click()
    await button('Stop the run').click()
    await expect(page.getByText('You stopped this run')).toBeVisible()
    await page.getByLabel('Write to go on with this run').fill('Go on then')
    await button('Send').click()
    await expect(messages.last()).toHaveText('As you like.')
  })
})

describe('C43', () => {
  test('two browsers, answered in one: the other shows who, when and what, and its list follows', async () => {
    const { open, rested } = await office(shirts().agents)
    const view = await rested()
    const here = await open(pathOf(view))
    const there = await open('/')
    await here.getByLabel('S', { exact: true }).check()
    await on(there).rows.click()
    await there.getByLabel('M', { exact: true }).check()
    await on(there).button('Send answer').click()
    await expect(on(here).note).toHaveText(/^You answered \d\d:\d\d.*M$/)
    await expect(on(here).rows).toHaveCount(0)
  })

  test('a draft survives a reload, and never crosses to another ask, though it asks the same', async () => {
    const { open, rested, url } = await office(player([{ calls: [ask('Why?')] }, { text: 'I see.' }]).agents)
    const [first, second] = [await rested('First'), await rested('Second')]
    const page = await open(pathOf(first))
    const field = page.getByLabel('Your answer')
    await field.fill('Because of the rain')
    await page.reload()
    await expect(field).toHaveValue('Because of the rain')
    await page.goto(url + pathOf(second))
    await expect(field).toHaveValue('')
    await page.goto(url + pathOf(first))
    await expect(field).toHaveValue('Because of the rain')
    await on(page).button('Send answer').click()
    await expect(on(page).note).toContainText('Because of the rain')
    await expect(on(page).rows).toHaveCount(1)
  })

  test('run A, B, A: never is one shown under the other’s name', async () => {
    const { open, helper } = await office(
      player([(request) => ({ text: `To ${JSON.stringify(request.messages[0]?.content)}` })]).agents,
    )
    for (const name of ['A', 'B']) await helper().atRest((await helper().start(name)).run)
    const page = await open('/runs')
    const { rows, messages } = on(page)
    for (const name of ['A', 'B', 'A']) {
      await rows.filter({ hasText: new RegExp(`${name}$`) }).click()
      await expect(messages).toHaveText([name, `To "${name}"`])
    }
  })

  test('answered elsewhere while a draft is open, with a server that was away meanwhile', async () => {
    const { agents } = shirts()
    const first = await office(agents)
    const view = await first.rested()
    const page = await first.open(pathOf(view))
    await page.getByLabel('S', { exact: true }).check()
    await first.kill()
    await expect(on(page).banner).toContainText('The server does not answer')
    await first.helper().approve({ run: view.run, step: 'question 1.1', data: 'L' })
    await first.helper().atRest(view.run)
    await first.world.close(first.engine)
    await office(shirts().agents, { world: first.world, port: Number(new URL(first.url).port) })
    await expect(on(page).note).toHaveText(/^You answered .*L$/)
    await expect(on(page).banner).toHaveCount(0)
  })
})

describe('a server that goes and comes', () => {
  test('the page says so, keeps the draft, says why nothing was sent, and is right again without a reload', async () => {
    const first = await office(shirts().agents)
    const page = await first.open(pathOf(await first.rested()))
    const { banner, button, note } = on(page)
    await page.getByLabel('M', { exact: true }).check()
    await first.kill()
    await expect(banner).toContainText('this page goes on by itself')
    await button('Send answer').click()
    await expect(page.getByRole('alert')).toContainText('What you wrote is kept')
    await first.world.close(first.engine)
    await office(shirts().agents, { world: first.world, port: Number(new URL(first.url).port) })
    await expect(banner).toHaveCount(0)
    await expect(page.getByLabel('M', { exact: true })).toBeChecked()
    await button('Send answer').click()
    await expect(note).toHaveText(/^You answered .*M$/)
  })
})

describe('C38', () => {
  test('a run that is stopped elsewhere takes its asks from the list and the screen, live', async () => {
    const { open, rested, helper } = await office(shirts().agents)
    const view = await rested()
    const page = await open(pathOf(view))
    await expect(on(page).rows).toHaveCount(1)
    await helper().stop({ run: view.run })
    await expect(on(page).rows).toHaveCount(0)
    await expect(on(page).note).toContainText('Withdrawn')
    await rested('Another')
    await expect(on(page).rows).toHaveCount(1)
  })
})

describe('C31', () => {
  test('nothing of another’s run is shown: not in lists, not by its address, not that it is there', async () => {
    const { open, rested, helper } = await office(shirts().agents)
    const view = await rested('A secret shirt')
    const bob = await open('/', { as: 'bob' })
    await expect(bob.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible()
    const texts = []
    for (const run of [view.run, 'run_none']) {
      const page = await open(`/runs/${run}`, { as: 'bob' })
      await expect(page.getByText('This run cannot be shown')).toBeVisible()
      texts.push(await on(page).detail.textContent())
    }
    expect(texts[0]).toBe(texts[1])
    const page = await open(pathOf(view), { as: 'bob' })
    await expect(page.getByText('This does not wait for you')).toBeVisible()
    expect(await page.content()).not.toContain('secret')
    expect((await helper().run(view.run)).status).toBe('waiting')
  })
})
