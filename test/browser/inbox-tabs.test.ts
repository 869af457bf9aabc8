import type { Page } from '@playwright/test'
import { ask } from '../engine/world.ts'
import { expect, openBrowser, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

const agents = () => player([{ calls: [ask({ question: 'Size?', choices: ['S', 'M'] })] }, { text: 'Ordered.' }]).agents

/** As a browser does with a tab when another is brought before it. Here all of them are before their windows. */
const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

const ann = () => openBrowser({ extraHTTPHeaders: { authorization: 'Bearer ann' } })

test('over six connections, many tabs: the newest loads and answers, the others are right when they are looked at', async () => {
  const { open, rested } = await office(agents())
  const path = pathOf(await rested())
  const context = await ann()
  const pages: Page[] = []
  for (let tab = 0; tab < 8; tab++) {
    const page = await open(path, { context })
    await expect(on(page).card).toContainText('Size?')
    await show(page, 'hidden')
    pages.push(page)
  }
  const [first, last] = [pages.at(0), pages.at(-1)] as [Page, Page]
  await show(last, 'visible')
  await last.getByRole('radio', { name: 'M' }).check()
  await on(last).button('Send answer').click()
  await expect(on(last).card).toContainText('You answered')
  await show(last, 'hidden')
  await show(first, 'visible')
  await expect(on(first).card).toContainText('You answered')
  await expect(first).toHaveTitle('Inbox · Querent')
})

test('of tabs that nobody sees one has a title that is live; when it is closed, another', async () => {
  const { open, rested } = await office(agents())
  const context = await ann()
  const pages = [await open('/', { context }), await open('/', { context }), await open('/', { context })]
  for (const page of pages) {
    await expect(page.getByText('Nothing waits for you').first()).toBeAttached()
    await show(page, 'hidden')
  }
  await rested()
  const titles = () => Promise.all(pages.map((page) => page.title()))
  await expect.poll(titles).toEqual(['(1) Inbox · Querent', 'Inbox · Querent', 'Inbox · Querent'])
  await pages.shift()?.close()
  await expect.poll(titles).toEqual(['(1) Inbox · Querent', 'Inbox · Querent'])
})

test('tabs that are opened behind the one that is looked at: nothing is fetched for them but the page, until they are', async () => {
  const { open, rested } = await office(agents())
  const path = pathOf(await rested())
  const context = await ann()
  const first = await open('/', { context })
  await expect(on(first).rows).toHaveCount(1)
  await context.addInitScript(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  })
  const behind: Page[] = []
  for (let tab = 0; tab < 6; tab++) behind.push(await open(path, { context }))
  for (const page of behind) {
    await show(page, 'visible')
    await expect(on(page).card).toContainText('Size?')
    await show(page, 'hidden')
  }
})
