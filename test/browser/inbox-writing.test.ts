import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

test('what is written while a message is on its way stays there', async () => {
  const { open, rested } = await office(player([{ text: 'Hello.' }, { text: 'And so on.' }]).agents)
  const page = await open(`/runs/${(await rested()).run}`)
  const field = page.getByLabel('Write to go on with this run')
  const held = Promise.withResolvers<void>()
  await page.route('**/say', async (route) => {
    await held.promise
    await route.continue()
  })
  await field.fill('One')
  await field.press('Enter')
  await expect(on(page).button('Send')).toBeDisabled()
  await page.getByRole('textbox').fill('Two')
  held.resolve()
  await expect(on(page).messages.nth(2)).toHaveText('One')
  await expect(on(page).button('Send')).toBeEnabled()
  await expect(page.getByRole('textbox')).toHaveValue('Two')
  await page.reload()
  await expect(page.getByRole('textbox')).toHaveValue('Two')
})

test('where the storage of the browser is full, the newest text counts, not the last that was stored', async () => {
  const { open, rested } = await office(player([{ text: 'Hello.' }]).agents)
  const page = await open(`/runs/${(await rested()).run}`)
  const field = page.getByRole('textbox')
  await field.fill('One')
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  await field.fill('One, and two')
  await on(page).link('Inbox').click()
  await page.goBack()
  await expect(field).toHaveValue('One, and two')
})

test('an ask that is over is not called unknown while its run is on its way', async () => {
  const { open, rested, helper } = await office(player([{ calls: [ask('Size?')] }, { text: 'Ordered.' }]).agents)
  const asked = await rested()
  await helper().approve(asked.asks[0] as never, { data: 'M' })
  await helper().atRest(asked.run)
  const page = await open('/')
  const held = Promise.withResolvers<void>()
  await page.route('**/api/runs/*/events', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(new URL(pathOf(asked), page.url()).href)
  await expect(on(page).list).toContainText('Nothing waits for you')
  await expect(on(page).heading).toHaveText('Loading …')
  held.resolve()
  await expect(on(page).card).toContainText('You answered')
})
