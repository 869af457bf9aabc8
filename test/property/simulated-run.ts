import type { OnExpire, OpenedAsk, Outcome, Settlement } from '../../src/core/ask.ts'
import { closeLog } from '../../src/core/close.ts'
import { type EventData, type EventType, type NewEvent, newEvent, type RunEvent } from '../../src/core/event.ts'
import { type CallState, emptyState, fold, type RunState } from '../../src/core/fold.ts'
import type { Json } from '../../src/core/json.ts'
import type { Situation } from '../../src/core/next-step.ts'
import { defaultTexts } from '../../src/core/texts.ts'
import { resolve, type ToolKind, traitsOf } from './simulated-calls.ts'
import type { Tape } from './tape.ts'

type Mail = { kind: 'settled'; settlement: Settlement } | { kind: 'message'; content: string }

/** What is agreed for one simulated run. */
export interface Terms {
  steps: number
  onExpire: OnExpire
  deliver: 'result' | 'message'
}

/**
 * A run in memory: its stored log, its ask rows and its mailbox, and what a worker holds of it that a crash takes away.
 * Transitions as the store has them, in so few words that a look shows them right.
 */
export class SimulatedRun {
  readonly id = 'run_1'
  readonly terms: Terms
  readonly log: RunEvent[] = []
  readonly story: string[] = []
  readonly open = new Map<string, OpenedAsk>()
  mailbox: Mail[] = []
  over = false

  // What a crash takes away.
  state: RunState = emptyState()
  planned = new Set<string>()
  running = new Set<string>()
  hasEffects = false
  private pending: NewEvent[] = []
  private taken: Mail[] = []

  private readonly tape: Tape
  private marks = 0
  /** Tools that the code of today does not have any more. */
  private readonly removed = new Set<ToolKind>()

  constructor(tape: Tape) {
    this.tape = tape
    this.terms = {
      steps: 1 + tape.pick(6),
      onExpire: tape.oneOf<OnExpire>(['refuse', 'tell', { answer: 'M' }, 'fail']),
      deliver: tape.oneOf(['result', 'message'] as const),
    }
    this.add('run.started', {
      agent: 'asker',
      fingerprint: 'f',
      trigger: 'chat',
      starter: { type: 'person', id: 'ann' },
      input: 'Hello',
    })
    this.flush()
  }

  readonly nextMark = (): number => ++this.marks

  get situation(): Situation {
    return {
      mailed: this.mailbox.length > 0,
      running: this.running,
      planned: this.planned,
      traits: (call) => this.traits(call),
      limits: { steps: this.terms.steps },
    }
  }

  traits(call: CallState) {
    const kind = call.tool as ToolKind
    return this.removed.has(kind) ? { retrySafe: false, replays: false } : traitsOf[kind]
  }

  tell(line: string): void {
    this.story.push(`${this.state.seq} ${line}`)
  }

  /** Adds an event that only says what the store knows already. */
  addKnown<T extends EventType>(type: T, data: EventData[T]): void {
    const event = newEvent(this.state.seq + 1, type, data)
    this.tell(`${type} ${JSON.stringify(data).slice(0, 120)}`)
    fold(this.state, [event])
    this.pending.push(event)
  }

  /** Adds an event that must be stored before anything depends on it. */
  add<T extends EventType>(type: T, data: EventData[T]): void {
    this.hasEffects = true
    this.addKnown(type, data)
  }

  returned(call: CallState, type: 'text' | 'error', value: string): void {
    this.add('tool.returned', { effect: call.effect, result: { type, value } })
  }

  absorb(): void {
    for (const mail of this.mailbox.splice(0)) {
      this.taken.push(mail)
      if (mail.kind === 'settled') this.addKnown('ask.settled', mail.settlement)
      else this.add('message.added', { from: 'person', content: mail.content })
    }
  }

  /** The transaction of a write. An ask that opens behind a message is withdrawn at once. */
  flush(): void {
    const messageBefore = this.mailbox.some((mail) => mail.kind === 'message')
    for (const event of this.pending) {
      this.log.push({ ...event, run: this.id, at: new Date(event.seq * 1000).toISOString() })
      if (event.type !== 'ask.opened' || this.state.asks.get(event.data.id)?.end) continue
      this.open.set(event.data.id, event.data)
      if (messageBefore) this.withdraw('messageBefore', event.data.id)
    }
    this.pending = []
    this.taken = []
    this.hasEffects = false
  }

  /** The claim is gone: what was not stored is as if it had not been. */
  drop(): void {
    this.mailbox.unshift(...this.taken)
    this.taken = []
    this.pending = []
    this.hasEffects = false
    this.planned = new Set()
    this.running = new Set()
    this.state = fold(emptyState(), this.log)
  }

  crash(): void {
    this.tell('-- crash')
    this.drop()
  }

  /** A deploy without one of the tools. */
  deploy(): void {
    this.crash()
    this.removed.add(this.tape.oneOf(['read', 'form', 'lookup'] as const))
    this.tell(`-- deploy without ${[...this.removed]}`)
  }

  finish(): void {
    if (this.mailbox.some((mail) => mail.kind === 'settled')) {
      this.drop()
    } else {
      this.flush()
      this.end()
    }
  }

  fail(failed: EventData['run.failed']): void {
    this.flush()
    for (const mail of this.mailbox.filter((each) => each.kind === 'settled')) {
      this.taken.push(mail)
      this.mailbox = this.mailbox.filter((each) => each !== mail)
      this.addKnown('ask.settled', mail.settlement)
    }
    this.close({ because: 'end', failed })
  }

  stop(): void {
    this.drop()
    const settled = this.mailbox.filter((mail) => mail.kind === 'settled')
    this.mailbox = []
    for (const { settlement } of settled) this.addKnown('ask.settled', settlement)
    this.close({ because: 'stop', by: { type: 'person', id: 'ann' } })
  }

  private close(ending: Parameters<typeof closeLog>[1]): void {
    this.tell(`-- close: ${ending.because}`)
    this.pending.push(...closeLog(this.state, ending, { texts: defaultTexts, resolve }))
    this.flush()
    this.end()
  }

  private end(): void {
    this.open.clear()
    this.planned = new Set()
    this.running = new Set()
    this.over = this.mailbox.length === 0
  }

  settle(ask: OpenedAsk, outcome: Exclude<Outcome, 'withdrawn'>): void {
    this.open.delete(ask.id)
    const by = outcome === 'expired' ? ({ type: 'clock' } as const) : ({ type: 'person', id: 'ann' } as const)
    const data: Json = ask.kind === 'approval' ? null : `answer-${this.nextMark()}`
    const settlement: Settlement = { ask: ask.id, outcome, by, ...(outcome === 'approved' ? { data } : {}) }
    this.mailbox.push({ kind: 'settled', settlement })
    this.tell(`-- ${outcome} ${ask.id}`)
  }

  say(): void {
    for (const id of this.open.keys()) this.withdraw('message', id)
    this.mailbox.push({ kind: 'message', content: `message-${this.nextMark()}` })
    this.over = false
    this.tell('-- say')
  }

  private withdraw(because: 'message' | 'messageBefore', ask: string): void {
    this.open.delete(ask)
    const settlement: Settlement = { ask, outcome: 'withdrawn', by: { type: 'run' }, because }
    this.mailbox.push({ kind: 'settled', settlement })
  }
}
