import type { Ask } from '../core/ask.ts'
import type { Helper } from '../core/helper.ts'
import type { RunView, ViewEvent } from '../core/view.ts'
import { expiredOf } from './expired.ts'
import type { Output } from './output.ts'
import { RunPrinter } from './run-printer.ts'
import { SettledElsewhere } from './terminal/prompter.ts'

/** What becomes of an ask that opened: it was settled, or it stays open. */
export type Handling = 'settled' | 'left'

export interface FollowOptions {
  helper: Helper
  run: string
  output: Output
  /** What was shown before: only what comes after is. Left out: everything. */
  seen?: RunView
  /** Open asks that are not handed on. */
  skipped?: Ask[]
  /** Shows an ask, and lets a person answer it where there is one. Aborts when it was settled elsewhere. */
  handle(ask: Ask, signal: AbortSignal): Promise<Handling>
  /** Print nothing of it. */
  silent?: boolean
  signal: AbortSignal
}

/**
 * Shows a run as it goes, and hands each ask that opens to `handle`, one at a time. Ends when the run is over, or waits
 * and nobody here answers; gives the run as it is then. Rejects with the signal's reason.
 */
export async function followRun(options: FollowOptions): Promise<RunView> {
  const follower = new Follower(options)
  try {
    return await follower.follow()
  } finally {
    await follower.close()
  }
}

class Follower {
  private readonly options: FollowOptions
  private readonly printer: RunPrinter
  private readonly open = new Map<string, { ask: Ask; settled: AbortController }>()
  private readonly handled = new Set<string>()
  private readonly known = new Set<string>()
  /** Asks that were settled before: each watch begins with those of runs below, however long ago they were. */
  private readonly past = new Set<string>()
  private readonly ending = new AbortController()
  private readonly watching: Promise<void>
  private rechecking: Promise<void> | undefined
  private change = Promise.withResolvers<void>()

  constructor(options: FollowOptions) {
    this.options = options
    this.printer = new RunPrinter(options.output)
    for (const ask of options.seen?.asks ?? []) this.opened(ask)
    for (const line of options.seen?.messages ?? []) {
      if (line.role !== 'ask') continue
      this.known.add(line.ask.id)
      if (line.end) this.past.add(line.ask.id)
    }
    for (const ask of options.skipped ?? []) this.handled.add(ask.id)
    this.watching = this.watch()
    // Who waits for it hears of a fault; nobody may be waiting yet.
    this.watching.catch(() => this.changed())
  }

  async follow(): Promise<RunView> {
    for (;;) {
      const next = await this.nextAsk()
      if (!('id' in next)) return next
      this.handled.add(next.id)
      const settled = this.open.get(next.id)?.settled.signal ?? AbortSignal.abort()
      const handling = await this.options.handle(next, AbortSignal.any([settled, this.options.signal]))
      this.options.signal.throwIfAborted()
      if (handling === 'settled') this.open.delete(next.id)
    }
  }

  async close(): Promise<void> {
    this.ending.abort()
    await Promise.allSettled([this.watching, this.rechecking])
  }

  /** The next ask nobody was shown; the run itself where it is at rest and there is none. */
  private async nextAsk(): Promise<Ask | RunView> {
    for (;;) {
      const ask = [...this.open.values()].find((each) => !this.handled.has(each.ask.id))?.ask
      if (ask) return ask
      const rest = await this.restOrChange()
      if (!rest) continue
      if (rest.status !== 'waiting') {
        await this.watching
        return rest
      }
      // The rows may be ahead of what was shown: the text before a question comes before it.
      const isUnseen = rest.asks.some(({ id }) => !this.known.has(id))
      if (isUnseen) await Promise.race([this.change.promise, this.watching])
      // A deadline has passed, and the engine is about to notice.
      else if (rest.asks.length === 0 && expiredOf(rest).length > 0)
        await Promise.race([this.change.promise, this.watching])
      else if (rest.asks.every(({ id }) => this.handled.has(id))) return rest
    }
  }

  private async restOrChange(): Promise<RunView | undefined> {
    const { helper, run, signal } = this.options
    const changed = this.change.promise
    const waiting = new AbortController()
    const rest = helper.atRest(run, { signal: AbortSignal.any([signal, waiting.signal]) })
    try {
      return await Promise.race([rest, changed.then(() => undefined)])
    } finally {
      waiting.abort()
      await rest.catch(() => undefined)
    }
  }

  private async watch(): Promise<void> {
    const { helper, run, seen, signal } = this.options
    const watched = helper.watch(run, { after: seen?.seq ?? 0, signal: AbortSignal.any([signal, this.ending.signal]) })
    for await (const event of watched) {
      if ('under' in event && this.past.has(event.ask.id)) continue
      if (!this.options.silent) this.printer.print(event)
      this.note(event)
    }
  }

  private note(event: ViewEvent): void {
    if (event.type === 'ask.opened') this.opened(event.ask)
    if (event.type === 'ask.settled') this.closed(event.ask.id)
    if (event.type !== 'text.delta') this.changed()
    if (event.type === 'text.delta' || event.type === 'tool') this.recheck()
  }

  /**
   * The model speaks again, so what was asked may be settled, elsewhere: the log says so only when the model is done. It
   * may also be the end of what it said before it asked, so look.
   */
  private recheck(): void {
    if (this.open.size === 0) return
    const { helper, run } = this.options
    this.rechecking ??= helper
      .run(run)
      .then(({ asks }) => {
        const open = new Set(asks.map(({ id }) => id))
        for (const id of [...this.open.keys()]) if (!open.has(id)) this.closed(id)
      })
      // A store that cannot be read fails the watch as well, which is waited for.
      .catch(() => undefined)
      .finally(() => {
        this.rechecking = undefined
      })
  }

  private closed(ask: string): void {
    this.open.get(ask)?.settled.abort(new SettledElsewhere())
    this.open.delete(ask)
  }

  private opened(ask: Ask): void {
    if (this.known.has(ask.id)) return
    this.known.add(ask.id)
    this.open.set(ask.id, { ask, settled: new AbortController() })
  }

  private changed(): void {
    this.change.resolve()
    this.change = Promise.withResolvers()
  }
}
