import type { AgentFacts, RunFacts } from '../core/agent-facts.ts'
import type { SettledAsk } from '../core/ask.ts'
import { endResult } from '../core/end-result.ts'
import { type Code, QuerentError } from '../core/error.ts'
import type { RunEvent } from '../core/event.ts'
import type { AskState, CallState, RunState, UserItem } from '../core/fold.ts'
import type { Json } from '../core/json.ts'
import type { ModelReply, UserInput } from '../core/model.ts'
import { stepOfCalls } from '../core/next-step.ts'
import type { Parked, Session, Settled, Shown } from '../core/session.ts'
import { type Park, resultOf, type ToolResult } from '../core/tool.ts'
import { absorbMail, isMessage } from './absorb.ts'
import { tokensIn, usageOf } from './call-model.ts'
import { interruptCalls, startCalls } from './call-tool.ts'
import { readOutput } from './check-output.ts'
import { failRun, finishWith } from './end-run.ts'
import { refusalOf } from './guard.ts'
import { openAsk, openWithinLimits, refusalOfAsk } from './open-ask.ts'
import { planCalls } from './plan-calls.ts'
import { resolveAsks } from './resolve-asks.ts'
import { situationOf } from './run-turns.ts'
import type { RunSession } from './session.ts'
import { never } from './tool-context.ts'

const parked: Parked = { status: 'parked' }
/** Under this key the log has how many messages the driver was given. */
const givenKey = 'querent:given'

/** The session that a driver of one's own is given: the same claim, log and rules as the built-in loop has. */
export class DriverSession implements Session {
  readonly agent: AgentFacts
  readonly run: RunFacts
  readonly round: number
  readonly log: readonly RunEvent[]
  readonly signal: AbortSignal
  /** Resolves when the driver is waited for no more: it may hang in a call of its session for ever, or in its own. */
  readonly abandoned: Promise<void>
  private readonly abandon: () => void
  private readonly session: RunSession
  /** Replies of this drive, and calls since the last. */
  private turn = 0
  private m = 0
  private active = 0
  private waiting = 0
  private readonly keeping = new Map<string, Promise<Json>>()
  /** Asks open one after another, in the order they were made: limits count each, and what waits is written at once. */
  private opening: Promise<unknown> = Promise.resolve()

  constructor(session: RunSession, log: readonly RunEvent[]) {
    this.session = session
    this.agent = session.equipment.agent
    this.run = session.facts
    this.log = log
    this.signal = session.signal
    const { promise, resolve } = Promise.withResolvers<void>()
    this.abandoned = promise
    this.abandon = resolve
    if (this.signal.aborted) resolve()
    this.signal.addEventListener('abort', () => resolve(), { once: true })
    absorbAnswers(session)
    this.round = session.state.repeat
  }

  get hasMessage(): boolean {
    return this.session.mail.some(isMessage)
  }

  input(): UserInput[] {
    const { state } = this.session
    const all = [...state.items, ...state.queue].filter(isFromPeople)
    const given = Number(state.driver.get(givenKey) ?? 0)
    if (all.length > given) this.session.addKnown('driver.kept', { key: givenKey, value: all.length })
    return all.slice(given).map((item) => item.content)
  }

  async keep<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const { driver } = this.session.state
    if (driver.has(key)) return driver.get(key) as T
    const under = this.keeping.get(key) ?? this.keepNew(key, fn).finally(() => this.keeping.delete(key))
    this.keeping.set(key, under)
    return under as Promise<T>
  }

  async reply(reply: ModelReply): Promise<Shown> {
    this.turn++
    this.m = 0
    if (this.session.state.turns < this.turn) {
      await this.addReply(reply)
      if (!(await this.session.flush())) await this.leave()
    }
    return shownOf(this.session.state, this.turn)
  }

  async tool({ tool, input }: { tool: string; input: Json }): Promise<ToolResult | Parked> {
    const effect = this.nextEffect()
    const unplanned = this.newCall(effect, { tool, input })
    const call = () => this.session.state.calls.get(effect) ?? unplanned
    // A driver has answers as results, also where the built-in loop would bring them as a message.
    const owed = () => call().asks.find((ask) => ask.waiting !== undefined)
    await this.until(
      () => call().result !== undefined && (owed() === undefined || owed()?.end !== undefined),
      (change) => this.advance(call(), change),
    )
    const ask = owed()
    if (!ask) return call().result ?? parked
    return isEnded(ask) ? ((await this.endOf(ask)).told ?? parked) : parked
  }

  async ask(park: Park, { step = 'question' }: { step?: 'question' | 'tool' } = {}): Promise<Settled | Parked> {
    const { session } = this
    const effect = this.nextEffect()
    const call = session.state.calls.get(effect) ?? this.newCall(effect, park.ask)
    this.opening = this.opening.then(() => this.openOnce(call, park, step))
    await this.opening
    // Those made in the same tick have joined the queue by now, and open with the same write.
    await this.opening
    const known = session.state.calls.get(effect)
    const ask = known?.asks.at(-1)
    if (!ask) {
      const told = known?.result ?? { type: 'error', value: '' }
      return { status: 'settled', end: { outcome: 'refused', reason: String(told.value) }, told }
    }
    await this.until(() => ask.end !== undefined)
    return isEnded(ask) ? this.endOf(ask) : parked
  }

  async finish(output: Json): Promise<void> {
    const { session } = this
    if (this.hasMessage) return
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    const refused = await this.refusalOfText(text)
    if (refused !== undefined) return failRun(session, 'T2006', 'A guard refused what the run ended with.')
    const read = await readOutput(session.equipment.agent, text)
    if (!read.ok) return failRun(session, 'T2007', `What the run ended with does not fit: ${read.problems}`)
    if (typeof output === 'string') return finishWith(session, output, read.output)
    return finishWith(session, '', read.output ?? output)
  }

  fail({ code, message }: { code: Code; message: string }): Promise<void> {
    return failRun(this.session, code, message)
  }

  private nextEffect(): string {
    this.m++
    return `${this.run.run}.${this.round}.${Math.max(this.turn, 1)}.${this.m}`
  }

  private newCall(effect: string, { tool, input }: { tool: string; input: Json }): CallState {
    const place = { effect, repeat: this.round, turn: Math.max(this.turn, 1), m: this.m, id: '' }
    return { ...place, tool, input, started: false, asks: [], kept: new Map() }
  }

  private async keepNew<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T> {
    await this.mayBegin()
    const value = await fn()
    const text = JSON.stringify(value)
    if (text === undefined) {
      throw new QuerentError('T1002', `session.keep("${key}") got ${typeof value}, which cannot be kept. Return JSON.`)
    }
    // As a later drive will have it: a date or a hole that the log does not carry must not be seen this once.
    const kept = JSON.parse(text) as T
    this.session.add('driver.kept', { key, value: kept })
    return (await this.session.flush()) ? kept : this.leave()
  }

  private async addReply({ messages, text, calls, usage, finish }: ModelReply): Promise<void> {
    const { session, turn } = this
    const { state, equipment, parts } = session
    const reason = await this.refusalOfText(text)
    session.add('model.replied', {
      turn,
      messages,
      text,
      calls: calls.map((call, index) => ({ ...call, effect: `${this.run.run}.${this.round}.${turn}.${index + 1}` })),
      // The prompt of a foreign loop is not known here: what it does not report of it counts as nothing.
      usage: usageOf(usage, { input: () => 0, output: () => tokensIn([text]) }),
      finish,
      ...(equipment.fingerprint === state.fingerprint ? {} : { fingerprint: equipment.fingerprint }),
      ...(reason === undefined
        ? {}
        : { refused: { reason: `A guard refused the text: ${reason}`, notice: parts.texts.notShown(reason) } }),
    })
    if (reason === undefined || calls.length > 0 || turn < session.limits.steps) return
    // The person sees why a run failed; a guard's reason may quote what it refused.
    const message = `A guard refused the text of model ${turn}, and no model call is left in this round for another.`
    await failRun(session, 'T2006', message)
  }

  private async refusalOfText(text: string): Promise<string | undefined> {
    if (text === '') return undefined
    const context = { run: this.run.run, direction: 'out', kind: 'text' } as const
    return refusalOf(this.session.equipment.agent, text, context)
  }

  /** Opens an ask, or says in the log why nobody sees it: a second drive must not judge anew. */
  private async openOnce(call: CallState, park: Park, step: 'question' | 'tool'): Promise<void> {
    const { session } = this
    if (call.asks.length > 0 || call.result) return
    await this.mayBegin()
    const refusal = await refusalOfAsk(session, call, park)
    if (!refusal) {
      const isOpen = await openWithinLimits(session, 1, () => openAsk(session, call, park, { prefix: step }))
      if (!isOpen) await this.leave()
      return
    }
    const { effect, tool, input } = call
    const place = { step: `${step} ${call.turn}.${call.m}`, tool, input }
    if (!session.state.calls.has(effect)) session.add('approval.decided', { effect, needed: false, call: place })
    session.add('tool.returned', { effect, result: refusal })
  }

  private async endOf(ask: SettledAsk): Promise<Settled> {
    const { session } = this
    const { end, rule, effect } = ask
    if (end.outcome === 'expired' && rule.onExpire === 'fail') {
      await failRun(session, 'T2004', `Nobody answered ${ask.step} in time.`)
      return this.leave()
    }
    const told = this.toldOf(ask)
    if (!told) return { status: 'settled', end }
    // So that a log that is closed later does not say that the call never came to anything.
    if (!session.state.calls.get(effect)?.result) session.addKnown('tool.returned', { effect, result: told })
    return { status: 'settled', end, told }
  }

  private toldOf(ask: SettledAsk): ToolResult | undefined {
    const { registry, texts } = this.session.parts
    const kind = registry.kind(this.session.equipment.agent, ask.kind)
    const told = kind?.resolve(ask, texts)
    if (told) return told === 'run the call' ? undefined : told
    if (ask.end.outcome === 'approved') return resultOf(ask.end.data)
    return endResult(ask, texts, { defaultAnswer: true })
  }

  /** Nothing new begins while the engine stops: what runs comes to its end, then another worker goes on from there. */
  private async mayBegin(): Promise<void> {
    const { session } = this
    while (session.draining && session.running.size > 0) await session.nextChange()
    if (session.draining || session.over) await this.leave()
  }

  private leave(): Promise<never> {
    this.abandon()
    return never()
  }

  /** Does what is next for a call. False: it waits for a person. */
  private async advance(call: CallState, change: Promise<void>): Promise<boolean> {
    const { session } = this
    const step = stepOfCalls([call], situationOf(session))
    if (step?.do === 'plan' || step?.do === 'start') await this.mayBegin()
    if (step?.do === 'plan') await planCalls(session, step.calls)
    else if (step?.do === 'resolve') resolveAsks(session, step.asks)
    else if (step?.do === 'start') await startCalls(session, step.calls)
    else if (step?.do === 'interrupt') interruptCalls(session, step.calls)
    else if (step?.do === 'fail') await failRun(session, step.code, step.message)
    else if (step?.do === 'wait') await change
    else return false
    return true
  }

  /** Works and waits until `done`. Gives false when all that is under way in this session waits for people. */
  private async until(done: () => boolean, work?: (change: Promise<void>) => Promise<boolean>): Promise<boolean> {
    const { session } = this
    this.active++
    try {
      while (!done()) {
        const change = session.nextChange()
        if (hasAnswers(session)) absorbAnswers(session)
        else if (session.over || session.signal.aborted) return await this.leave()
        else if (done() || (await work?.(change))) continue
        else if (!(await this.waitForPeople(change))) return false
      }
      if (session.hasEffects) await session.flush()
      return true
    } finally {
      this.active--
      session.changed()
    }
  }

  /** False where every call under way waits, so that the driver may return and the run park. */
  private async waitForPeople(change: Promise<void>): Promise<boolean> {
    const { session } = this
    this.waiting++
    try {
      // A person need not wait for what else is under way.
      if (session.hasEffects) await session.flush()
      if (hasAnswers(session)) return true
      if (this.waiting === this.active) {
        session.changed()
        return false
      }
      await change
      return this.active > this.waiting || hasAnswers(session)
    } finally {
      this.waiting--
    }
  }
}

function hasAnswers(session: RunSession): boolean {
  return session.mail.some((mail) => !isMessage(mail))
}

/** Messages stay in the mailbox while a driver works, or its round would change under it. */
function absorbAnswers(session: RunSession): void {
  for (const mail of session.mail) if (!isMessage(mail)) absorbMail(session, mail)
}

function isFromPeople(item: RunState['items'][number] | RunState['queue'][number]): item is UserItem {
  return item.type === 'user' && (item.from === 'person' || item.from === 'system')
}

function isEnded(ask: AskState): ask is SettledAsk {
  return ask.end !== undefined
}

/** What became of the reply of a turn in this round: the notice of one that was refused stands right after it. */
function shownOf({ items, repeat }: RunState, turn: number): Shown {
  const index = items.findLastIndex((item) => item.type === 'turn' && item.repeat === repeat && item.turn === turn)
  const next = items[index + 1]
  return next?.type === 'user' && next.from === 'notice' ? { notShown: String(next.content) } : {}
}
