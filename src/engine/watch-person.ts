import type { Clock } from '../core/ambient.ts'
import type { PersonEvent } from '../core/helper.ts'
import { isoOf, type RunSummary } from '../core/view.ts'
import type { AskRow, RunRow, Store } from '../store/store.ts'
import { Changes } from './changes.ts'
import { askOfRow, summariesOf, summaryOf } from './views.ts'

/**
 * Tells the streams of a person when a run of theirs may have changed: one look at a row for each change, however many
 * streams there are. Listens to the store only while there is one.
 */
export class PersonChanges {
  private readonly store: Store
  private readonly marks = new Map<string, Set<() => void>>()
  private readonly looking = new Set<string>()
  private unlisten: (() => void) | undefined

  constructor(store: Store) {
    this.store = store
  }

  listen(person: string, mark: () => void): () => void {
    const marks = this.marks.get(person) ?? new Set()
    this.marks.set(person, marks.add(mark))
    this.unlisten ??= this.store.onChange((run) => void this.changed(run))
    return () => {
      marks.delete(mark)
      if (marks.size === 0) this.marks.delete(person)
      if (this.marks.size > 0) return
      this.unlisten?.()
      this.unlisten = undefined
    }
  }

  private async changed(run: string | '*'): Promise<void> {
    // A look that is under way marks after this commit as well: it is the mark that makes streams read.
    if (this.looking.has(run)) return
    this.looking.add(run)
    const row = run === '*' ? undefined : await this.store.getRun(run).catch(() => undefined)
    this.looking.delete(run)
    // Of a run that is gone nobody knows whose it was.
    const told = row
      ? [row.starter.type === 'person' ? this.marks.get(row.starter.id) : undefined]
      : [...this.marks.values()]
    for (const marks of told) for (const mark of marks ?? []) mark()
  }
}

/** What a person's lists show, each run with the text by which two states of it are told apart. */
interface Lists {
  asks: AskRow[]
  runs: Map<string, { summary: RunSummary; text: string }>
}

/** A person's lists, and what changes in them: from rows alone, so that no worker need run. */
export async function* watchPerson(
  parts: { store: Store; clock: Clock; personChanges: PersonChanges },
  person: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<PersonEvent> {
  const { store, clock, personChanges } = parts
  const changes = new Changes((mark) => personChanges.listen(person, mark))
  let disarm: (() => void) | undefined
  let before: Lists | undefined
  try {
    for (;;) {
      await changes.next(signal)
      const now = await listsOf(store, person)
      disarm?.()
      // An ask leaves the list at its deadline, though nobody writes that down while no worker runs.
      const until = now.asks[0]?.until
      disarm = until === undefined ? undefined : clock.after(until + 1 - clock.now(), () => changes.mark())
      yield* differences(before, now, clock.now())
      before = now
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    disarm?.()
    changes.close()
  }
}

async function listsOf(store: Store, person: string): Promise<Lists> {
  const starter = { type: 'person' as const, id: person }
  const [asks, runs] = await Promise.all([store.listAsks({ starter, limit: 200 }), store.listRuns({ starter })])
  const summaries = asks.cursor === undefined ? withAsks(runs.items, asks.items) : await summariesOf(store, runs.items)
  const entries = summaries.map((summary) => [summary.run, { summary, text: JSON.stringify(summary) }] as const)
  return { asks: asks.items, runs: new Map(entries) }
}

function withAsks(rows: RunRow[], asks: AskRow[]): RunSummary[] {
  return rows.map((row) =>
    summaryOf(
      row,
      asks.filter((ask) => ask.run === row.id),
    ),
  )
}

function* differences(before: Lists | undefined, now: Lists, nowMs: number): Generator<PersonEvent> {
  const asks = now.asks.map(askOfRow)
  // A run that left the list (erased, or pushed off its end) cannot be told by itself.
  if (!before || [...before.runs.keys()].some((run) => !now.runs.has(run))) {
    yield { type: 'snapshot', at: isoOf(nowMs), asks, runs: [...now.runs.values()].map(({ summary }) => summary) }
    return
  }
  if (idsOf(before.asks) !== idsOf(now.asks)) yield { type: 'asks', asks }
  // Oldest first: who puts each new one on top has them in order.
  for (const [run, { summary, text }] of [...now.runs].reverse()) {
    if (before.runs.get(run)?.text !== text) yield { type: 'run', run: summary }
  }
}

/** An open ask never changes: which they are says all. */
function idsOf(asks: AskRow[]): string {
  return asks.map((ask) => ask.id).join()
}
