import type { Clock } from '../core/ambient.ts'
import type { Claim, ClaimOffer, Owner, Store } from '../store/store.ts'
import type { DispatcherSignals, Logger } from './parts.ts'
import type { RunSession } from './session.ts'

/** How long a claim holds without a sign of life, and how often a holder gives one. */
const leaseMs = 10_000
const renewEveryMs = 3_000
/** How long what was interrupted may take to come to its end. */
const leaveMs = 1_000
/** How often a started engine looks for dead workers when nothing else makes it look. */
const lookEveryMs = 2_000
/** How soon to look again for an ask that is past its deadline, and could not be expired. */
const overdueAgainMs = 100

export interface DispatcherOptions {
  store: Store
  clock: Clock
  logger: Logger
  owner: Owner
  isAlive(owner: Owner): boolean
  agents: string[]
  concurrency: number
  /** How long runs that are over are kept. Left out: for ever. */
  retentionMs?: number
  /** Works on a claim until it is given up. Never rejects. */
  work(claim: Claim, begin: (session: RunSession) => void): Promise<void>
}

/**
 * Brings ready runs to this process, at most `concurrency` at once. The run rows are the durable queue; this is only
 * who looks at them when. That a run goes on exactly once is the store's business, never the dispatcher's.
 */
export class Dispatcher implements DispatcherSignals {
  private readonly options: DispatcherOptions
  /** Not keyed by run: a run that parks may be claimed again here before its old session has left. */
  private readonly sessions = new Set<RunSession>()
  private readonly working = new Set<Promise<void>>()
  private readonly looks = new Set<Promise<void>>()
  private started = false
  private reserved = 0
  private pumping: Promise<void> | undefined
  private hinted = false
  private hearing = false
  /** There may be more to claim than this process had hands for. */
  private starved = false
  private expiring = false
  private due = false
  private dead: string[] = []
  private readonly lacking = new Set<string>()
  private readonly cancels = new Map<'renew' | 'look' | 'deadline', () => void>()
  private unlisten: (() => void) | undefined

  constructor(options: DispatcherOptions) {
    this.options = options
  }

  start(): void {
    if (this.started) return
    this.started = true
    this.unlisten = this.options.store.onChange((_, elsewhere) => {
      if (elsewhere) this.othersWrote()
    })
    this.besides(this.lookAround())
    this.besides(this.expireDue())
  }

  /** Takes nothing new, lets what runs come to a good place for `graceMs`, then ends it; gives every claim back. */
  async stop(graceMs: number): Promise<void> {
    if (!this.started) return
    this.started = false
    this.unlisten?.()
    for (const name of ['look', 'deadline'] as const) this.cancel(name)
    // Before anything is waited for: until then they begin what is new. Who begins from now on knows.
    for (const session of this.sessions) {
      session.draining = true
      session.changed()
    }
    await this.pumping
    const { clock } = this.options
    let cancel = clock.after(graceMs, () => {
      for (const session of this.sessions) session.interrupt('The engine stops.')
      cancel = clock.after(Math.min(graceMs, leaveMs), () => {
        for (const session of this.sessions) void this.leave(session)
      })
    })
    while (this.working.size > 0) await Promise.all(this.working)
    cancel()
    // Whoever stops closes the store next: what still looks into it would be a fault in the log.
    await Promise.all(this.looks)
    this.cancel('renew')
  }

  /** A worker for the run that a transition is about to ready, where one is free. Must be followed by `taken`. */
  offer(agent: string): ClaimOffer | undefined {
    if (!this.started || !this.options.agents.includes(agent) || this.busy >= this.options.concurrency) return undefined
    this.reserved++
    return { owner: this.options.owner, leaseMs }
  }

  /** What became of an offer. */
  taken(offer: ClaimOffer | undefined, claim: Claim | undefined): void {
    if (offer) this.reserved--
    if (claim) this.workOn(claim)
  }

  hint(): void {
    this.hinted = true
    if (!this.started || this.pumping) return
    this.pumping = this.pump().finally(() => {
      this.pumping = undefined
      // A hint that came behind the last look and before this would be slept through.
      if (this.hinted) this.hint()
    })
  }

  mailed(run: string): void {
    // What is said to a root concerns the runs below it.
    const held = [...this.sessions].filter((session) => session.held.run === run || session.root === run)
    for (const session of held) this.look(session)
    if (held.length === 0) this.hint()
  }

  deadlinesChanged(): void {
    if (this.started) this.besides(this.armDeadline())
  }

  /** Once for all runs that are named at once. */
  private othersWrote(): void {
    if (this.hearing) return
    this.hearing = true
    queueMicrotask(() => {
      this.hearing = false
      this.hint()
      this.deadlinesChanged()
      this.besides(this.lookAtMail())
    })
  }

  /** Goes on beside everything else. It never rejects. */
  private besides(look: Promise<void>): void {
    this.looks.add(look)
    void look.finally(() => this.looks.delete(look))
  }

  private get busy(): number {
    return this.working.size + this.reserved
  }

  private async pump(): Promise<void> {
    const { store, owner, agents, concurrency, logger } = this.options
    try {
      while (this.hinted && this.started) {
        this.hinted = false
        while (this.started && agents.length > 0 && this.busy < concurrency) {
          const claim = await store.claimRun({ owner, leaseMs, agents, dead: this.dead })
          if (!claim) break
          this.workOn(claim)
        }
        this.starved = this.busy >= concurrency
      }
    } catch (error) {
      this.starved = true
      logger.error('could not claim runs', { error: String(error) })
    }
  }

  private workOn(claim: Claim): void {
    let session: RunSession | undefined
    const done = this.options
      .work(claim, (begun) => {
        session = begun
        this.sessions.add(begun)
        if (!this.started) begun.draining = true
      })
      .finally(() => {
        if (session) this.sessions.delete(session)
        this.working.delete(done)
        // Else everything that became ready was told to whoever made it so, and nothing else can be there.
        if (this.starved) this.hint()
      })
    this.working.add(done)
    this.armRenewal()
  }

  /** Gives a claim back over the head of who works on it: what heeds no signal may never come back. */
  private async leave(session: RunSession): Promise<void> {
    try {
      await session.giveBack()
    } catch (error) {
      this.options.logger.error('could not give a claim back', { run: session.held.run, error: String(error) })
    } finally {
      session.end()
    }
  }

  private look(session: RunSession): void {
    session
      .renew(leaseMs)
      .catch((error) => this.options.logger.error('could not look into a mailbox', { error: String(error) }))
  }

  /**
   * Others have written. A renewal writes, and would do so for every run of every worker at every write of anybody; so it
   * is only for those that were told something, or lost.
   */
  private async lookAtMail(): Promise<void> {
    const { store, owner, logger } = this.options
    if (this.sessions.size === 0) return
    try {
      const held = await store.listClaims(owner.id)
      for (const session of this.sessions) {
        const claim = held.find(({ run, fence }) => run === session.held.run && fence === session.held.fence)
        if (!claim || claim.mailed) this.look(session)
      }
    } catch (error) {
      logger.error('could not look into mailboxes', { error: String(error) })
    }
  }

  private armRenewal(): void {
    if (this.cancels.has('renew')) return
    this.arm('renew', renewEveryMs, () => {
      for (const session of this.sessions) this.look(session)
      if (this.working.size > 0) this.armRenewal()
    })
  }

  /** Looks for runs of dead owners on this host, for leases that ended, and for the next deadline. */
  private async lookAround(): Promise<void> {
    const { store, owner, isAlive, logger } = this.options
    try {
      await this.reportLacking()
      await this.eraseOld()
      const owners = await store.listOwners(owner.host)
      this.dead = owners.filter((each) => each.id !== owner.id && !isAlive(each)).map((each) => each.id)
    } catch (error) {
      logger.error('could not look for dead workers', { error: String(error) })
    }
    this.hint()
    // Timers do not count while a machine sleeps, nor know that its clock was set: what was armed may be hours late.
    this.deadlinesChanged()
    if (this.started) this.arm('look', lookEveryMs, () => this.besides(this.lookAround()))
  }

  /** A few at a time: it shares the one writer with those who answer. */
  private async eraseOld(): Promise<void> {
    const { store, retentionMs } = this.options
    if (retentionMs !== undefined) await store.eraseEnded(retentionMs, 50)
  }

  /** Runs that nobody here can work on are not lost, but somebody should know. */
  private async reportLacking(): Promise<void> {
    const { store, agents, logger } = this.options
    if (agents.length === 0) return
    for (const agent of await store.readyAgents()) {
      if (agents.includes(agent) || this.lacking.has(agent)) continue
      this.lacking.add(agent)
      logger.error(`runs of agent "${agent}" are ready, and this process has no such agent`, {
        agent,
        code: 'T1005',
        hint: 'They wait. Start a worker that has it, roll back, or give the name as an alias of its successor.',
      })
    }
  }

  /** One timer for all deadlines, however many asks wait. */
  private async armDeadline(pastMs = 0): Promise<void> {
    const { store, logger } = this.options
    const untilMs = await store
      .untilDeadline()
      .catch((error) => logger.error('could not read deadlines', { error: String(error) }))
    if (!this.started || untilMs === undefined) return
    // One past the deadline: an ask may still be answered in its last millisecond.
    this.arm('deadline', untilMs < 0 ? pastMs : untilMs + 1, () => this.besides(this.expireDue()))
  }

  private async expireDue(): Promise<void> {
    this.due = true
    // Whoever looks already looks again, for what came due meanwhile.
    if (this.expiring) return
    this.expiring = true
    const { store, logger } = this.options
    try {
      let readied: string[]
      do {
        this.due = false
        readied = await store.expireAsks(100)
        for (const run of readied) this.mailed(run)
      } while ((readied.length > 0 || this.due) && this.started)
    } catch (error) {
      logger.error('could not expire asks', { error: String(error) })
    } finally {
      this.expiring = false
    }
    // What is still past its deadline belongs to a run that somebody has locked. Looked for at once, without a pause, it
    // would be looked for thousands of times a second.
    if (this.started) this.besides(this.armDeadline(overdueAgainMs))
  }

  private arm(name: 'renew' | 'look' | 'deadline', delayMs: number, callback: () => void): void {
    this.cancel(name)
    const cancel = this.options.clock.after(delayMs, () => {
      this.cancels.delete(name)
      callback()
    })
    this.cancels.set(name, cancel)
  }

  private cancel(name: 'renew' | 'look' | 'deadline'): void {
    this.cancels.get(name)?.()
    this.cancels.delete(name)
  }
}
