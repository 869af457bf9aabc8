import type { RunEvent } from '../core/event.ts'
import { type DelegatedViewEvent, endOf, isoOf, type LoggedViewEvent } from '../core/view.ts'
import type { AskRow, Store } from '../store/store.ts'
import { askOfRow } from './views.ts'

interface Call {
  step: string
  seq: number
  at: string
}

/**
 * What was asked by the runs below a run, as its person sees it. It stands in the logs of those runs; here it comes from
 * rows, each event once.
 */
export class DelegatedAsks {
  private readonly store: Store
  private readonly run: string
  /** Calls that began, by effect. */
  private readonly begun = new Map<string, Call>()
  /** Those of them that a run below does. */
  private readonly calls: Call[] = []
  /** Effects of those that have no result yet. */
  private readonly open = new Set<string>()
  private isDue = false
  private readonly told = new Set<string>()

  constructor(store: Store, run: string) {
    this.store = store
    this.run = run
  }

  /** Takes note of a line of the run's log and what its person sees of it. A run that delegates nothing costs no look. */
  note(event: RunEvent, seen: LoggedViewEvent | undefined): void {
    if (event.type === 'tool.returned' && this.open.delete(event.data.effect)) this.isDue = true
    if (event.type !== 'tool.started') return
    const { effect, child } = event.data
    // What its person sees is that the call began; the line that names the run below may be another, behind it.
    if (seen?.type === 'tool') this.begun.set(effect, seen)
    const call = this.begun.get(effect)
    if (child === undefined || !call || this.open.has(effect)) return
    this.calls.push(call)
    this.open.add(effect)
  }

  /** What was not told yet, in the order it happened. */
  async news(): Promise<DelegatedViewEvent[]> {
    if (!this.isDue && this.open.size === 0) return []
    this.isDue = false
    const news: DelegatedViewEvent[] = []
    for (const row of await this.rows()) {
      for (const event of eventsOf(row, this.callOf(row))) {
        const key = `${event.type} ${row.id}`
        if (!this.told.has(key)) news.push(event)
        this.told.add(key)
      }
    }
    // Stable: of one instant, an ask opens before it is settled.
    return news.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
  }

  private async rows(): Promise<AskRow[]> {
    const rows: AskRow[] = []
    let after: string | undefined
    do {
      const page = await this.store.listAsks({ run: this.run, open: false, limit: 200, ...(after ? { after } : {}) })
      rows.push(...page.items.filter(({ owner }) => owner !== this.run))
      after = page.cursor
    } while (after !== undefined)
    return rows
  }

  /** The line of the call that an ask belongs to. Steps begin anew in each round, so of several it is the last before it. */
  private callOf({ step, since }: AskRow): number {
    const [call] = step.split('/')
    const at = isoOf(since)
    return this.calls.findLast((each) => each.step === call && each.at <= at)?.seq ?? 0
  }
}

function eventsOf(row: AskRow, under: number): DelegatedViewEvent[] {
  const ask = askOfRow(row)
  const opened: DelegatedViewEvent = { type: 'ask.opened', under, at: ask.since, ask }
  if (!row.end) return [opened]
  const at = isoOf(row.end.at)
  return [opened, { type: 'ask.settled', under, at, ask, end: endOf(row.end, at) }]
}
