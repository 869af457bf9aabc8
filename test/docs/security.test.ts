import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test.each([
  ['SECURITY.md', '.'],
  ['docs/dependencies.md', 'docs'],
])('%s: every page and test that it names is there', (page, folder) => {
  const links = [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)
  const local = links.filter((link) => !link.startsWith('https://'))
  expect(local.length).toBeGreaterThan(3)
  expect(local.filter((link) => !existsSync(join(root, folder, link)))).toEqual([])
})

test('docs/dependencies.md says of each package that is shipped why it is there, and names each optional peer', () => {
  const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const page = read('docs/dependencies.md')
  const rows = [
    ...page.matchAll(/^\| \[([^\]]+)\]\(https:\/\/www\.npmjs\.com\/package\/([^)]+)\) \| ([^|]+) \| [^|]+ \|/gm),
  ]
  expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(dependencies ?? {}).sort())
  expect(rows.filter(([, name, link]) => name !== link)).toEqual([])
  // What they bring, they and Querent itself: the number that the page gives.
  const brought = rows.reduce((sum, [, , , count]) => sum + (Number.parseInt(String(count), 10) || 0), 0)
  expect(page).toContain(`${brought + rows.length + 1} packages`)
  for (const name of Object.keys(peerDependencies ?? {})) expect(page).toContain(`\`${name}\``)
  for (const version of Object.values(dependencies ?? {})) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})
