import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '../../docs')
const page = readFileSync(join(docs, 'cases.md'), 'utf8')

/** The numbers of the list. Those that are missing were dropped before anything was released. */
const numbers = [
  ...['01', '02', '03', '05', '06', '08', '09', '10', '12', '13', '15', '16', '17', '18', '19', '20', '21'],
  ...['24', '25', '26', '27', '28', '31', '33', '34', '36', '37', '38', '40', '42', '43', '45', '46'],
].map((number) => `C${number}`)

interface Reference {
  file: string
  name: string
}

/** What a text names: a link to a file, and behind it the name of a test in it. */
function referencesIn(text: string): Reference[] {
  return [...text.matchAll(/\]\(([^)]+)\) “([^”]+)”/g)].map(([, file = '', name = '']) => ({ file, name }))
}

const rows = page.split('\n').flatMap((line) => {
  const [, number, text, cell] = /^\| \*\*(C\d\d)\*\* \| ([^|]+) \| (.+) \|$/.exec(line) ?? []
  return number && text && cell ? [{ number, cell, shownBy: referencesIn(cell) }] : []
})

/** Whether a file has a test, or a group of them, of exactly this name: as the first argument of a call. */
function has({ file, name }: Reference): boolean {
  const path = join(docs, file)
  if (!/\.test\.tsx?$/.test(file) || !existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return [`'${name}',`, `"${name}",`].some((literal) =>
    source
      .split(literal)
      .slice(0, -1)
      .some((before) => before.trimEnd().endsWith('(')),
  )
}

test('docs/cases.md has every case, each once, in order, with what shows it', () => {
  expect(rows.map(({ number }) => number)).toEqual(numbers)
  for (const { number, cell, shownBy } of rows) {
    // Nothing in the cell is written in another way, which would then be looked up by nobody.
    expect(cell.split('<br>'), number).toHaveLength(shownBy.length)
    expect(
      shownBy.filter(({ name }) => !name.includes(number)),
      number,
    ).toEqual([])
  }
})

test('docs/cases.md: every test that it names is there, and every file', () => {
  expect(referencesIn(page).filter((reference) => !has(reference))).toEqual([])
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
  expect(links.filter((file) => !existsSync(join(docs, file)))).toEqual([])
})

test('a name that no test has is noticed', () => {
  const [real] = referencesIn(page)
  expect(real && has(real)).toBe(true)
  expect(real && has({ ...real, name: `${real.name}?` })).toBe(false)
  expect(real && has({ ...real, file: '../test/docs/none.test.ts' })).toBe(false)
})
