import type { Script } from './script.ts'

/** Where a system keeps its data, and what its model says. */
export interface Place {
  /** A folder of its own. */
  folder: string
  /** A Postgres database of its own, for those that need one. */
  database?: string
  script: Script
  /** What the row says besides: `relaxed`, `ai-sdk`. */
  variant: string
}

/** One handle on a system: two of them share the place, and nothing in memory. */
export interface System {
  /** Starts a run. Resolves with its id once the run waits for its person, durably. */
  start(): Promise<string>
  /** Gives the nth answer (from 1). Resolves once the run is over, or waits for the next, durably. */
  answer(run: string, nth: number): Promise<void>
  /** How many questions wait for the person, from the system's own list. Left out: it has none. */
  list?(): Promise<number>
  close(): Promise<void>
}

/** A module under `subjects/` or `peers/`. */
export interface Subject {
  open(place: Place): Promise<System>
}
