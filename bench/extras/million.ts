/**
 * A million parked runs of a hundred thousand people: how long one person's list takes, and how soon a new process takes
 * the first answer; its memory beside that with one run. `million.ts [postgres URL] [count]`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, createEngine, type EngineOptions } from 'querent'
import { percentile } from '../figures.ts'
import { type Figures, timed } from '../phase.ts'
import { answer, request, Script } from '../script.ts'
import { fakeModel } from '../subjects/fake-model.ts'
import { multiply } from './multiply.ts'

const [place = '', countText = '1000000', probed] = process.argv.slice(2)
const count = Number(countText)
const people = Math.max(Math.round(count / 10), 1)

type Store = EngineOptions['store']

/** Loaded before anything is timed: what an import costs is measured elsewhere. */
const storeAt: (at: string) => Store = place.startsWith('postgres:')
  ? (await import('querent/postgres')).postgres
  : (await import('querent/sqlite')).sqlite

function engineAt(at: string) {
  const asker = agent('asker', { model: fakeModel(new Script(1)), questions: true })
  return createEngine({ agents: [asker], store: storeAt(at) })
}

/** In a new process. `who`: whose list, and whose answer. */
async function probe(at: string, who: string[]): Promise<Figures> {
  const startedAt = performance.now()
  const engine = engineAt(at)
  await engine.start()
  const startMs = performance.now() - startedAt
  const first = engine.as({ id: who[0] ?? '' })
  const [ask] = await first.asks()
  if (!ask) throw new Error('Nothing waits for the first person.')
  await first.agent('asker').approve(ask, { data: answer })
  const readyMs = performance.now() - startedAt
  const rssMb = process.memoryUsage.rss() / 1e6
  const listsMs: number[] = []
  for (const id of who) listsMs.push(await timed(() => engine.as({ id }).asks()))
  await engine.close()
  return { startMs, readyMs, rssMb, listMs: percentile(listsMs, 0.5), listP95Ms: percentile(listsMs, 0.95) }
}

async function measure(at: string): Promise<Figures> {
  const engine = engineAt(at)
  await engine.start()
  // The one is copied, the other answered by a process that finds nothing else.
  for (const id of ['pattern', 'alone']) {
    const asker = engine.as({ id }).agent('asker')
    await asker.atRest((await asker.start(request)).run)
  }
  await engine.close()
  const { rssMb: rssWithNoneMb = Number.NaN } = inNewProcess(at, ['alone'])
  const startedAt = performance.now()
  await multiply(at, { count, people })
  const filledS = (performance.now() - startedAt) / 1000
  const who = Array.from({ length: 200 }, (_, at) => `p${(at * 7919) % people}`)
  return { ...inNewProcess(at, who), rssWithNoneMb, filledS }
}

function inNewProcess(at: string, who: string[]): Figures {
  const args = [...process.execArgv, import.meta.filename, at, countText, JSON.stringify(who)]
  const done = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return (JSON.parse(done.stdout) as { figures: Figures }).figures
}

const folder = mkdtempSync(join(tmpdir(), 'querent-bench-million-'))
try {
  const at = place || join(folder, 'querent.db')
  const figures = probed === undefined ? await measure(at) : await probe(at, JSON.parse(probed) as string[])
  console.log(JSON.stringify({ figures }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
