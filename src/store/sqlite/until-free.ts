import { type Clock, keepAlive, pause, systemClock } from '../../core/ambient.ts'
import { isBusy, unusable } from './faults.ts'

/** How long a write waits for a file that others write, before it gives up. */
const longestWaitMs = 10_000
const longestPauseMs = 20

/**
 * Does something as soon as no other process has the file. Between tries the event loop is free. The wait is on the
 * system's clock, whatever clock the store has: the other processes do not live by a test's.
 * @throws QuerentError T3003 after 10 seconds; whatever else `attempt` throws comes through.
 */
export async function untilFree<T>(path: string, attempt: () => T, clock: Clock = systemClock): Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  // Without this a command line that waits for the file would end, its answer unwritten and without a word.
  const letGo = keepAlive()
  try {
    return await retry(path, attempt, clock)
  } finally {
    letGo()
  }
}

async function retry<T>(path: string, attempt: () => T, clock: Clock): Promise<T> {
  const giveUpAt = clock.now() + longestWaitMs
  for (let tries = 1; ; tries += 1) {
    await pause(clock, Math.min(tries, longestPauseMs))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (clock.now() < giveUpAt) continue
      throw unusable(
        `The database ${JSON.stringify(path)} was busy for ${longestWaitMs / 1000} seconds: another process holds it ` +
          'in one long transaction. Nothing of this write is there.',
        error,
      )
    }
  }
}
