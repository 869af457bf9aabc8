/**
 * `npm run bench:install`: installs the peers as their lock files say. Install scripts are not run: none of them is
 * needed, and they build or report what nobody here asked for.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const peers = join(import.meta.dirname, 'peers')

for (const name of readdirSync(peers)) {
  console.log(`… ${name}`)
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', flags, { cwd: join(peers, name), stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
