/**
 * Writes the logs of this version, and what each must mean for ever, into `logs/<version>/`. Run it once, at a release:
 * `npx node --conditions=querent-source test/golden/make.ts`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectationOf, textOfLog } from './expectation.ts'
import { goldenRuns, logOf } from './runs.ts'

const here = import.meta.dirname

/**
 * Makes the logs of a version, through the real engine.
 * @throws Error where they are there: what a released version wrote is what is in people's databases.
 */
export async function makeLogs(version: string): Promise<void> {
  const folder = join(here, 'logs', version)
  if (existsSync(folder)) {
    throw new Error(
      `test/golden/logs/${version} is there. The logs of a version never change: raise the version first.`,
    )
  }
  const temporary = mkdtempSync(join(tmpdir(), 'querent-golden-'))
  try {
    const files: [name: string, text: string][] = []
    for (const golden of goldenRuns) {
      const log = await logOf(golden, join(temporary, `${golden.name}.db`))
      files.push([`${golden.name}.jsonl`, textOfLog(log)])
      files.push([`${golden.name}.expected.json`, `${JSON.stringify(expectationOf(log), null, 2)}\n`])
    }
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(folder, name), text, { flag: 'wx' })
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(here, '../../package.json'), 'utf8')) as { version: string }
  await makeLogs(version)
}
