import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from './script.ts'
import type { System } from './system.ts'

/** What a phase is given of the system it measures. */
export interface Bench {
  script: Script
  open(): Promise<System>
  /** Two handles on one place: one that starts, one that answers. */
  openTwo(): Promise<{ first: System; second: System; close(): Promise<void> }>
  /** Bytes on disk. Nothing may be open: what stands in a journal is then in its file. */
  bytes(): Promise<number>
}

/** Figures by name. */
export type Figures = { [name: string]: number }

/** A measurement, made in a process of its own. `counts` say how often. */
export type Phase<C extends string> = (bench: Bench, counts: Record<C, number>) => Promise<Figures>

/** How long something takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Bytes of all files of a folder. */
export function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
