import type { Clock } from '../core/ambient.ts'
import type { AskEvent, Notifier } from '../core/notifier.ts'

/** What became of one try. `gone`: the notifier wants to be told nothing further. */
export type Notified = { case: 'told' } | { case: 'failed'; why: string } | { case: 'gone'; why: string }

/**
 * Tells a notifier of an event, once. Resolves whatever the notifier does, when its time is over or `ending` is aborted
 * at the latest: one that hangs is left behind, and what it says later counts no more.
 */
export async function notifyOnce(
  notifier: Required<Notifier>,
  event: AskEvent,
  { clock, ending }: { clock: Clock; ending: AbortController },
): Promise<Notified> {
  const { timeoutMs } = notifier
  const { signal } = ending
  const cancel = clock.after(timeoutMs, () => ending.abort(new Error(`It did not return within ${timeoutMs} ms.`)))
  let gone: string | undefined
  const stop = (why: string) => {
    gone = why
  }
  // In a function of its own: what is thrown before the first `await` is a rejection then, too.
  const call = async () => notifier.notify(event, { signal, clock, stop })
  try {
    await Promise.race([call(), aborted(signal)])
    return gone === undefined ? { case: 'told' } : { case: 'gone', why: gone }
  } catch (error) {
    return gone === undefined ? { case: 'failed', why: whyOf(error) } : { case: 'gone', why: gone }
  } finally {
    cancel()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The message of an error, and what is behind it: a failed `fetch` says why only there. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
