import type { CheckedLimits, RunFacts } from '../core/agent-facts.ts'
import type { OpenedAsk, Step } from '../core/ask.ts'
import type { Code } from '../core/error.ts'
import {
  type EventData,
  type EventType,
  type NewEvent,
  newEvent,
  type ParentCall,
  type RunEvent,
} from '../core/event.ts'
import { type CallState, emptyState, fold, type RunState } from '../core/fold.ts'
import type { Segment, SegmentEnd } from '../core/telemetry.ts'
import type { ViewEvent } from '../core/view.ts'
import type { Claim, Held, Kept, Lost, Mail, OpenedAskWrite, RunEnd, Store, Write } from '../store/store.ts'
import type { EngineParts } from './parts.ts'
import type { Equipment } from './registry.ts'

/** One for all: its stack would tell nothing, and cost more than the rest of an end. */
const ended = new Error('The work on this run has ended here.')

/**
 * The work of one claim on one run: the log as a state, what is to be written, and the one place that writes it. Events
 * are folded when they are added and stored with the next write; those that only repeat what the store has already (a
 * settled ask, a message) may wait for it, those that record an effect may not (`hasEffects`).
 */
export class RunSession {
  readonly held: Held
  readonly facts: RunFacts
  readonly equipment: Equipment
  readonly parts: EngineParts
  readonly state: RunState
  /** Calls that run here, by effect. */
  readonly running = new Set<string>()
  /** Calls that were prepared here and may run, by effect. */
  readonly planned = new Set<string>()
  /** In the mailbox, and not in the log. */
  mail: Mail[] = []
  /** The claim is gone, given back or lost: nothing more may be written. */
  over = false
  /** The engine stops: begin nothing new. */
  draining = false
  /** Who traces the work of this claim, if anybody does. */
  segment?: Segment
  /** How this claim ended, where it was not lost. */
  outcome?: SegmentEnd['outcome']
  /** Why the run failed, where it did. */
  failure?: Code
  /** There are events that nothing else remembers. */
  hasEffects = false
  /** Of a child: the last line of its root's log that was looked at. At first none: then the store looks into the mailbox. */
  rootSeq = Number.MAX_SAFE_INTEGER

  private readonly parent: ParentCall | undefined
  private readonly store: Store
  private readonly abort = new AbortController()
  private events: NewEvent[] = []
  private opening: OpenedAskWrite[] = []
  private consumed: number[] = []
  private readonly absorbed = new Set<number>()
  private writing: Promise<unknown> = Promise.resolve()
  private change = Promise.withResolvers<void>()
  private readonly ending = Promise.withResolvers<void>()

  constructor(parts: EngineParts, claim: Claim, equipment: Equipment, log: RunEvent[]) {
    this.parts = parts
    this.store = parts.store
    this.held = { run: claim.run, fence: claim.fence }
    this.equipment = equipment
    const { id, agent, trigger, starter, parent } = claim.row
    this.parent = parent
    this.facts = { run: id, agent, trigger, starter, depth: parent?.depth ?? 0 }
    this.state = fold(emptyState(), log)
    this.noteMail(claim.mail)
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** Resolves when nothing more can be written: who works on it is not waited for any longer. */
  get whenOver(): Promise<void> {
    return this.ending.promise
  }

  /** The run that people know this one by. */
  get root(): string {
    return this.parent?.root ?? this.held.run
  }

  /** Adds an event that records an effect: it is stored before anything depends on it. */
  add<T extends EventType>(type: T, data: EventData[T]): void {
    this.hasEffects = true
    this.addKnown(type, data)
  }

  /** Adds an event that follows from what the store has: if it is lost, it is made again. */
  addKnown<T extends EventType>(type: T, data: EventData[T]): void {
    const event = newEvent(this.state.seq + 1, type, data)
    fold(this.state, [event])
    this.events.push(event)
  }

  /** Opens an ask with the next write. A child's is shown on the root, under the steps that lead there. */
  open(ask: OpenedAsk): void {
    this.add('ask.opened', ask)
    const { parent } = this
    if (!parent) this.opening.push(ask)
    else {
      const path = [...parent.path, this.facts.agent]
      const step: Step = `${parent.stepPath}/${ask.step}`
      this.opening.push({ ...ask, root: { run: parent.root, step, path, seq: this.rootSeq } })
    }
  }

  /** There are asks that open with the next write. */
  get opensAsks(): boolean {
    return this.opening.length > 0
  }

  /** Where a run that does the work of a call stands, but for its depth. */
  placeOf(call: CallState): Omit<ParentCall, 'depth'> {
    const { run, agent } = this.facts
    const { parent } = this
    const step = `tool ${call.turn}.${call.m}`
    const { tokensOut } = this.limits
    return {
      run,
      effect: call.effect,
      root: this.root,
      path: [...(parent?.path ?? []), agent],
      stepPath: parent ? `${parent.stepPath}/${step}` : step,
      ...(tokensOut === undefined ? {} : { tokensOut: Math.max(tokensOut - this.state.usage.outputTokens, 0) }),
    }
  }

  /** The agent's limits; a child spends no more than its parent had left. */
  get limits(): CheckedLimits {
    const { limits } = this.equipment.agent
    const left = this.parent?.tokensOut
    return left === undefined ? limits : { ...limits, tokensOut: Math.min(left, limits.tokensOut ?? left) }
  }

  /** Takes a mail into the log with the next write. */
  consume(mail: Mail): void {
    this.absorbed.add(mail.id)
    this.consumed.push(mail.id)
    this.mail = this.mail.filter((each) => each.id !== mail.id)
  }

  /** Resolves at the next change: a call returned, mail came, the claim was lost. Take it before looking. */
  nextChange(): Promise<void> {
    return this.change.promise
  }

  changed(): void {
    this.change.resolve()
    this.change = Promise.withResolvers()
  }

  /** Stores what was added. False where the claim is lost: then stop. Writes go one after another. */
  flush(): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.over) return false
      if (this.events.length === 0 && this.consumed.length === 0) return true
      return this.note(await this.store.append(this.held, this.take()))
    })
  }

  /** Stores what was added and gives the claim back until something comes into the mailbox. */
  park(): Promise<void> {
    return this.inTurn(async () => {
      if (this.over) return
      const parked = await this.parkNow()
      this.outcome = parked.case
      this.end()
      if (parked.case === 'ready') this.parts.dispatcher.hint()
    })
  }

  /** Adds events that were folded already: those that close the log. */
  addClosing(events: NewEvent[]): void {
    this.hasEffects = true
    this.events.push(...events)
  }

  /** Stores what was added, the end among it, and ends the run. */
  close(end: RunEnd): Promise<void> {
    return this.inTurn(async () => {
      if (this.over) return
      const finished = await this.store.finishRun(this.held, this.take(), end)
      // An answer came in the last moment: whoever claims the run next reads it, and decides again.
      if (finished.case === 'mail') await this.store.giveBack(this.held)
      this.outcome = finished.case === 'ok' ? end.status : finished.case === 'mail' ? 'ready' : 'lost'
      this.failure = end.error?.code
      this.end()
      if (finished.case === 'mail' || (finished.case === 'ok' && finished.readied)) this.parts.dispatcher.hint()
      // Its worker may be here, busy with another call.
      if (this.parent) this.parts.dispatcher.mailed(this.parent.run)
    })
  }

  /** Gives the claim back as it is, for another worker. */
  async giveBack(): Promise<void> {
    if (!(await this.flush())) return
    await this.inTurn(async () => {
      if (this.over) return
      const given = await this.store.giveBack(this.held)
      this.outcome = given.case === 'ok' ? 'ready' : 'lost'
      this.end()
      this.parts.dispatcher.hint()
    })
  }

  /** Prolongs the lease and looks into the mailbox. */
  async renew(leaseMs: number): Promise<void> {
    if (this.over) return
    const kept = await this.store.renewClaim(this.held, leaseMs)
    if (!this.over) this.note(kept)
  }

  /** Stops all work at once and writes nothing more. */
  end(): void {
    this.parts.live.forget(this.held.run)
    if (this.over) return
    this.over = true
    this.ending.resolve()
    this.abort.abort(ended)
    this.changed()
  }

  /** Ends all waits for models and tools, keeping the claim. */
  interrupt(reason: string): void {
    this.abort.abort(new Error(reason))
    this.changed()
  }

  /** Live text, for those who watch in this process. */
  emit(event: ViewEvent): void {
    this.parts.live.emit(this.held.run, event, this.state.seq)
  }

  private parkNow(): ReturnType<Store['parkRun']> {
    const { segment } = this
    if (!segment) return this.store.parkRun(this.held, this.take())
    const openAsks = [...this.state.asks.values()].filter((ask) => !ask.end).length
    return segment.park({ openAsks }, () => this.store.parkRun(this.held, this.take()))
  }

  private note(kept: Kept | Lost): boolean {
    if (kept.case === 'lost') {
      this.end()
      return false
    }
    this.noteMail(kept.mail)
    return true
  }

  private noteMail(mail: Mail[]): void {
    this.mail = mail.filter((each) => !this.absorbed.has(each.id))
    if (this.mail.length > 0) this.changed()
  }

  private take(): Write {
    const write: Write = { events: this.events, usage: { ...this.state.usage }, repeat: this.state.repeat }
    if (this.opening.length > 0) write.open = this.opening
    if (this.consumed.length > 0) write.consumed = this.consumed
    this.events = []
    this.opening = []
    this.consumed = []
    this.hasEffects = false
    return write
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.writing.then(async () => {
      const hasDeadlines = this.opening.some((ask) => ask.waitMs !== undefined)
      const result = await work()
      if (hasDeadlines) this.parts.dispatcher.deadlinesChanged()
      return result
    })
    // A failed write ends its own caller, not those behind it: they meet the lost claim themselves.
    this.writing = done.catch(() => undefined)
    return done
  }
}
