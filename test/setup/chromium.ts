/**
 * Finds the Chromium of the browser tests, once per run: `CHROMIUM_PATH`, one that the system has, or the one that came
 * with `npm ci`. Where there is none the tests are skipped and the reason is said; with `CI` set that is a failure.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** How to start the browser. `missing`: why there is none. */
export type Chromium = { path: string; env: Record<string, string> } | { missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    chromium: Chromium
  }
}

export default function setup(project: TestProject): void {
  const chromium = findChromium()
  if ('missing' in chromium) {
    if (process.env.CI) throw new Error(`No Chromium for the browser tests: ${chromium.missing}`)
    console.warn(`The browser tests are skipped. ${chromium.missing}`)
  }
  project.provide('chromium', chromium)
}

const systemNames = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export function findChromium(): Chromium {
  const { CHROMIUM_PATH } = process.env
  const given = CHROMIUM_PATH ? [CHROMIUM_PATH] : systemNames.filter((path) => existsSync(path))
  for (const path of given) if (starts(path, {})) return { path, env: {} }
  if (CHROMIUM_PATH) return { missing: `CHROMIUM_PATH is ${CHROMIUM_PATH}, which does not start.` }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: 'Install Chromium and set CHROMIUM_PATH: the one from npm is for Linux on x64.' }
  }
  return ofPackage()
}

function starts(path: string, env: Record<string, string>): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore', env: { ...process.env, ...env } })
    return true
  } catch {
    return false
  }
}

/** Unpacked once for each version, into a folder that appears whole: two at once would run a file that is being written. */
function ofPackage(): Chromium {
  const { version } = JSON.parse(readFileSync('node_modules/@sparticuz/chromium/package.json', 'utf8'))
  const folder = join(tmpdir(), `querent-chromium-${version}`)
  if (!existsSync(folder)) unpack(folder)
  const path = join(folder, 'chromium')
  const env = { FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  if (starts(path, env)) return { path, env }
  // A machine without libnss3: the package brings it.
  const withLibraries = { ...env, LD_LIBRARY_PATH: join(folder, 'al2023/lib') }
  if (starts(path, withLibraries)) return { path, env: withLibraries }
  return { missing: `${path} does not start: run it by hand to see which library it lacks.` }
}

function unpack(folder: string): void {
  mkdirSync(tmpdir(), { recursive: true })
  const half = mkdtempSync(`${folder}-`)
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // The name of that environment makes the package unpack its libraries too.
      env: { ...process.env, TMPDIR: half, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    })
    writeFileSync(join(half, 'fonts.conf'), fontsIn(folder))
    renameSync(half, folder)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    // Another run was faster.
    if (!existsSync(folder)) throw error
  }
}

/** The configuration in the package names folders that are not here: without a font every text has no height. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`
}
