import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyTree, packCopy } from '../../scripts/pack-copy.ts'

/** Entries that are nothing without a package which their users have. */
const optionalPeers: Record<string, string> = {
  './openai-agents': '@openai/agents',
  './react': 'react',
  './react/ask-form': 'react',
  './telemetry': '@opentelemetry/api',
}

const maxPackages = 24
const maxBytes = 20 * 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'tarball-'))
const app = join(folder, 'app')
const installed = join(app, 'node_modules/querent')

beforeAll(() => {
  const tarball = packCopy('.', folder)
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  execFileSync('npm', ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: app,
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const entries = (): string[] => Object.keys(manifest().exports).filter((entry) => !/\.(json|css)$/.test(entry))
const shipped = () => globSync('**/*', { cwd: installed }).filter((file) => statSync(join(installed, file)).isFile())

/** Runs a module in the app, in a process of its own, and gives what it printed. */
function runInApp(module: string, ...flags: string[]): string {
  const args = [...flags, '--input-type=module', '-e', module]
  return execFileSync(process.execPath, args, { cwd: app, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

describe('the packed tarball, installed in an empty folder', () => {
  it('has every entry, and each can be imported', () => {
    const sources = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).exports)
    expect(Object.keys(manifest().exports)).toEqual(sources)
    for (const entry of entries()) {
      const peer = optionalPeers[entry]
      if (peer) {
        expect(() => runInApp(`await import('querent${entry.slice(1)}')`)).toThrow(`Cannot find package '${peer}'`)
        continue
      }
      const names = runInApp(`console.log(Object.keys(await import('querent${entry.slice(1)}')).length)`)
      expect(`${entry} ${Number(names) > 0}`).toBe(`${entry} true`)
    }
  })

  it('has the style of the form where its entry says', () => {
    const { default: path, types } = manifest().exports['./react/ask-form.css']
    expect(readFileSync(join(installed, path), 'utf8')).toBe(readFileSync('src/ask-form/ask-form.css', 'utf8'))
    expect(statSync(join(installed, types)).isFile()).toBe(true)
  })

  it('is ESM, and leads nobody to sources that it does not hold', () => {
    expect(manifest().type).toBe('module')
    expect(JSON.stringify(manifest())).not.toContain('querent-source')
    const sources = shipped().filter(
      (file) => file.startsWith('src') || /\.test\.|\.tsx?$/.test(file.replace(/\.d\.ts$/, '')),
    )
    // `querent eject` copies these; nothing in the manifest leads to them.
    const ejected = globSync('src/extensions/{ask,question}/*')
    expect(sources.sort()).toEqual(ejected.sort())
    expect(JSON.stringify(manifest().exports)).not.toContain('./src/')
  })

  it('holds its migrations, the pages of its errors and the licences', () => {
    const migrations = globSync('store/*/migrations/*.sql', { cwd: 'src' }).map((file) => join('dist', file))
    expect(migrations.length).toBeGreaterThan(0)
    const papers = ['docs/errors/T0001.md', 'LICENSE', 'README.md', 'dist/store/kysely.license.md']
    expect(shipped()).toEqual(expect.arrayContaining([...migrations, ...papers]))
  })

  it('names no folder of the machine it was made on', () => {
    const telling = shipped().filter((file) => readFileSync(join(installed, file), 'utf8').includes(resolve('.')))
    expect(telling).toEqual([])
  })

  it('brings few packages and few bytes', () => {
    const lock = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'))
    const packages = Object.keys(lock.packages)
    expect(packages.length, packages.join(' ')).toBeLessThanOrEqual(maxPackages)
    const files = globSync('node_modules/**/*', { cwd: app, withFileTypes: true }).filter((file) => file.isFile())
    const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
  })

  it('loads no store, no terminal and no model with its first line', () => {
    const loaded = runInApp(`
      import { registerHooks } from 'node:module'
      const seen = new Set()
      registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); seen.add(found.url); return found } })
      await import('querent')
      console.log(JSON.stringify([...seen]))`)
    const urls: string[] = JSON.parse(loaded)
    expect(urls.length).toBeGreaterThan(1)
    const heavy =
      /node_modules\/(commander|@clack|ai|@ai-sdk)\/|node:sqlite|\/dist\/(cli\/|store\/(sqlite\/|postgres\/|kysely\.js))/
    expect(urls.filter((url) => heavy.test(url))).toEqual([])
  })
})

describe('a program that uses the tarball', () => {
  it('type-checks, the types of the package included', () => {
    writeFileSync(join(app, 'consumer.ts'), consumer)
    const types = [resolve('node_modules/@types')]
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: false },
      ...{ typeRoots: types, types: ['node'] },
    }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    expect(tsc()).toBe('')
    // The types must be there, not merely not complain.
    writeFileSync(join(app, 'consumer.ts'), consumer.replace("name: 'count'", 'name: 1'))
    expect(tsc()).toContain("Type 'number' is not assignable to type 'string'")
  })
})

function tsc(): string {
  try {
    return execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', app], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const consumer = `import { agent, code, createEngine, QuerentError, tool } from 'querent'
import { postgres } from 'querent/postgres'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const count = tool({ name: 'count', description: 'Counts.', input: { type: 'object' }, execute: () => 1 })
const asker = agent('asker', { model: scriptedModel([{ text: 'Hi' }]), tools: [count], questions: true })
const engine = createEngine({ agents: [asker], store: sqlite('querent.db') })
const helper = engine.as({ id: 'ann' }).agent('asker')
const { run }: { run: string } = await helper.start('Hello')
const status: 'done' | 'failed' | 'ready' | 'stopped' | 'waiting' | 'working' = (await helper.run(run)).status
const isCode = (error: unknown): boolean => error instanceof QuerentError && error.is(code.T0002)
console.log(status, isCode(undefined), postgres)
`

describe('npm pack', () => {
  it('loses nothing where it is killed half-way', () => {
    const tree = join(folder, 'killed')
    copyTree('.', tree)
    const manifestOf = () => readFileSync(join(tree, 'package.json'), 'utf8')
    const before = manifestOf()
    const run = (what: string) => execFileSync(process.execPath, ['scripts/manifest.ts', what], { cwd: tree })
    run('strip')
    expect(manifestOf()).not.toContain('querent-source')
    run('strip') // The next pack, after one that never came to its end.
    run('restore')
    expect(manifestOf()).toBe(before)
    run('restore')
    expect(manifestOf()).toBe(before)
  })
})

describe('the command', () => {
  it('says in words that a Node is too old', () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    const hook = `data:text/javascript,${encodeURIComponent(old)}`
    const started = () =>
      execFileSync(process.execPath, ['--import', hook, 'bin/querent.js', 'runs'], { encoding: 'utf8', stdio: 'pipe' })
    expect(started).toThrow(/Querent needs Node 24\.15 or later; this is 20\.20\.2\./)
  })
})
