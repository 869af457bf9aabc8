/** Parks runs in one process and collects: what is left on the heap for each. Run with `--expose-gc`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Figures } from '../phase.ts'
import { Script } from '../script.ts'
import { open } from '../subjects/querent.ts'

const runs = 10_000

async function heapBytes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await pause(20)
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

async function measure(folder: string): Promise<Figures> {
  if (!globalThis.gc) throw new Error('Run it with --expose-gc.')
  const system = await open({ folder, script: new Script(1), variant: 'relaxed' })
  const park = async (total: number) => {
    let left = total
    const lane = async () => {
      while (left-- > 0) await system.start()
    }
    await Promise.all(Array.from({ length: 16 }, lane))
  }
  // Code, statements and caches come to the size they stay at.
  await park(1000)
  const before = await heapBytes()
  await park(runs)
  const bytesPerRun = ((await heapBytes()) - before) / runs
  await system.close()
  return { bytesPerRun, heapMb: before / 1e6 }
}

const folder = mkdtempSync(join(tmpdir(), 'querent-bench-heap-'))
try {
  console.log(JSON.stringify({ figures: await measure(folder) }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
