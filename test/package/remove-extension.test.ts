import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyTree } from '../../scripts/pack-copy.ts'

const folder = mkdtempSync(join(tmpdir(), 'without-'))
const tree = join(folder, 'tree')

/** Takes an extension out as its owner would: the folder, and what names it in src/builtin.ts. */
function removeExtension(name: string): void {
  const builtin = join(tree, 'src/builtin.ts')
  const lines = readFileSync(builtin, 'utf8').split('\n')
  const imports = lines.filter((line) => line.startsWith('import ') && line.includes(`'./extensions/${name}/`))
  expect(imports, `src/builtin.ts must import ${name} on one line`).toHaveLength(1)
  const imported = /^import \{ (\w+) \} from /.exec(imports[0] as string)?.[1]
  expect(imported, `that line must import one name: ${imports[0]}`).toBeDefined()
  const others = lines.filter((line) => line !== imports[0])
  const used = others.filter((line) => new RegExp(`\\b${imported}\\b`).test(line.replace(/^\s*(\*|\/\/|\/\*).*/, '')))
  expect(used, `src/builtin.ts must name ${imported} on one more line, in a list`).toHaveLength(1)
  const entry = used[0] as string
  const without = entry.replace(new RegExp(`\\b${imported}\\b,?\\s*`), '')
  writeFileSync(builtin, others.map((line) => (line === entry ? without : line)).join('\n'))
  rmSync(join(tree, 'src/extensions', name), { recursive: true })
}

function run(...command: string[]): { status: number | null; said: string } {
  const done = spawnSync(process.execPath, command, {
    cwd: tree,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { status: done.status, said: `${done.stdout}${done.stderr}` }
}

beforeAll(() => {
  copyTree('.', tree)
  // They drive tests and examples, which are left behind.
  for (const script of ['chaos', 'screenshots']) rmSync(join(tree, `scripts/${script}.ts`))
  for (const part of ['vitest.config.ts', 'test/setup/leaks.ts']) cpSync(part, join(tree, part), { recursive: true })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('without the question extension', () => {
  it('the rest type-checks, keeps the layers and passes its tests', () => {
    removeExtension('question')
    expect(existsSync(join(tree, 'src/engine'))).toBe(true)
    expect(run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json')).toEqual({ status: 0, said: '' })
    expect(run('scripts/layers.ts', tree).status).toBe(0)
    const tests = globSync('src/**/*.test.{ts,tsx}', { cwd: tree })
    const { status, said } = run('node_modules/vitest/vitest.mjs', 'run', '--project', 'unit')
    expect(said).toMatch(new RegExp(`Test Files +${tests.length} passed \\(${tests.length}\\)`))
    expect(status, said).toBe(0)
  })
})
