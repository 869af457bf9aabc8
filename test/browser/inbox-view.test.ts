import { tool } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

const size = { width: 1280, height: 700 }

const names = Array.from({ length: 20 }, (_, index) => `Field ${index + 1}`)
const long = {
  question: 'What is in it?',
  shape: { type: 'object' as const, properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
}

describe('the beginning of what is asked is in view', () => {
  test('a form that is longer than the window comes with its question, and what follows its answer is followed', async () => {
    const end = Array.from({ length: 40 }, (_, index) => `${index + 1}.`).join('\n\n')
    const { open, helper } = await office(player([{ calls: [ask(long)] }, { text: `${end}\n\nThe end.` }]).agents)
    const { run } = await helper().start('Begin')
    const page = await open(`/runs/${run}`, { viewport: size })
    await expect(page.getByText('What is in it?')).toBeInViewport()
    await expect(page.getByLabel('Field 20')).not.toBeInViewport()
    await on(page).button('Send answer').click()
    await expect(page.getByText('The end.')).toBeInViewport()
  })

  test('of two approvals the first, then the second', async () => {
    const input = Object.fromEntries(names.map((name) => [name, 'a value']))
    const act = (name: string) =>
      tool({ name, description: name, input: { type: 'object' }, approval: true, execute: () => 'done' })
    const calls = ['copy', 'remove'].map((name) => ({ tool: name, input }))
    const { agents } = player([{ calls }, { text: 'Done.' }], { tools: [act('copy'), act('remove')] })
    const { open, rested } = await office(agents)
    const page = await open(`/runs/${(await rested()).run}`, { viewport: size })
    await expect(page.getByText('copy wants to run with')).toBeInViewport()
    await expect(page.getByText('remove wants to run with')).not.toBeInViewport()
    await on(page).button('Approve').first().click()
    await expect(page.getByText('remove wants to run with')).toBeInViewport()
  })

  test('in the inbox, however much was said before', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `${index + 1}.`).join('\n\n')
    const { open, rested } = await office(player([{ text, calls: [ask('Is that all?')] }, { text: 'Yes.' }]).agents)
    const page = await open(pathOf(await rested()), { viewport: size })
    await expect(on(page).card.getByText('Is that all?')).toBeInViewport()
    await expect(on(page).button('Send answer')).toBeInViewport()
    await page.getByLabel('Your answer').fill('Yes')
    await on(page).button('Send answer').click()
    await expect(page.getByText('Nothing else waits for you.')).toBeInViewport()
  })
})

describe('an answer is shown as it was given', () => {
  test('a text of one’s own stands beside the choices', async () => {
    const question = { question: 'Which?', choices: ['S', 'M'], multi: true, other: true }
    const { open, rested } = await office(player([{ calls: [ask(question)] }, { text: 'Thanks.' }]).agents)
    const page = await open(pathOf(await rested()))
    await page.getByLabel('M', { exact: true }).check()
    await page.getByLabel('Something else …').check()
    await page.getByLabel('Your own answer').fill('XXL')
    await on(page).button('Send answer').click()
    await expect(on(page).note.getByRole('listitem')).toHaveText(['M', 'XXL'])
  })

  test('a shape in lines, also what is nested', async () => {
    const address = { type: 'object' as const, properties: { city: { type: 'string' } } }
    const shape = { type: 'object' as const, properties: { name: { type: 'string' }, address } }
    const question = { question: 'Where to?', shape }
    const { open, rested } = await office(player([{ calls: [ask(question)] }, { text: 'Thanks.' }]).agents)
    const page = await open(pathOf(await rested()))
    await page.getByLabel('name').fill('Ann')
    await page.getByLabel('city').fill('Rome')
    await on(page).button('Send answer').click()
    await expect(on(page).note.getByRole('term')).toHaveText(['name', 'address', 'city'])
    const city = on(page).note.getByRole('definition').last()
    await expect(city).toHaveText('Rome')
    // A third column would leave a phone room for one letter in a line.
    await page.setViewportSize({ width: 390, height: 844 })
    expect((await city.boundingBox())?.width).toBeGreaterThan(120)
  })

  test('an approval with what was changed', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object', properties: { amount: { type: 'number' } } },
      approval: { editable: true },
      execute: () => 'paid',
    })
    const turns = [{ calls: [{ tool: 'pay', input: { amount: 5 } }] }, { text: 'Paid.' }]
    const { open, rested } = await office(player(turns, { tools: [pay] }).agents)
    const page = await open(pathOf(await rested()))
    await on(page).button('Change the input …').click()
    await expect(page.getByLabel('amount')).toBeFocused()
    await page.getByLabel('amount').fill('7')
    await on(page).button('Approve with this input').click()
    await expect(on(page).note).toHaveText(/^You approved this with a changed input.*amount7$/)
  })
})
