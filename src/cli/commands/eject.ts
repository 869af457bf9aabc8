import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/** What can be ejected, and how an agent then uses it. The package ships these folders as they stand in its sources. */
export const ejectable = {
  question: 'questions',
  ask: 'ask',
} as const

/** `querent eject`: copies an extension's sources and tests into `./extensions/<name>`, to be changed there. */
export async function eject(io: Io, name: keyof typeof ejectable): Promise<ExitCode> {
  const target = join(io.folder, 'extensions', name)
  await mkdir(join(io.folder, 'extensions'), { recursive: true })
  try {
    await mkdir(target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`extensions/${name} is there already, and nothing was changed. Move it away first.`)
  }
  await cp(fileURLToPath(new URL(`../../../src/extensions/${name}`, import.meta.url)), target, { recursive: true })
  const files = (await readdir(target)).sort()
  io.stdout.write(`${said(name, files)}\n`)
  return exit.fine
}

function said(name: keyof typeof ejectable, files: string[]): string {
  const factory = ejectable[name]
  return `Copied to extensions/${name}: ${files.join(', ')}. It is yours to change.

Install it in the place of the one that comes with the package:

  import { ${factory} } from './extensions/${name}/${name}.ts'

  agent('…', { …, extensions: [${factory}()] })

Its tests run with vitest: npx vitest run extensions/${name}`
}
