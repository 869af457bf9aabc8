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

const fileOf = (name: string) => join(import.meta.dirname, 'extras', `${name}.ts`)

/** A script of `extras/` that needs no server. */
const script =
  (name: string, ...flags: string[]) =>
  () =>
    runScript([...flags, fileOf(name)])

/** A script of `extras/` on a Postgres database of its own. */
const onPostgres =
  (name: string) =>
  async ({ postgres }: Settings) => {
    if (!postgres) throw new Error('no Postgres server could be started here')
    const database = `bench_${name}_${process.pid}`
    const url = await postgres.createDatabase(database)
    try {
      return await runScript([fileOf(name), url])
    } finally {
      await postgres.dropDatabase(database)
    }
  }

export const extras: Extra[] = [
  {
    name: 'elsewhere',
    title: 'The answer from another process on the same SQLite file → model call 2 starts',
    run: script('elsewhere'),
  },
  {
    name: 'elsewhere-postgres',
    title: 'The answer from another process on the same Postgres → model call 2 starts',
    postgres: true,
    run: onPostgres('elsewhere'),
  },
  { name: 'heap', title: '10,000 runs parked in one process, then collected', run: script('heap', '--expose-gc') },
  { name: 'shapes', title: 'Shape check: a shape of 10 properties; hostile shapes', run: script('shapes') },
  { name: 'install', title: 'Install size and cold import of the packed package', run: script('install') },
  { name: 'counts', title: 'What a cycle asks of SQLite: calls and statements', run: script('counts') },
  {
    name: 'million',
    title: '1,000,000 parked runs of 100,000 people in one SQLite file',
    large: true,
    run: script('million'),
  },
  {
    name: 'million-postgres',
    title: '1,000,000 parked runs of 100,000 people in Postgres',
    postgres: true,
    large: true,
    run: onPostgres('million'),
  },
]
