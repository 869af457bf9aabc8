/**
 * A worker beside 100,000 parked runs, and beside none: `node --conditions querent-source bench/dispatch/parked.ts [count]`.
 * Prints Markdown.
 */
import { join } from 'node:path'
import { short } from '../figures.ts'
import { startPostgres } from '../postgres-server.ts'
import { bytesOfDatabase } from '../query-once.ts'
import { runScript } from '../spawn-child.ts'

const count = process.argv[2] ?? '100000'
const extra = (name: string, ...args: string[]) => runScript([join(import.meta.dirname, '../extras', name), ...args])

const server = await startPostgres()
try {
  const empty = await server.createDatabase('none')
  const wakeWithNone = await extra('elsewhere.ts', empty)
  const full = await server.createDatabase('many')
  const many = await extra('million.ts', full, count)
  const bytes = await bytesOfDatabase(full)
  const wakeWithMany = await extra('elsewhere.ts', full)
  const rows = {
    'memory of a worker, MB': [many.rssWithNoneMb, many.rssMb],
    'answered in one process → model called in another, p50 ms': [wakeWithNone.p50Ms, wakeWithMany.p50Ms],
    'p95 ms': [wakeWithNone.p95Ms, wakeWithMany.p95Ms],
    'a new process until its first answer is taken, ms': [undefined, many.readyMs],
    'list of one person, p50 ms': [undefined, many.listMs],
    'bytes per parked run': [undefined, bytes / Number(count)],
  }
  console.log(`| Postgres ${server.version} | none | ${Number(count).toLocaleString('en-US')} parked |`)
  console.log('| --- | --- | --- |')
  for (const [name, [none, all]] of Object.entries(rows)) console.log(`| ${name} | ${cell(none)} | ${cell(all)} |`)
} finally {
  await server.stop()
}

function cell(value: number | undefined): string {
  return value === undefined ? '–' : short(value)
}
