import type { Clock } from '../core/ambient.ts'
import { QuerentError } from '../core/error.ts'
import type { AskEvent, Notifier } from '../core/notifier.ts'
import { isoOf } from '../core/view.ts'
import type { OutboxEntry, Store } from '../store/store.ts'
import type { Logger } from './parts.ts'
import { askOfRow } from './views.ts'

const defaultTimeoutMs = 10_000
const longestTimeoutMs = 60_000
/** Added to what a try may take, so that a lease does not end while its holder still writes. */
const marginMs = 5_000
const longestRestMs = 300_000
/** Tries after which an event is compared with others: is it the event, or the notifier? About half an hour. */
const doubtedAfterTries = 10
/** How far behind the head another event is looked for then. */
const lookAhead = 50

/** A plain function is the notifier `notify`: there can be one, since the order of a list is no name that stays. */
export type Notify = Notifier | Notifier['notify']

interface AnnounceParts {
  store: Store
  clock: Clock
  logger: Logger
}

/**
 * Makes one announcer for each notifier.
 * @throws QuerentError T1003 where one is wrong, or two have the same name.
 */
export function announcersOf(parts: AnnounceParts, notify: readonly Notify[] = []): Announcer[] {
  if (!Array.isArray(notify)) throw wrong('notify is not a list. Write notify: [notifier].')
  const notifiers = notify.map((each: Notify) =>
    typeof each === 'function' ? { name: 'notify', notify: each } : checked(each),
  )
  const names = new Set<string>()
  for (const { name } of notifiers) {
    if (names.has(name)) throw wrong(`Two notifiers have the name "${name}". Write { name: '…', notify } to name each.`)
    names.add(name)
  }
  return notifiers.map((notifier) => new Announcer(parts, notifier))
}

function checked(notifier: Notifier): Notifier {
  const { name, notify, timeoutMs = defaultTimeoutMs } = notifier ?? {}
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw wrong(`A notifier has the name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, ".", "_" or "-".`)
  if (typeof notify !== 'function') throw wrong(`Notifier "${name}" has no notify function.`)
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestTimeoutMs)
    throw wrong(
      `Notifier "${name}" has timeoutMs = ${JSON.stringify(timeoutMs)}. Give a whole number from 1 to ${longestTimeoutMs}.`,
    )
  return notifier
}

function wrong(message: string): QuerentError {
  return new QuerentError('T1003', message)
}

/**
 * Tells one notifier what lies in the outbox, the oldest first, one at a time: taking an entry leases the whole outbox
 * of this notifier, so that of many processes one tells. Runs know nothing of it. What was told is remembered by the
 * store when it is acknowledged; a process that dies in between leaves it to be told again.
 *
 * A failing head is tried again and again, since an outage must lose nothing. Only where it goes on failing while another
 * event gets through is it the event that is at fault: then it is given up, with an error in the log.
 */
export class Announcer {
  private readonly parts: AnnounceParts
  private readonly notifier: Notifier
  private readonly timeoutMs: number
  private started = false
  private hinted = false
  /** After a failure, or for good: hints do not wake it. */
  private resting = false
  /** Entries may be under a lease, another process's or an older one of ours: that we get none does not say there is none. */
  private mayBeLeased = false
  private looking: Promise<void> | undefined
  private telling: AbortController | undefined
  private failing: { entry: number; tries: number } | undefined
  /** Told, and not acknowledged yet. */
  private readonly told = new Set<number>()
  private cancelTimer: (() => void) | undefined
  private unlisten: (() => void) | undefined

  constructor(parts: AnnounceParts, notifier: Notifier) {
    this.parts = parts
    this.notifier = notifier
    this.timeoutMs = notifier.timeoutMs ?? defaultTimeoutMs
  }

  /** Makes the notifier known, and tells it what it was not told yet and what happens from now on. */
  async start(): Promise<void> {
    const { store } = this.parts
    if (this.started) return
    await store.addNotifier(this.notifier.name)
    if (this.started) return
    this.started = true
    this.resting = false
    this.mayBeLeased = true
    this.unlisten = store.onChange((run) => {
      if (run === '*') this.mayBeLeased = true
      this.hint()
    })
    this.hint()
  }

  /** Ends at once: a try under way is aborted, and told again by whoever starts next. */
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
    // Not before our own lease is over: until then nobody gets the entry, we neither.
    this.rest(Math.max(leaseMs, Math.min(this.leaseMs * 2 ** (tries - 1), longestRestMs)))
    return false
  }

  private get isInDoubt(): boolean {
    return this.failing !== undefined && this.failing.tries >= doubtedAfterTries
  }

  private get leaseMs(): number {
    return this.timeoutMs + marginMs
  }

  /** For two tries. */
  private get longestLeaseMs(): number {
    return 2 * this.timeoutMs + marginMs
  }

  /** Looks again when any lease is over: its holder may have died. After that hints are enough, and no timer is held. */
  private lookOnceMore(): false {
    if (this.mayBeLeased) this.arm(this.longestLeaseMs + 1)
    this.mayBeLeased = false
    return false
  }

  /** Tells the next event of another ask: the order is kept for each ask. A different one each time. */
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

  private async acknowledge(entry: OutboxEntry): Promise<true> {
    await this.parts.store.ackOutbox(this.notifier.name, entry.id)
    this.told.delete(entry.id)
    this.failing = undefined
    return true
  }

  private giveUp(entry: OutboxEntry): Promise<true> {
    const event = eventOf(entry)
    this.parts.logger.error('an announcement was given up: it fails while others get through', {
      notifier: this.notifier.name,
      tries: (this.failing?.tries ?? 0) + 1,
      event: event.id,
      run: event.ask.run,
      step: event.ask.step,
    })
    return this.acknowledge(entry)
  }

  /** Whether the event has arrived. Whatever the notifier does, this resolves when the time is over. */
  private async tell(entry: OutboxEntry): Promise<boolean> {
    if (this.told.has(entry.id)) return true
    if (!this.started || this.resting) return false
    const { clock, logger } = this.parts
    const event = eventOf(entry)
    const telling = new AbortController()
    const { signal } = telling
    let gone: string | undefined
    const stop = (why: string) => {
      gone = why
    }
    this.telling = telling
    const overtime = () => telling.abort(new Error(`It did not return within ${this.timeoutMs} ms.`))
    const cancel = clock.after(this.timeoutMs, overtime)
    try {
      await Promise.race([this.call(event, { signal, clock, stop }), aborted(signal)])
      if (gone === undefined) this.told.add(entry.id)
    } catch (error) {
      if (this.started && gone === undefined)
        logger.warn('a notifier failed', { notifier: this.notifier.name, event: event.id, error: whyOf(error) })
    } finally {
      cancel()
      this.telling = undefined
    }
    if (gone !== undefined) this.leave(gone)
    return this.told.has(entry.id)
  }

  /** What a notifier throws before its first `await` is a rejection as well. */
  private async call(...args: Parameters<Notifier['notify']>): Promise<void> {
    await this.notifier.notify(...args)
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

function eventOf({ type, at, ask }: OutboxEntry): AskEvent {
  const { starter, end } = ask
  const common = {
    at: isoOf(at),
    ask: askOfRow(ask),
    ...(starter.type === 'person' ? { person: { id: starter.id } } : {}),
  }
  if (type === 'ask.opened' || !end) return { id: `${ask.id}_opened`, type: 'ask.opened', ...common }
  const { outcome, by, data, reason, because } = end
  const given = { ...(data === undefined ? {} : { data }), ...(reason === undefined ? {} : { reason }) }
  const why = because === undefined ? {} : { because }
  return {
    id: `${ask.id}_settled`,
    type,
    ...common,
    end: { outcome, by, at: isoOf(end.at), ...given, ...why },
  }
}
