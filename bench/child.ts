/**
 * One measurement of one system, in a process of its own: `node child.ts '{"subject": …}'`. What it found is the
 * last line that begins with `{"figures":`, so that nothing a library prints is taken for it.
 */
import { pathToFileURL } from 'node:url'
import { type Bench, bytesOf, type Figures, type Phase } from './phase.ts'
import { bytes } from './phases/bytes.ts'
import { cycle } from './phases/cycle.ts'
import { history } from './phases/history.ts'
import { listing } from './phases/listing.ts'
import { park, resume } from './phases/restart.ts'
import { rivals } from './phases/rivals.ts'
import { Script } from './script.ts'
import type { Subject, System } from './system.ts'

/** What a child is told. */
export interface Order {
  /** The file of the subject. */
  subject: string
  variant: string
  phase: string
  folder: string
  database?: string
  counts: Record<string, number>
  /** Whether the second handle is the first: for what has no second one. */
  oneHandle?: boolean
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { folder, database, variant } = order

const phases: Record<string, Phase<string>> = {
  cycle,
  bytes,
  rivals,
  history,
  listing,
  park: park(folder),
  resume: resume(folder),
}

async function measure(): Promise<Figures> {
  const phase = phases[order.phase]
  if (!phase) throw new Error(`There is no phase "${order.phase}".`)
  const subject = (await import(pathToFileURL(order.subject).href)) as Subject
  const script = new Script(order.counts.asks ?? 1)
  const open = () => subject.open({ folder, variant, script, ...(database === undefined ? {} : { database }) })
  const bench: Bench = {
    script,
    open,
    async openTwo() {
      const first = await open()
      const second = order.oneHandle ? first : await open()
      return { first, second, close: () => closeAll(first, second) }
    },
    bytes: async () => (database === undefined ? bytesOf(folder) : bytesIn(database)),
  }
  return phase(bench, order.counts)
}

/** Loaded where it is needed: the memory of the others is not to have it. */
async function bytesIn(url: string): Promise<number> {
  const { bytesOfDatabase } = await import('./query-once.ts')
  return bytesOfDatabase(url)
}

async function closeAll(first: System, second: System): Promise<void> {
  await first.close()
  if (second !== first) await second.close()
}

const figures = await measure()
// Some libraries keep a process alive after they were closed.
process.stdout.write(`\n${JSON.stringify({ figures })}\n`, () => process.exit(0))
