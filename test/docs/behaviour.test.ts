import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '../../docs')
const page = readFileSync(join(docs, 'behaviour.md'), 'utf8')

interface Row {
  text: string
  shownBy: { file: string; name: string }[]
}

/** The rows of the table, without its head and without the titles between them. */
function rowsOf(table: string): Row[] {
  const lines = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (\*\*|---|what happens )/.test(line))
  return lines.map((line) => {
    const [text = '', cell = ''] = line.slice(2, -2).split(' | ')
    const references = cell.split('<br>').map((each) => /^\[[^\]]+\]\(([^)]+)\) “([^”]+)”$/.exec(each.trim()))
    return { text, shownBy: references.map((match) => ({ file: match?.[1] ?? '', name: match?.[2] ?? '' })) }
  })
}

/** Whether a file has a test, or a group of tests, of exactly this name: as the first argument of a call. */
function isNamedIn(source: string, name: string): boolean {
  return [`'${name}',`, `"${name}",`, `\`${name}\`,`].some((literal) =>
    source
      .split(literal)
      .slice(0, -1)
      .some((before) => before.trimEnd().endsWith('(')),
  )
}

const rows = rowsOf(page)

test('docs/behaviour.md: every line says what happens and names what shows it, and no line is there twice', () => {
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter(({ text, shownBy }) => text === '' || shownBy.some(({ file, name }) => !file || !name))).toEqual(
    [],
  )
  expect(rows.map(({ text }) => text)).toEqual([...new Set(rows.map(({ text }) => text))])
})

test('docs/behaviour.md: every test that it names is there', () => {
  const missing = rows.flatMap(({ shownBy }) =>
    shownBy.filter(({ file, name }) => {
      const path = join(docs, file)
      return !/\.test\.ts$/.test(file) || !existsSync(path) || !isNamedIn(readFileSync(path, 'utf8'), name)
    }),
  )
  expect(missing).toEqual([])
})

test('a name that no test has is noticed', () => {
  const source = "describe('a group', () => { test(\n  'its test', () => undefined) })"
  expect(isNamedIn(source, 'a group')).toBe(true)
  expect(isNamedIn(source, 'its test')).toBe(true)
  expect(isNamedIn(source, 'its')).toBe(false)
  expect(isNamedIn(source, 'a test')).toBe(false)
  expect(rowsOf('| a | b |')).toEqual([{ text: 'a', shownBy: [{ file: '', name: '' }] }])
})
