import { join } from 'node:path'
import type { Settings } from './measure.ts'
import type { Figures } from './phase.ts'
import { runScript } from './spawn-child.ts'

/** A measurement of Querent alone. */
export interface Extra {
  /** For `--only`. */
  name: string
  title: string
  postgres?: true
  /** Only with `--large`, or where it is named. */
  large?: true
  run(settings: Settings): Promise<Figures>
}

const script = (name: string) => (_: Settings) => runScript(join(import.meta.dirname, 'extras', `${name}.ts`))

export const extras: Extra[] = [
  {
    name: 'elsewhere',
    title: 'The answer from another process on the same SQLite file → model call 2 starts',
    run: script('elsewhere'),
  },
  { name: 'heap', title: '10,000 runs parked in one process, then collected', run: script('heap') },
  { name: 'shapes', title: 'Shape check: a shape of 10 properties; hostile shapes', run: script('shapes') },
  { name: 'install', title: 'Install size and cold import of the packed package', run: script('install') },
  {
    name: 'million',
    title: '1,000,000 parked runs of 100,000 people in one SQLite file',
    large: true,
    run: script('million'),
  },
]
