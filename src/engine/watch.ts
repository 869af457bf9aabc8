import { QuerentError } from '../core/error.ts'
import { type RunView, type ViewEvent, Viewer } from '../core/view.ts'
import type { Store } from '../store/store.ts'
import type { LiveText } from './live-text.ts'
import { type Caller, knownRun, statusOf, viewOfRun } from './views.ts'

/** What both waits need of the engine. */
export interface WatchParts {
  store: Store
  live: LiveText
}

/** Tells when something may have changed in a run. What comes between two looks is not missed. */
class Changes {
  private dirty = true
  private wake: (() => void) | undefined
  private readonly unlisten: () => void

  constructor(store: Store, run: string) {
    this.unlisten = store.onChange((changed) => {
      if (changed === run || changed === '*') this.mark()
    })
  }

  mark(): void {
    this.dirty = true
    this.wake?.()
  }

  async next(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (!this.dirty) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const onAbort = () => reject(signal?.reason)
      this.wake = resolve
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        await promise
      } finally {
        signal?.removeEventListener('abort', onAbort)
        this.wake = undefined
      }
    }
    this.dirty = false
  }

  close(): void {
    this.unlisten()
  }
}

const atRest = ['waiting', 'done', 'failed', 'stopped']

/** Resolves with the run's view once it is at rest. */
export async function untilAtRest(
  parts: WatchParts,
  caller: Caller,
  run: string,
  signal?: AbortSignal,
): Promise<RunView> {
  const { store } = parts
  await knownRun(store, caller, run)
  const changes = new Changes(store, run)
  try {
    for (;;) {
      await changes.next(signal)
      const row = await knownRun(store, caller, run)
      if (atRest.includes(statusOf(row))) return await viewOfRun(store, row)
    }
  } finally {
    changes.close()
  }
}

/** A person's stream of one run: what is in the log after `after`, then what comes, and live text between. */
export async function* watchRun(
  parts: WatchParts,
  caller: Caller,
  run: string,
  options: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<ViewEvent> {
  const { store, live } = parts
  const { after = 0, signal } = options
  if (!Number.isSafeInteger(after) || after < 0)
    throw new QuerentError(
      'T0008',
      `"after" is ${JSON.stringify(after)}. Give the seq of the last event you have, or 0.`,
    )
  await knownRun(store, caller, run)
  const changes = new Changes(store, run)
  let fresh: { event: ViewEvent; after: number }[] = []
  const unlisten = live.listen(run, (event, at) => {
    fresh.push({ event, after: at })
    changes.mark()
  })
  const viewer = new Viewer()
  let seq = 0
  try {
    for (;;) {
      await changes.next(signal)
      const deltas = fresh
      fresh = []
      const events = await store.readEvents(run, seq)
      let last: ViewEvent | undefined
      for (const event of events) {
        seq = event.seq
        last = viewer.see(event)
        if (last && seq > after) yield last
      }
      if (last?.type === 'status') return
      // Live text whose whole is stored by now has been given with it.
      for (const delta of deltas) if (delta.after >= seq) yield delta.event
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    unlisten()
    changes.close()
  }
}
