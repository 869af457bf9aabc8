import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as plainTest } from 'vitest'
import { printed, Workplace } from '../cli/workplace.ts'
import { openPage, test } from './browser.ts'
import { expect } from './react-desk.ts'

const root = join(import.meta.dirname, '../..')
const example = join(root, 'examples/13-react')

test('examples/13-react: started, asked, answered and done, in a browser', async () => {
  const command = [process.execPath, '--conditions=querent-source', join(example, 'server.ts')]
  const child = new Workplace().spawn(command, { PORT: '0', CI: undefined })
  const [url] = await printed(child, /http:\/\/127\.0\.0\.1:\d+/)
  const page = await openPage(url)
  await page.getByRole('button', { name: 'I need a T-shirt' }).click()
  await expect(page.getByRole('list', { name: 'Inbox' })).toHaveText('shirts asks')
  await expect(page.getByRole('status')).toHaveText('waiting')
  await page.getByRole('group', { name: 'Which size?' }).getByRole('button', { name: 'M' }).click()
  await expect(page.getByRole('status')).toHaveText('done')
  await expect(page.locator('main > p')).toHaveText([
    'I need a T-shirt.',
    'Happy to help.',
    'You said M.',
    'One T-shirt is on its way.',
    'done',
  ])
})

plainTest('docs/react.md: its code is that of the example, whole files of it', () => {
  const page = readFileSync(join(root, 'docs/react.md'), 'utf8')
  const blocks = [...page.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)].map(([, code]) => code)
  expect(blocks.length).toBeGreaterThan(2)
  const files = readdirSync(example).map((name) => readFileSync(join(example, name), 'utf8'))
  for (const block of blocks) expect(files).toContain(block)
})
