import type { Clock } from '../core/ambient.ts'
import type { Notifier } from '../core/notifier.ts'
import type { OutboxEntry, Store } from '../store/store.ts'
import { askEventOf } from './ask-event.ts'
import { notifyOnce } from './notify-once.ts'
import type { Logger } from './parts.ts'

/** Added to what a try may take, so that a lease does not end while its holder still writes. */
const marginMs = 5_000
const longestRestMs = 300_000
/** Tries after which an event is compared with others: is it the event, or the notifier? About half an hour. */
const doubtedAfterTries = 10
/** How far behind the head another event is looked for then. */
const lookAhead = 50

/** What announcing needs of the engine. */
export interface AnnounceParts {
  store: Store
  clock: Clock
  logger: Logger
}

/**
 * Tells one notifier what lies in the outbox, the oldest first, one at a time: taking an entry leases the whole outbox
 * of this notifier, so that of many processes one tells. Runs know nothing of it. That an event was told is on disk when
 * it is acknowledged; a process that dies in between leaves it to be told again.
 *
 * A failing head is tried again and again, since an outage must lose nothing. Only where it goes on failing while another
 * event gets through is it the event that is at fault: then it is given up, with an error in the log.
 */
export class Announcer {
  private readonly parts: AnnounceParts
  private readonly notifier: Required<Notifier>
  private started = false
  private hinted = false
  /** After a failure, or for good: hints do not wake it. */
  private resting = false
  /** Somebody may have a lease, a dead process or we ourselves: that we are given nothing does not say there is nothing. */
  private mayBeLeased = false
  private looking: Promise<void> | undefined
  private telling: AbortController | undefined
  private failing: { entry: number; tries: number } | undefined
  /** Told, and not acknowledged yet. */
  private readonly told = new Set<number>()
  private cancelTimer: (() => void) | undefined
  private unlisten: (() => void) | undefined

  constructor(parts: AnnounceParts, notifier: Required<Notifier>) {
    this.parts = parts
    this.notifier = notifier
  }

  /** Makes the notifier known, and tells it what it was not told yet and what happens from now on. */
  async start(): Promise<void> {
    const { store } = this.parts
    await store.addNotifier(this.notifier.name)
    if (this.started) return
    this.started = true
    this.resting = false
    this.mayBeLeased = true
    this.unlisten = store.onChange((_, elsewhere) => {
      if (elsewhere) this.mayBeLeased = true
      this.hint()
    })
    this.hint()
  }

  /** Ends at once: a try under way is aborted, and made again by whoever starts next. */
  async stop(): Promise<void> {
    this.started = false
    this.unlisten?.()
    this.cancelTimer?.()
    this.telling?.abort(new Error('The engine stops.'))
    await this.looking
  }

  private hint(): void {
    this.hinted = true
    if (!this.started || this.resting || this.looking) return
    this.looking = this.tellAll().finally(() => {
      this.looking = undefined
      // A hint that came behind the last look and before this would be slept through.
      if (this.hinted) this.hint()
    })
  }

  private async tellAll(): Promise<void> {
    try {
      while (this.started && !this.resting && this.hinted) {
        this.hinted = false
        while (this.started && (await this.tellNext()));
      }
    } catch (error) {
      this.parts.logger.error('could not read the outbox', { notifier: this.notifier.name, error: String(error) })
      this.rest(this.leaseMs)
    }
  }

  /** Tells the head of the outbox. False: there is nothing more to do now. */
  private async tellNext(): Promise<boolean> {
    const leaseMs = this.isInDoubt ? this.longestLeaseMs : this.leaseMs
    const entries = await this.parts.store.takeOutbox(this.notifier.name, this.isInDoubt ? lookAhead : 1, leaseMs)
    const [head] = entries
    if (!head) return this.lookOnceMore()
    if (head.id !== this.failing?.entry) this.failing = undefined
    // Another first: were the head tried first, an outage that ends between the two would look like the head's fault.
    const othersGetThrough = this.isInDoubt && (await this.tellAnother(entries))
    if (await this.tell(head)) return this.acknowledge(head)
    if (!this.started || this.resting) return false
    if (othersGetThrough) return this.giveUp(head)
    const tries = (this.failing?.tries ?? 0) + 1
    this.failing = { entry: head.id, tries }
    // At least as long as our own lease: until it is over nobody is given the entry, we neither.
    this.rest(Math.min(this.leaseMs * 2 ** (tries - 1), longestRestMs))
    return false
  }

  private get isInDoubt(): boolean {
    return this.failing !== undefined && this.failing.tries >= doubtedAfterTries
  }

  private get leaseMs(): number {
    return this.notifier.timeoutMs + marginMs
  }

  /** For two tries. */
  private get longestLeaseMs(): number {
    return 2 * this.notifier.timeoutMs + marginMs
  }

  /** Looks again when any lease is over: its holder may have died. After that hints are enough, and no timer is held. */
  private lookOnceMore(): false {
    if (this.mayBeLeased) this.arm(this.longestLeaseMs + 1)
    this.mayBeLeased = false
    return false
  }

  /** Tells the next event of another ask, each time of a different one: within an ask nothing overtakes. */
  private async tellAnother([head, ...others]: OutboxEntry[]): Promise<boolean> {
    const asks = new Set([head?.ask.id])
    const firsts = others.filter((entry) => {
      if (this.told.has(entry.id) || asks.has(entry.ask.id)) return false
      asks.add(entry.ask.id)
      return true
    })
    const other = firsts[(this.failing?.tries ?? 0) % firsts.length]
    return other !== undefined && this.tell(other)
  }

  /** Whether the notifier has heard of it. */
  private async tell(entry: OutboxEntry): Promise<boolean> {
    if (this.told.has(entry.id)) return true
    if (!this.started || this.resting) return false
    const { clock, logger } = this.parts
    const event = askEventOf(entry)
    const ending = new AbortController()
    this.telling = ending
    const notified = await notifyOnce(this.notifier, event, { clock, ending })
    this.telling = undefined
    if (notified.case === 'told') this.told.add(entry.id)
    else if (notified.case === 'gone') this.leave(notified.why)
    else if (this.started)
      logger.warn('a notifier failed', { notifier: this.notifier.name, event: event.id, error: notified.why })
    return notified.case === 'told'
  }

  private async acknowledge(entry: OutboxEntry): Promise<true> {
    await this.parts.store.ackOutbox(this.notifier.name, entry.id)
    this.told.delete(entry.id)
    this.failing = undefined
    return true
  }

  private giveUp(entry: OutboxEntry): Promise<true> {
    const { id, ask } = askEventOf(entry)
    this.parts.logger.error('an announcement was given up: it fails while others get through', {
      notifier: this.notifier.name,
      tries: (this.failing?.tries ?? 0) + 1,
      event: id,
      run: ask.run,
      step: ask.step,
    })
    return this.acknowledge(entry)
  }

  private leave(why: string): void {
    this.cancelTimer?.()
    this.resting = true
    this.parts.logger.error('a notifier is told no more until the engine is started again', {
      notifier: this.notifier.name,
      why,
    })
  }

  /** Waits, whatever is hinted meanwhile. */
  private rest(delayMs: number): void {
    this.resting = true
    this.mayBeLeased = true
    this.arm(delayMs)
  }

  private arm(delayMs: number): void {
    this.cancelTimer?.()
    if (!this.started) return
    this.cancelTimer = this.parts.clock.after(delayMs, () => {
      this.resting = false
      this.hint()
    })
  }
}
