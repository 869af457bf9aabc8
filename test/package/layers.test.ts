import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accomplices, badCode, badImports, badPromises, clean } from './planted.ts'

let tree: string

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'planted-'))
  for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs', '.oxlintrc.json']) {
    copyFileSync(file, join(tree, file))
  }
  cpSync('scripts/lint', join(tree, 'scripts/lint'), { recursive: true })
  // Outside of a repository there is no ignore file to follow; all else is as in the tree.
  const biome = JSON.parse(readFileSync('biome.json', 'utf8'))
  writeFileSync(join(tree, 'biome.json'), JSON.stringify({ ...biome, vcs: { enabled: false } }))
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  plant(Object.entries(clean))
})

afterEach(() => rmSync(tree, { recursive: true, force: true }))

function plant(files: [path: string, body: string][]): void {
  for (const [path, body] of files) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), body)
  }
}

function run(tool: string, ...args: string[]): { status: number | null; lines: string[] } {
  const command = [resolve(tool), ...args]
  const done = spawnSync(process.execPath, command, {
    cwd: tree,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { status: done.status, lines: `${done.stdout}${done.stderr}`.split('\n') }
}

const layers = () => run('scripts/layers.ts', tree)
const lint = () =>
  run('node_modules/@biomejs/biome/bin/biome', 'lint', '--reporter=github', '--max-diagnostics=none', 'src')
const promises = () => run('node_modules/oxlint/bin/oxlint', '--type-aware', '--format=unix', 'src')

describe('the rules of the house', () => {
  it('find nothing where there is nothing, and have looked at every module', () => {
    expect(layers()).toEqual({ status: 0, lines: [`${Object.keys(clean).length} modules, no violations`, ''] })
    expect(lint()).toMatchObject({ status: 0 })
    expect(promises()).toMatchObject({ status: 0 })
  })

  it('are not content with an empty tree', () => {
    rmSync(join(tree, 'src'), { recursive: true })
    mkdirSync(join(tree, 'src'))
    expect(layers()).toMatchObject({ status: 1 })
  })

  it('find each import that points outwards, and name its rule', () => {
    plant([...badImports.map(([, path, body]): [string, string] => [path, body]), ...Object.entries(accomplices)])
    const { status, lines } = layers()
    const missed = badImports.filter(([rule, path]) => !lines.some((line) => line.startsWith(`${rule}: ${path}`)))
    expect(missed.map(([rule, path]) => `${rule}: ${path}`)).toEqual([])
    expect(status).toBe(1)
  })

  it('find each use of a clock, of chance and of a timer, any, and what is too long', () => {
    plant(badCode.map(([, path, body]) => [path, body]))
    const { status, lines } = lint()
    const missed = badCode.filter(
      ([rule, path]) => !lines.some((line) => line.startsWith('::error') && line.includes(rule) && line.includes(path)),
    )
    expect(missed.map(([rule, path]) => `${rule}: ${path}`)).toEqual([])
    expect(status).toBe(1)
  })

  it('find each promise that nobody waits for', () => {
    plant(badPromises)
    const { status, lines } = promises()
    expect(badPromises.map(([path]) => path).filter((path) => !lines.some((line) => line.startsWith(path)))).toEqual([])
    expect(status).toBe(1)
  })
})
