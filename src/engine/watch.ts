import { QuerentError } from '../core/error.ts'
import { type DelegatedViewEvent, type LoggedViewEvent, type RunView, type ViewEvent, Viewer } from '../core/view.ts'
import type { Store } from '../store/store.ts'
import { Changes } from './changes.ts'
import { DelegatedAsks } from './delegated-asks.ts'
import type { LiveText } from './live-text.ts'
import { viewOfRun } from './view-of-run.ts'
import { type Caller, knownRun, statusOf } from './views.ts'

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
  const changes = changesOf(store, run)
  try {
    for (;;) {
      // The first time at once: whoever may not know of the run is told so, and does not wait.
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
  const reader = new Reader(store, run)
  try {
    for (;;) {
      await changes.next(signal)
      const deltas = fresh
      fresh = []
      const events = await reader.read()
      for (const event of events) if (!('seq' in event) || event.seq > after) yield event
      const { seq } = reader
      if (events.at(-1)?.type === 'status' && (await endsAt(store, run, seq))) return
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

/** Reads what a person sees of a run, as it comes: each line of its log once, and each ask of the runs below it. */
class Reader {
  /** The newest line that was read. */
  seq = 0
  private readonly store: Store
  private readonly run: string
  private readonly viewer = new Viewer()
  private readonly delegated: DelegatedAsks

  constructor(store: Store, run: string) {
    this.store = store
    this.run = run
    this.delegated = new DelegatedAsks(store, run)
  }

  async read(): Promise<(LoggedViewEvent | DelegatedViewEvent)[]> {
    const lines: LoggedViewEvent[] = []
    for (const event of await this.store.readEvents(this.run, this.seq)) {
      this.seq = event.seq
      const seen = this.viewer.see(event)
      this.delegated.note(event, seen)
      if (seen) lines.push(seen)
    }
    // After the log: what a call asked is there when its result is.
    return merged(lines, await this.delegated.news())
  }
}

/** By time; of one instant, an ask stands before what ends its call or its run, and behind all else. */
function merged(lines: LoggedViewEvent[], asks: DelegatedViewEvent[]): (LoggedViewEvent | DelegatedViewEvent)[] {
  const all: (LoggedViewEvent | DelegatedViewEvent)[] = []
  let next = 0
  for (const line of lines) {
    const isEnd = line.type === 'status' || (line.type === 'tool' && line.state === 'returned')
    const goesBefore = ({ at }: DelegatedViewEvent) => (isEnd ? at <= line.at : at < line.at)
    for (let ask = asks[next]; ask && goesBefore(ask); ask = asks[next]) {
      all.push(ask)
      next++
    }
    all.push(line)
  }
  return [...all, ...asks.slice(next)]
}
