import { conversationOfLines, type LoggedViewEvent, type RunView, Viewer } from '../core/view.ts'
import type { RunRow, Store } from '../store/store.ts'
import { DelegatedAsks } from './delegated-asks.ts'
import { summaryOf } from './views.ts'

/** A run with its conversation. */
export async function viewOfRun(store: Store, row: RunRow): Promise<RunView> {
  // A run that is over has none open, nor have those below it.
  const isOver = row.endedAt !== undefined
  const [events, asks] = await Promise.all([
    store.readEvents(row.id, 0),
    isOver ? [] : store.listAsks({ run: row.id, limit: 200 }).then(({ items }) => items),
  ])
  const delegated = new DelegatedAsks(store, row.id)
  const viewer = new Viewer()
  const lines: LoggedViewEvent[] = []
  for (const event of events) {
    const seen = viewer.see(event)
    delegated.note(event, seen)
    if (seen) lines.push(seen)
  }
  const conversation = conversationOfLines(lines, await delegated.news())
  return { ...summaryOf(row, asks), ...conversation, seq: events.at(-1)?.seq ?? 0 }
}
