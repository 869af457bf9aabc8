/**
 * From the moment at which one process answers to the moment at which the model is called again in another, the worker:
 * `elsewhere.ts [postgres URL]`; the worker is this file once more. The clock is the machine's monotonic one, the same
 * for both processes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { agent, createEngine, type EngineOptions } from 'querent'
import { percentile } from '../figures.ts'
import type { Figures } from '../phase.ts'
import { answer, request, Script } from '../script.ts'
import { fakeModel } from '../subjects/fake-model.ts'

const asks = 50
const [place = '', role] = process.argv.slice(2)

async function storeAt(at: string): Promise<EngineOptions['store']> {
  if (!at.startsWith('postgres:')) return (await import('querent/sqlite')).sqlite(at)
  return (await import('querent/postgres')).postgres(at)
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

if (role === 'worker') {
  const script = new Script(asks)
  script.onCall = (asked) => process.send?.({ asked, atMs: nowMs() })
  const limits = { steps: 10_000, perRun: { asks: 10_000 } }
  const asker = agent('asker', { model: fakeModel(script), questions: true, limits })
  const engine = createEngine({ agents: [asker], store: await storeAt(place) })
  await engine.start()
  const { run } = await engine.as({ id: 'ann' }).agent('asker').start(request)
  process.send?.({ run })
} else {
  const folder = mkdtempSync(join(tmpdir(), 'querent-bench-elsewhere-'))
  const at = place || join(folder, 'querent.db')
  const worker = fork(import.meta.filename, [at, 'worker'])
  try {
    console.log(JSON.stringify({ figures: await measure(at, worker) }))
  } finally {
    worker.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.exit(0)
}

/** This process has no agent: it answers as a web server beside the workers would. */
async function measure(at: string, worker: ChildProcess): Promise<Figures> {
  const called = new Map<number, number>()
  let run = ''
  worker.on('message', (said: { asked?: number; atMs?: number; run?: string }) => {
    if (said.run !== undefined) run = said.run
    if (said.asked !== undefined && said.atMs !== undefined) called.set(said.asked, said.atMs)
  })
  await Promise.race([
    until(() => run !== ''),
    once(worker, 'exit').then(() => Promise.reject(new Error('No worker.'))),
  ])
  const engine = createEngine({ agents: [], store: await storeAt(at) })
  const runs = engine.as({ id: 'ann' }).agent('asker')
  const waitsMs: number[] = []
  for (let nth = 1; nth <= asks; nth++) {
    await runs.atRest(run)
    const answeredMs = nowMs()
    await runs.approve({ run, step: `question ${nth}.1`, data: answer })
    await until(() => called.has(nth))
    waitsMs.push((called.get(nth) ?? Number.NaN) - answeredMs)
    // A person takes their time: the next answer comes at any moment between two looks.
    await pause(20 + ((nth * 37) % 60))
  }
  await engine.close()
  return { p50Ms: percentile(waitsMs, 0.5), p95Ms: percentile(waitsMs, 0.95) }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(1)
}
