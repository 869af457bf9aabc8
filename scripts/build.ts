/**
 * Makes dist/ from src/ with plain tsc, puts migrations and the style of the form at their places, and bundles
 * what is shipped in one file: the inbox page, and as much of Kysely as compiles queries.
 * `node scripts/build.ts [--if-stale]`.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const stamp = 'dist/.built'

/** Builds beside dist/ and then swaps: a build that fails leaves the old one, and nobody sees half of one. */
function build(): void {
  mkdirSync('.tmp', { recursive: true })
  const folder = mkdtempSync('.tmp/build-')
  try {
    const tsc = 'node_modules/typescript/bin/tsc'
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], { stdio: 'inherit' })
    for (const file of globSync(['src/store/*/migrations/*.sql', 'src/ask-form/*.css*'])) {
      const target = join(folder, file.slice('src/'.length))
      mkdirSync(dirname(target), { recursive: true })
      cpSync(file, target)
    }
    bundle('vite.kysely.config.ts', join(folder, 'store'))
    // Of the file that the bundle took the place of.
    rmSync(join(folder, 'store/kysely.js.map'))
    bundle('vite.inbox.config.ts', join(folder, 'inbox'))
    writeFileSync(join(folder, '.built'), '')
    rmSync('dist', { recursive: true, force: true })
    renameSync(folder, 'dist')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function bundle(config: string, folder: string): void {
  const vite = 'node_modules/vite/bin/vite.js'
  execFileSync(process.execPath, [vite, 'build', '-c', config, '--outDir', resolve(folder)], { stdio: 'inherit' })
}

/** Whether a source, its folder (a file was removed) or a setting is newer than the last build. */
function isStale(): boolean {
  if (!existsSync(stamp)) return true
  const builtAt = statSync(stamp).mtimeMs
  const sources = [
    'src',
    ...globSync('src/**/*'),
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'vite.inbox.config.ts',
    'vite.kysely.config.ts',
  ]
  return sources.some((path) => statSync(path).mtimeMs > builtAt)
}

if (!process.argv.includes('--if-stale') || isStale()) {
  try {
    build()
  } catch (error) {
    // The tool has said what is wrong; a stack of this script would bury it.
    if (!(error instanceof Error && 'status' in error)) throw error
    process.exitCode = 1
  }
}
