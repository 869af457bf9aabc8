import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { expectAccessible, office, on, pathOf, player } from './inbox-desk.ts'

const asking = (limit: string | number, name = 'asker', onExpire?: 'tell') =>
  player([{ calls: [ask('Why?')] }, { text: 'I see.' }], { name, limits: { ask: limit }, onExpire }).agents[0]

const dayMs = 24 * 60 * 60_000

describe('C36', () => {
  test('24, 25 and 30 days, and five years: counted by the server’s clock, nearest first, and open', async () => {
    const days = [1_826, 30, 25, 24]
    const { open, rested } = await office(days.map((count) => asking(count * dayMs, `in-${count}`)))
    for (const count of days) await rested('Begin', `in-${count}`)
    const page = await open()
    const { rows } = on(page)
    await expect(rows).toHaveText([/in-24.*in 24 days/, /in-25.*in 25 days/, /in-30.*in 30 days/, /in-1826.*in 5 yr/])
    // The clock of these servers stands in January 2026. Its zone is the reader's: an hour ahead.
    await expect(rows.first().locator('time')).toHaveAttribute('title', /Sunday.*25 January 2026.*01:00:00/)
    await rows.last().click()
    await expect(on(page).detail.locator('.due')).toHaveText(/in 5 yr.*1 Jan 2031, 01:00/)
    await expect(on(page).button('Send answer')).toBeEnabled()
  })

  test('a browser whose clock is wrong by years counts right', async () => {
    const { open, rested, url } = await office([asking('30m')])
    const view = await rested()
    const page = await open('/runs')
    await page.clock.install({ time: new Date('2031-05-01T12:00:00Z') })
    await page.goto(url + pathOf(view))
    await expect(on(page).detail.locator('.due')).toHaveText(/in 30 min|in 29 min/)
    await page.clock.fastForward('25:00')
    await expect(on(page).rows).toContainText(/in (4|5) min|in 2\d\d sec/)
  })
})

describe('C34', () => {
  test('the deadline passes while the form is open: it says so, what was written stays, nothing can be sent', async () => {
    const { open, rested, world, helper } = await office([asking('1h', 'asker', 'tell')])
    const view = await rested()
    const page = await open(pathOf(view))
    await page.getByLabel('Your answer').fill('Because I was late')
    world.clock.advance(2 * 60 * 60_000)
    await expect(on(page).note).toContainText('This expired while it waited for you')
    await expect(on(page).rows).toHaveCount(0)
    await expect(page.getByLabel('Your answer')).toHaveValue('Because I was late')
    await expect(page.getByLabel('Your answer')).toBeDisabled()
    await expect(on(page).button('Send answer')).toBeDisabled()
    await expectAccessible(page)
    await helper().atRest(view.run)
    await page.reload()
    await expect(on(page).note).toContainText('This expired while it waited for you')
    await expect(page.getByLabel('Your answer')).toHaveValue('Because I was late')
    await on(page).link('Open the whole run').click()
    await expect(page.getByText('Expired: nobody answered in time.')).toBeVisible()
  })
})
