/** What `npm install` of the packed package brings, and how long its first import takes in a new process. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packCopy } from '../../scripts/pack-copy.ts'
import { median } from '../figures.ts'
import { bytesOf, type Figures } from '../phase.ts'

const times = 15

function run(command: string, args: string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args[0]} failed: ${done.stderr.trim().split('\n')[0]}`)
  return done.stdout
}

function measure(folder: string): Figures {
  const tarball = packCopy(resolve(import.meta.dirname, '../..'), folder)
  const user = join(folder, 'user')
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), '{ "private": true, "type": "module" }\n')
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball], user)
  const lock = JSON.parse(readFileSync(join(user, 'package-lock.json'), 'utf8')) as { packages: object }
  return {
    // The first is the user's own.
    packages: Object.keys(lock.packages).length - 1,
    megabytes: bytesOf(join(user, 'node_modules')) / 1e6,
    importMs: importMs(user, "await import('querent'); await import('querent/sqlite')"),
  }
}

/** The median over new processes; files are in the system's cache after the first. */
function importMs(cwd: string, code: string): number {
  const program = `const at = performance.now(); ${code}; console.log(performance.now() - at)`
  const runs = Array.from({ length: times }, () =>
    Number(run(process.execPath, ['--input-type=module', '-e', program], cwd)),
  )
  return median(runs)
}

const folder = mkdtempSync(join(tmpdir(), 'querent-bench-install-'))
try {
  console.log(JSON.stringify({ figures: measure(folder) }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
