import { QuerentError } from '../core/error.ts'
import { type RunView, type ViewEvent, Viewer } from '../core/view.ts'
import type { Store } from '../store/store.ts'
import { Changes } from './changes.ts'
import type { LiveText } from './live-text.ts'
import { type Caller, knownRun, statusOf, viewOfRun } from './views.ts'

/** What both waits need of the engine. */
export interface WatchParts {
  store: Store
  live: LiveText
}

/** Changes of one run. */
function changesOf(store: Store, run: string): Changes {
  return new Changes((mark) =>
    store.onChange((changed) => {
      if (changed === run || changed === '*') mark()
    }),
  )
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
  const changes = changesOf(store, run)
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

/** Whether this is the last line of a run that is over. A message that nobody has read yet makes it go on. */
async function endsAt(store: Store, run: string, seq: number): Promise<boolean> {
  const row = await store.getRun(run)
  return row === undefined || (row.endedAt !== undefined && row.lastSeq === seq)
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
  const { lastSeq } = await knownRun(store, caller, run)
  // It would wait for ever, and then leave out what it never gave.
  if (after > lastSeq) {
    throw new QuerentError('T0008', `The log of this run has no line ${after}; its last is ${lastSeq}. Watch from 0.`, {
      data: { after, lastSeq },
    })
  }
  const changes = changesOf(store, run)
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
      if (last?.type === 'status' && (await endsAt(store, run, seq))) return
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
