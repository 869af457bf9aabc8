import fc from 'fast-check'

/**
 * Choices made beforehand, read one after another, so that a whole history is one list of numbers: fast-check prints it
 * with its seed and shortens it. Read to its end it gives 0 for ever: 0 must be the choice that leads to an end.
 */
export class Tape {
  readonly #choices: readonly number[]
  #at = 0

  constructor(choices: readonly number[]) {
    this.#choices = choices
  }

  get ended(): boolean {
    return this.#at >= this.#choices.length
  }

  /** A number from 0 to `count - 1`. */
  pick(count: number): number {
    const choice = this.#choices[this.#at++] ?? 0
    return choice % count
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.pick(values.length)] as T
  }

  /** True once in so many times, and never after the end. */
  chance(oneIn: number): boolean {
    return this.pick(oneIn) === oneIn - 1
  }
}

/** Tapes of every length up to this one. */
export function tapes(maxLength: number): fc.Arbitrary<number[]> {
  // Without a size, lists stay at ten elements or so: too short for a history.
  return fc.array(fc.nat({ max: 0xffff }), { maxLength, size: 'max' })
}

/** QUERENT_RUNS=20 tries each property twenty times as often. */
const times = Number(process.env.QUERENT_RUNS ?? 1)

/** How often a property is tried. */
export function runsOf(runs: number): { numRuns: number } {
  return { numRuns: Math.ceil(runs * times) }
}

/** Enough for a machine that does much else as well. */
export const slowTimeoutMs = 300_000 * Math.max(times, 1)

/**
 * As `runsOf`, for properties that open files: a failure is told as it is, since shortening it takes minutes. Ask for it
 * with QUERENT_SHRINK=1.
 */
export function slowRunsOf(runs: number): { numRuns: number; endOnFailure: boolean } {
  return { ...runsOf(runs), endOnFailure: process.env.QUERENT_SHRINK === undefined }
}

/** Adds to a failure what had happened before it: a tape alone tells nobody anything. */
export function tellStory(error: unknown, story: readonly string[]): Error {
  const what = error instanceof Error ? error.message : String(error)
  return new Error(`${what}\nThe story:\n${story.map((line) => `  ${line}`).join('\n')}`, { cause: error })
}
