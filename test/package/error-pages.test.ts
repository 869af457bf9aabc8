import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Code, code, QuerentError, titleOf } from '../../src/core/error.ts'

const pageOf = (name: string) => readFileSync(`docs/errors/${name}.md`, 'utf8')
const codes = Object.values(code)

describe('the pages of the error codes', () => {
  it('are those of the table, no more and no fewer', () => {
    const pages = readdirSync('docs/errors').map((file) => file.replace(/\.md$/, ''))
    expect(pages.sort()).toEqual([...codes, 'README'].sort())
  })

  it.each(codes)('%s says what the table says', (name: Code) => {
    const page = pageOf(name)
    const error = new QuerentError(name, 'x')
    expect(page.split('\n')[0]).toBe(`# ${name}: ${titleOf(name)}`)
    expect(page.split('\n')[2]).toContain(`HTTP ${error.status}`)
    expect(page.split('\n')[2]).toContain(error.retry ? 'may succeed later' : 'will fail again')
    for (const part of ['**Message**: ', '## When', '## Why', '## What to do']) expect(page).toContain(`\n${part}`)
  })

  it('are in the index, with their titles', () => {
    const index = pageOf('README')
    for (const name of codes)
      expect(index).toMatch(new RegExp(`\\[${name}\\]\\(${name}\\.md\\).*${escaped(titleOf(name))}`))
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
