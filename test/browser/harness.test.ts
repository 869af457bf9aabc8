import { expect, openPage, test } from './browser.ts'

test('a real browser draws a page', async () => {
  const page = await openPage('data:text/html,<h1>Ask</h1>')
  await expect(page.getByRole('heading', { name: 'Ask' })).toBeVisible()
})
