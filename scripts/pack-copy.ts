import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const parts = [
  '{package,tsconfig*,knip}.json',
  '.dependency-cruiser.mjs',
  'vite.inbox.config.ts',
  'vite.kysely.config.ts',
  '*.md',
  'LICENSE',
  'src',
  'bin',
  'scripts',
  'docs',
]

/** Copies what a build and a check need of the tree at `root` into `copy`, with the packages of `root` beside it. */
export function copyTree(root: string, copy: string): void {
  mkdirSync(copy, { recursive: true })
  for (const part of globSync(parts, { cwd: root })) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'))
}

/**
 * Packs the tree at `root` as `npm pack` would, its scripts included, and gives the path of the tarball in `folder`. It
 * works on a copy: neither package.json nor dist/ of the tree changes under those who use them meanwhile.
 */
export function packCopy(root: string, folder: string): string {
  const copy = join(folder, 'tree')
  copyTree(root, copy)
  const packing = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, npm_config_loglevel: 'silent' },
  })
  const said = packing.stdout
  if (packing.status !== 0) throw new Error(`npm pack failed:\n${said}${packing.stderr}`)
  // The scripts of the package may say something before the JSON begins.
  const [packed] = JSON.parse(said.slice(said.indexOf('[\n'))) as [{ filename: string }]
  return join(folder, packed.filename)
}
