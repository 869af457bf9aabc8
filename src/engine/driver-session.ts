import type { AgentFacts, RunFacts } from '../core/agent-facts.ts'
import type { Code } from '../core/error.ts'
import type { RunEvent } from '../core/event.ts'
import type { CallState } from '../core/fold.ts'
import type { Json } from '../core/json.ts'
import type { ModelReply, UserInput } from '../core/model.ts'
import { stepOfCalls } from '../core/next-step.ts'
import type { Parked, Session, Settled } from '../core/session.ts'
import type { Park, ToolResult } from '../core/tool.ts'
import { absorb } from './absorb.ts'
import { addReply } from './call-model.ts'
import { interruptCalls, startCalls } from './call-tool.ts'
import { failRun, finishWith } from './end-run.ts'
import { admitAsks, openAsk, refusalOfAsk } from './open-ask.ts'
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
  private readonly session: RunSession
  /** Replies of this drive, and calls since the last. */
  private turn = 0
  private m = 0
  private active = 0
  private waiting = 0

  constructor(session: RunSession, log: readonly RunEvent[]) {
    this.session = session
    this.agent = session.equipment.agent
    this.run = session.facts
    this.log = log
    this.signal = session.signal
    if (session.mail.length > 0) absorb(session)
    this.round = session.state.repeat
  }

  input(): UserInput[] {
    const { state } = this.session
    const all = [...state.items, ...state.queue].filter((item) => item.type === 'user')
    const given = Number(state.driver.get(givenKey) ?? 0)
    if (all.length > given) this.session.addKnown('driver.kept', { key: givenKey, value: all.length })
    return all.slice(given).map((item) => item.content)
  }

  async keep<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const { session } = this
    if (session.state.driver.has(key)) return session.state.driver.get(key) as T
    const value = await fn()
    session.add('driver.kept', { key, value })
    return (await session.flush()) ? value : never()
  }

  async reply(reply: ModelReply): Promise<void> {
    this.turn++
    this.m = 0
    if (this.session.state.turns >= this.turn) return
    await addReply(this.session, this.turn, reply)
    if (!(await this.session.flush())) await never()
  }

  async tool({ tool, input }: { tool: string; input: Json }): Promise<ToolResult | Parked> {
    const effect = this.nextEffect()
    const unplanned = this.newCall(effect, { tool, input })
    const call = () => this.session.state.calls.get(effect) ?? unplanned
    await this.until(
      () => call().result !== undefined,
      (change) => this.advance(call(), change),
    )
    return call().result ?? parked
  }

  async ask(park: Park): Promise<Settled | Parked> {
    const { session } = this
    const effect = this.nextEffect()
    const known = session.state.calls.get(effect)
    const call = known ?? this.newCall(effect, park.ask)
    if (!known) {
      const refusal = await refusalOfAsk(session, call, park)
      if (refusal !== undefined) return { status: 'settled', end: { outcome: 'refused', reason: refusal } }
      if (!(await admitAsks(session, 1))) return never()
      openAsk(session, call, park, { prefix: 'question' })
    }
    const ask = [...session.state.asks.values()].find((each) => each.effect === effect)
    if (!ask) return parked
    await this.until(() => ask.end !== undefined)
    return ask.end ? { status: 'settled', end: ask.end } : parked
  }

  finish(output: Json): Promise<void> {
    return typeof output === 'string' ? finishWith(this.session, output) : finishWith(this.session, '', output)
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

  /** Does what is next for a call. False: it waits for a person. */
  private async advance(call: CallState, change: Promise<void>): Promise<boolean> {
    const { session } = this
    const step = stepOfCalls([call], situationOf(session))
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
        if (session.mail.length > 0) absorb(session)
        else if (session.over || session.signal.aborted) return await never()
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
      if (session.mail.length > 0) return true
      if (this.waiting === this.active) {
        session.changed()
        return false
      }
      await change
      return this.active > this.waiting || session.mail.length > 0
    } finally {
      this.waiting--
    }
  }
}
