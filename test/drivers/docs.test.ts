import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/drivers.md'), 'utf8')

/** Each block of code, with the example that it says it is from. */
const blocks = [...page.matchAll(/^```ts\n(?:\/\/ (examples\/\S+)\n)?([\s\S]*?)^```/gm)].map(
  ([, example, code = '']) => ({ example, code }),
)

// Examples are run by tests, answer by answer: what stands here runs there.
test('docs/drivers.md: every block of code stands, word for word, in an example that is run', () => {
  expect(blocks).toHaveLength(page.split('```ts\n').length - 1)
  expect(blocks.length).toBeGreaterThan(2)
  for (const { example, code } of blocks) {
    expect(example, code).toBeDefined()
    expect(readFileSync(join(root, example as string), 'utf8')).toContain(code)
  }
})

test('docs/drivers.md names every member of a session', () => {
  const source = readFileSync(join(root, 'src/core/session.ts'), 'utf8')
  const [, body = ''] = /export interface Session \{\n([\s\S]*?)^\}/m.exec(source) ?? []
  const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[<(:]/gm)].map(([, name]) => name as string)
  expect(members.length).toBeGreaterThan(10)
  for (const name of members) expect(page, name).toMatch(new RegExp(`\`${name}\\b`))
})
