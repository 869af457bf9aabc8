/**
 * Holds the imports of src/ to the table in .dependency-cruiser.mjs, and what that tool cannot see: entry files that do
 * more than re-export, folders the table does not name, and types imported inline. `node scripts/layers.ts [folder]`.
 */
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseSync } from '@swc/core'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'

/** What was found, one line each, and how many modules were looked at. */
export interface Layers {
  modules: number
  violations: string[]
}

/** Looks at `src/` of a folder that holds a package.json and a .dependency-cruiser.mjs. */
export async function checkLayers(root: string): Promise<Layers> {
  const { default: config, layers } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
    default: { forbidden: object[]; options: ICruiseOptions }
    layers: Record<string, unknown>
  }
  const { output } = await cruise(['src'], {
    ...config.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: config.forbidden } as ICruiseOptions['ruleSet'],
  })
  const result = output as ICruiseResult
  const violations = result.summary.violations.map((found) => {
    const way = found.cycle ? [found.from, ...found.cycle.map((module) => module.name)] : [found.from, found.to]
    return `${found.rule.name}: ${way.join(' → ')}`
  })
  const sources = result.modules.map((module) => module.source).filter((path) => /^src\/.*\.tsx?$/.test(path))
  for (const path of sources) violations.push(...checkFile(root, path, Object.keys(layers)))
  return { modules: sources.length, violations: [...new Set(violations)] }
}

function checkFile(root: string, path: string, layers: string[]): string[] {
  const folder = /^src\/([^/]+)\//.exec(path)?.[1]
  const found: string[] = []
  if (folder !== undefined && !layers.includes(folder))
    found.push(`unknown-folder: ${path} is in no layer of the table`)
  const module = parseSync(readFileSync(join(root, path), 'utf8'), { syntax: 'typescript', tsx: path.endsWith('x') })
  for (const specifier of inlineTypeImports(module)) found.push(`inline-type-import: ${path} → ${specifier}`)
  if (folder === undefined && path !== 'src/builtin.ts' && !/\.test\.tsx?$/.test(path)) {
    const other = module.body.find(
      (item) => !isUseClient(item) && (item.type !== 'ExportNamedDeclaration' || !reExports(item)),
    )
    if (other) found.push(`entry-does-more: ${path} has a ${other.type}; entry files are explicit re-exports only`)
  }
  return found
}

/** `import('./x.ts').T` in a type is an import that dependency-cruiser does not report when it reads with swc. */
function inlineTypeImports(module: object): string[] {
  const found: string[] = []
  JSON.stringify(module, (_, node) => {
    const specifier = node?.type === 'TsImportType' ? String(node.argument.value) : ''
    if (/^(\.|querent)/.test(specifier)) found.push(specifier)
    return node
  })
  return found
}

/** Says where a bundle for servers ends: React's frameworks read it from the entry file. */
function isUseClient(item: { type: string; expression?: { type: string; value?: unknown } }): boolean {
  return item.expression?.type === 'StringLiteral' && item.expression.value === 'use client'
}

function reExports(item: { source?: unknown; specifiers: unknown[] }): boolean {
  return item.source !== null && item.source !== undefined ? true : item.specifiers.length === 0
}

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? '.')
  const { modules, violations } = await checkLayers(root)
  for (const line of violations) console.error(line)
  if (modules === 0)
    console.error(`no modules found in ${relative('.', join(root, 'src'))}: the tool looked at nothing`)
  if (modules === 0 || violations.length > 0) process.exitCode = 1
  else console.log(`${modules} modules, no violations`)
}
