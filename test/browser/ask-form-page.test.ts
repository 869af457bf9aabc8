import { globSync, readFileSync } from 'node:fs'
import { test } from 'vitest'
import { expect } from './browser.ts'

const page = readFileSync('docs/ask-form.md', 'utf8')
const namesIn = (text: string) => new Set(text.match(/(?<!-)\bquerent-[a-z]+\b/g))

/** The classes in the source, and those it makes of the kind of a field. */
function classes(): Set<string> {
  const sources = globSync('src/ask-form/*.tsx').map((path) => readFileSync(path, 'utf8'))
  const kinds = readFileSync('src/ask-form/field.ts', 'utf8').matchAll(/kind: '([a-z]+)'/g)
  return new Set([
    ...sources.flatMap((source) => [...namesIn(source)]),
    ...Array.from(kinds, ([, kind]) => `querent-${kind}`),
  ])
}

test('docs/ask-form.md: every class that the form has is on the page, and every one on the page is in the form', () => {
  expect([...namesIn(page)].sort()).toEqual([...classes()].sort())
})

test('querent/react/ask-form.css styles no class that the form does not have', () => {
  const styled = (readFileSync('src/ask-form/ask-form.css', 'utf8').match(/\.querent-[a-z]+/g) ?? []).map((name) =>
    name.slice(1),
  )
  expect(styled.filter((name) => !classes().has(name))).toEqual([])
})
