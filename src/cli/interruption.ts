import type { Io } from './io.ts'

/** Resolves at the first Ctrl-C or SIGTERM. A second one finds nobody who listens, and ends the process. */
export function interruption(io: Io): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopListening = io.onInterrupt(() => {
    stopListening()
    resolve()
  })
  return promise
}
