import type { Ask, Clock, Connection, PersonEvent, PersonHandle, QuerentError, RunSummary } from '../protocol/core.ts'
import type { Attention } from './attention.ts'
import { Store } from './store.ts'
import { Stream } from './stream.ts'

/** What the server tells a person of, live. */
export interface ListsState {
  /** Nothing has come yet. */
  loading: boolean
  /** Open asks, nearest deadline first. */
  asks: Ask[]
  /** The newest 50 runs, newest first. */
  runs: RunSummary[]
  connection: Connection
  /** The list is not given: not signed in, say. It is not asked for again before `reconnect`. */
  refused?: QuerentError | undefined
  /** What the server's clock is ahead of this one's, in milliseconds. */
  aheadMs?: number | undefined
}

export const noLists: ListsState = { loading: true, asks: [], runs: [], connection: { state: 'connecting' } }

/** A person's asks and runs, over one stream however many look. */
export class Lists extends Store<ListsState> {
  private readonly stream: Stream<PersonEvent>
  private readonly attention: Attention
  private asks: Ask[] | undefined
  private runs: RunSummary[] = []
  private aheadMs: number | undefined
  /**
   * Asks that are known to be settled, until a list has heard of it a moment later: no form may stand open until then.
   * Not for longer: where a database was put back, they are open again.
   */
  private readonly settled = new Set<string>()

  constructor({ client, clock, attention }: { client: PersonHandle; clock: Clock; attention: Attention }) {
    super(clock, noLists)
    this.attention = attention
    this.stream = new Stream({
      source: (options) => client.events(options),
      mayBeOpen: () => attention.mayWatchLists,
      onEvent: (event) => this.take(event),
      onChange: () => this.changed(),
    })
  }

  /** Somebody looks at the page again, or nobody does. */
  attend(): void {
    this.stream.attend()
    this.changed()
  }

  /** Asks for the lists again, where they were refused. */
  reconnect(): void {
    if (this.stream.refused) this.stream.open()
  }

  /** This ask is settled. */
  settle(ask: string): void {
    if (this.settled.has(ask)) return
    this.settled.add(ask)
    this.asks &&= this.open(this.asks)
    this.runs = this.runs.map((run) => this.withOpen(run))
    this.changed()
  }

  /** A run without the asks that are known to be settled. */
  withOpen<R extends RunSummary>(run: R): R {
    const asks = this.open(run.asks)
    return asks === run.asks ? run : { ...run, asks }
  }

  // Whoever looks at a run looks at the lists: nothing else needs to begin and end this.
  protected work(): void {
    this.attention.start()
    this.stream.open()
    this.changed()
  }

  protected rest(): void {
    this.attention.stop()
    this.stream.close()
  }

  protected look(): ListsState {
    const { asks, runs, aheadMs, stream } = this
    const { connection, refused } = stream
    return { loading: !asks && !refused, asks: asks ?? [], runs, connection, refused, aheadMs }
  }

  private take(event: PersonEvent): void {
    if (event.type === 'run') this.runs = withRun(this.runs, this.withOpen(event.run))
    else this.takeAsks(event.asks)
    if (event.type === 'snapshot') {
      this.runs = event.runs.map((run) => this.withOpen(run))
      this.aheadMs = Date.parse(event.at) - this.clock.now()
    }
    this.changed()
  }

  private takeAsks(asks: Ask[]): void {
    const listed = new Set(asks.map(({ id }) => id))
    for (const id of this.settled) if (!listed.has(id)) this.settled.delete(id)
    this.asks = this.open(asks)
  }

  private open(asks: Ask[]): Ask[] {
    return asks.some(({ id }) => this.settled.has(id)) ? asks.filter(({ id }) => !this.settled.has(id)) : asks
  }
}

/** A run in its place, or on top where it is new. */
function withRun(runs: RunSummary[], run: RunSummary): RunSummary[] {
  const index = runs.findIndex((each) => each.run === run.run)
  return index === -1 ? [run, ...runs] : runs.with(index, run)
}
