import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Phase } from '../phase.ts'

const note = 'parked-run'

/** Parks a run, for a process that comes after this one. */
export function park(folder: string): Phase<never> {
  return async ({ openTwo }) => {
    const { first, close } = await openTwo()
    writeFileSync(join(folder, note), await first.start())
    await close()
    return {}
  }
}

/** Answers the run of the process before: the time from the start of this process to the end of the run. */
export function resume(folder: string): Phase<never> {
  return async ({ open }) => {
    const system = await open()
    const readyMs = performance.now()
    await system.answer(readFileSync(join(folder, note), 'utf8'), 1)
    const answeredMs = performance.now()
    await system.close()
    return { readyMs, answeredMs }
  }
}
