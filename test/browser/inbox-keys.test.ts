import type { Page } from '@playwright/test'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

const choosing = () =>
  player([{ calls: [ask({ question: 'Which?', choices: ['S', 'M'] })] }, { text: 'Thanks.' }], {
    limits: { ask: '1d' },
  })

/** Two asks, the first due first, and the list that shows them. */
async function two(): Promise<{ page: Page; url: string }> {
  const { open, rested, url } = await office(choosing().agents)
  await rested('First')
  await rested('Second')
  const page = await open()
  await expect(on(page).rows).toHaveCount(2)
  return { page, url }
}

describe('by keyboard alone', () => {
  test('an ask is found, opened, answered, and the next one is taken', async () => {
    const { page } = await two()
    const { rows, detail, note } = on(page)
    await page.keyboard.press('j')
    await expect(rows.first()).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(rows.last()).toBeFocused()
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await expect(detail).toBeFocused()
    await expect(on(page).card).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(on(page).link('Open the whole run')).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByLabel('M', { exact: true })).toBeChecked()
    await page.keyboard.press('Control+Enter')
    await expect(note).toContainText('You answered')
    // Where the form was, how it ended: the focus is not lost, and Tab goes on from there.
    await expect(page.locator('.here')).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('M', { exact: true })).not.toBeChecked()
    await expect(detail).toBeFocused()
  })

  test('answered in its run: the focus stays with what is open, and is there for the next ask', async () => {
    const { agents } = player([{ calls: [ask('Red?')] }, { calls: [ask('Blue?')] }, { text: 'Thanks.' }])
    const { open, rested } = await office(agents)
    const page = await open(`/runs/${(await rested()).run}`)
    const { button, card, detail } = on(page)
    await expect(card).toContainText('Red?')
    await page.getByLabel('Your answer').focus()
    await page.keyboard.type('Yes')
    await page.keyboard.press('Control+Enter')
    await expect(card).toContainText('Blue?')
    await expect(detail).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(button('Stop')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(page.getByLabel('Your answer')).toBeFocused()
  })

  test('refused, with a reason', async () => {
    const { page } = await two()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(on(page).card).toBeVisible()
    await on(page).button('Refuse …').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Not today')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(on(page).note).toContainText(/You refused .*Not today/)
  })

  test('Esc leaves a field, then the ask, and comes back to its row', async () => {
    const { open, rested } = await office(player([{ calls: [ask('Why?')] }]).agents)
    const page = await open(pathOf(await rested()))
    const field = page.getByLabel('Your answer')
    await field.fill('j')
    await page.keyboard.press('Escape')
    await expect(on(page).detail).toBeFocused()
    await expect(field).toHaveValue('j')
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/\/$/)
    await expect(on(page).rows).toBeFocused()
  })

  test('letters go to places and back, and do nothing in a field, nor once they are turned off', async () => {
    const { page } = await two()
    const { button } = on(page)
    await page.keyboard.press('r')
    await expect(page).toHaveURL(/\/runs$/)
    await page.keyboard.press('n')
    const field = page.getByLabel('What should it do?')
    await field.fill('')
    await page.keyboard.type('jkirn?')
    await expect(field).toHaveValue('jkirn?')
    await page.keyboard.press('Escape')
    await page.keyboard.press('i')
    await expect(page).toHaveURL(/\/$/)
    await page.keyboard.press('?')
    await page.getByLabel('Use single letters as shortcuts').uncheck()
    await button('Close').click()
    await page.keyboard.press('r')
    await expect(page).toHaveURL(/\/$/)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.reload()
    await on(page).rows.first().focus()
    await page.keyboard.press('n')
    await page.keyboard.press('ArrowDown')
    await expect(on(page).rows.last()).toBeFocused()
    await expect(page).toHaveURL(/\/$/)
    await button('Keys').click()
    await page.getByLabel('Use single letters as shortcuts').check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('r')
    await expect(page).toHaveURL(/\/runs$/)
  })

  test('the first Tab leads past the list', async () => {
    const { page } = await two()
    await page.keyboard.press('Tab')
    await expect(on(page).link('Skip to what is open')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(on(page).detail).toBeFocused()
  })

  test('Back and Forward of the browser move the focus as the page does', async () => {
    const { page } = await two()
    await on(page).rows.last().click()
    await expect(on(page).detail).toBeFocused()
    await page.goBack()
    await expect(on(page).rows.last()).toBeFocused()
    await page.goForward()
    await expect(on(page).detail).toBeFocused()
  })
})

describe('C45', () => {
  test('Enter while composing sends no message, and starts nothing', async () => {
    const { open, rested, helper } = await office(choosing().agents)
    const { run } = await rested()
    const page = await open(`/runs/${run}`)
    // By either of its names: once the run is over, one writes to go on with it.
    const field = page.getByLabel(/^Write to /)
    await field.fill('にほん')
    const composed = (isComposing: boolean, keyCode: number) =>
      field.evaluate(
        (element, init) =>
          element.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true })),
        { key: 'Enter', isComposing, keyCode },
      )
    await composed(true, 13)
    await composed(false, 229)
    await expect(field).toHaveValue('にほん')
    await page.keyboard.press('Shift+Enter')
    await expect(field).toHaveValue('にほん\n')
    expect((await helper().run(run)).messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue('')
    await expect(on(page).messages.filter({ hasText: 'にほん' })).toHaveCount(1)
  })

  test('a question of 60 lines and 12 choices of 300 characters: all can be reached at phone width and at 200 %', async () => {
    const question = Array.from({ length: 60 }, (_, line) => `Line ${line + 1}`).join('\n')
    const choices = Array.from({ length: 12 }, (_, at) => `${String.fromCharCode(65 + at)}${'x'.repeat(199)}`)
    const { open, rested } = await office(player([{ calls: [ask({ question, choices })] }, { text: 'Thanks.' }]).agents)
    const path = pathOf(await rested())
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 720, height: 450 },
    ]) {
      const page = await open(path, { viewport })
      await expect(page.getByText('Line 60')).toHaveCount(1)
      await page.getByRole('radio').last().check()
      await expect(page.getByRole('radio').last()).toBeInViewport()
      await expect(on(page).button('Send answer')).toBeInViewport()
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    }
  })
})
