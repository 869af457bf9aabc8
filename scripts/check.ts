/**
 * Checks everything that needs no whole process, in the order in which it is quick to know. It writes nothing into the
 * tree. Only what failed is shown.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packCopy } from './pack-copy.ts'

const temporary = mkdtempSync(join(tmpdir(), 'querent-check-'))

/** Each step gives what there is to say where it failed, and nothing where it is well. */
const steps: [name: string, step: () => string | undefined][] = [
  ['package.json is whole', wholeManifest],
  ['format', () => run('biome', 'format')],
  ['lint', () => run('biome', 'lint', '--error-on-warnings')],
  ['promises', () => run('oxlint', '--type-aware', '--deny-warnings')],
  ['types', () => run('tsc', '-p', 'tsconfig.json')],
  ['layers', () => run('node', 'scripts/layers.ts')],
  ['unused', () => run('knip', '--no-progress')],
  ['budgets', () => run('vitest', 'run', '--project', 'whole', ...globSync('test/package/*-size.test.ts'))],
  ['unit tests', () => run('vitest', 'run', '--project', 'unit')],
  ['package', packageIsRight],
]

function run(tool: string, ...args: string[]): string | undefined {
  const env = { ...process.env, PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`, NO_COLOR: '1' }
  const done = spawnSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env, maxBuffer: 1e8 })
  if (done.error) return String(done.error)
  return done.status === 0 ? undefined : `${done.stdout}${done.stderr}`.trim() || `ended with ${done.status}`
}

/** An `npm pack` that was killed leaves the published package.json in the tree: tools would then see dist/. */
function wholeManifest(): string | undefined {
  const whole = readFileSync('package.json', 'utf8').includes('"querent-source"')
  return whole ? undefined : 'An interrupted "npm pack" left its package.json: node scripts/manifest.ts restore'
}

function packageIsRight(): string | undefined {
  let tarball: string
  try {
    tarball = packCopy('.', temporary)
  } catch (error) {
    return (error as Error).message
  }
  return run('publint', tarball, '--strict') ?? run('attw', tarball, '--profile', 'esm-only', '--no-emoji')
}

try {
  for (const [name, step] of steps) {
    const startedAt = Date.now()
    const wrong = step()
    console.log(
      `${wrong === undefined ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
    )
    if (wrong === undefined) continue
    console.log(wrong)
    process.exitCode = 1
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
