/**
 * `strip` before npm packs, `restore` after: what is published must not name sources that it does not hold. The original
 * is put aside first and moved back in one step, so that a pack that was killed loses nothing: `restore` mends it.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const aside = '.tmp/package.json'

/** The package.json as it is published: without the condition that leads to the sources, and what only the tree needs. */
function published(text: string): string {
  const manifest = JSON.parse(text)
  for (const entry of Object.values<unknown>(manifest.exports)) {
    if (typeof entry === 'object' && entry !== null && 'querent-source' in entry) delete entry['querent-source']
  }
  for (const field of ['scripts', 'devDependencies', 'allowScripts']) delete manifest[field]
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function strip(): void {
  mkdirSync('.tmp', { recursive: true })
  // A pack that was killed has left its own output as package.json: what was put aside is still the original.
  if (existsSync(aside)) restore()
  copyFileSync('package.json', `${aside}.new`)
  renameSync(`${aside}.new`, aside)
  writeFileSync('.tmp/published.json', published(readFileSync(aside, 'utf8')))
  renameSync('.tmp/published.json', 'package.json')
}

function restore(): void {
  if (existsSync(aside)) renameSync(aside, 'package.json')
}

if (process.argv[2] === 'strip') strip()
else restore()
