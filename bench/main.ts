/**
 * `npm run bench`: Querent, what its databases allow, and its peers, in one run on one machine. Prints Markdown; writes
 * `results/<date>.json` and `.md`. Options: `--quick`, `--only <name…>`, `--rounds 3`, `--large`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { extras } from './extras.ts'
import { machineOf } from './machine.ts'
import { measureAll } from './measure.ts'
import { startPostgres } from './postgres-server.ts'
import { rows } from './rows.ts'
import { endRunning } from './spawn-child.ts'
import { type Report, tablesOf } from './tables.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    large: { type: 'boolean', default: false },
  },
})
const { quick, large } = values
const only = [...values.only, ...positionals]
const rounds = Number(values.rounds ?? (quick ? 1 : 3))
const names = [...rows, ...extras].map((each) => each.name)
const unknown = only.filter((name) => !names.includes(name))
if (unknown.length > 0 || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`${unknown.length > 0 ? `There is no "${unknown.join('", "')}"` : `--rounds is no number above 0`}.`)
  console.error(`Names: ${names.join(', ')}.`)
  process.exit(1)
}
const isChosen = ({ name }: { name: string }) => only.length === 0 || only.includes(name)
const chosen = rows.filter(isChosen)
const more = extras.filter((extra) => isChosen(extra) && (only.length > 0 || ((large || !extra.large) && !quick)))

// Whoever stops it stops what it has started: each measurement is a process group of its own.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endRunning()
    process.exit(1)
  })
}

const postgres = [...chosen, ...more].some((each) => each.postgres) ? await tryPostgres() : undefined
try {
  const results = await measureAll(chosen, more, { quick, rounds, postgres })
  const report: Report = { machine: machineOf(postgres), quick, rounds, ...results }
  console.log(tablesOf(report))
  if (!quick && only.length === 0) write(report)
} finally {
  await postgres?.stop()
}

function write(report: Report): void {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${report.machine.date}.json`), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(
    join(folder, `${report.machine.date}.md`),
    `# Measured on ${report.machine.date}\n\n${tablesOf(report)}\n`,
  )
}

/** The rows that need it say why they are not there. */
async function tryPostgres() {
  try {
    return await startPostgres()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return undefined
  }
}
