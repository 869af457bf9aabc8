import { answersOf } from '../../src/core/answers.ts'
import type { OpenedAsk, SettledAsk } from '../../src/core/ask.ts'
import type { CallState, TurnState } from '../../src/core/fold.ts'
import { type NextStep, nextStep, noCallLeft } from '../../src/core/next-step.ts'
import { defaultTexts as texts } from '../../src/core/texts.ts'
import { askOf, isGuarded, replyOf, resolve } from './simulated-calls.ts'
import { SimulatedRun } from './simulated-run.ts'
import { type Tape, tellStory } from './tape.ts'

/** Called with the run as it is when a decision was made, before anything is done about it. */
export type Watch = (run: SimulatedRun, step: NextStep) => void

/** No history of a tape of some hundred choices is longer, unless it runs in a circle. */
const longestHistory = 5000

/**
 * Plays a run to its end over the pure core alone: the moves of an engine, which the decisions of `nextStep` choose, and
 * between them whatever people, crashes, deploys and slow tools do. The tape chooses among those.
 */
export function simulate(tape: Tape, watch: Watch): SimulatedRun {
  const run = new SimulatedRun(tape)
  const player = new Player(run, tape)
  try {
    for (let move = 0; move < longestHistory; move++) {
      if (run.over && (tape.ended || !tape.chance(2))) return run
      if (run.over) run.say()
      else if (!tape.ended && tape.chance(4)) player.outside()
      else player.step(watch)
    }
    throw new Error(`It did not end in ${longestHistory} moves.`)
  } catch (error) {
    throw tellStory(error, run.story)
  }
}

class Player {
  private readonly run: SimulatedRun
  private readonly tape: Tape

  constructor(run: SimulatedRun, tape: Tape) {
    this.run = run
    this.tape = tape
  }

  /** Something happens that no worker did. */
  outside(): void {
    const { run, tape } = this
    const what = tape.oneOf([
      'settle',
      'settle',
      'settle',
      'return',
      'return',
      'say',
      'crash',
      'deploy',
      'stop',
    ] as const)
    if (what === 'settle') this.settleOne()
    else if (what === 'return') this.returnOne()
    else run[what]()
  }

  step(watch: Watch): void {
    const { run } = this
    const step = nextStep(run.state, run.situation)
    watch(run, step)
    const before = this.progress()
    this.take(step)
    if (before === this.progress()) throw new Error(`"${step.do}" changed nothing: the loop runs in a circle.`)
  }

  private progress(): string {
    const { run } = this
    return [run.state.seq, run.log.length, [...run.planned], [...run.running], run.mailbox.length, run.over].join('|')
  }

  private take(step: NextStep): void {
    const { run } = this
    if (step.do === 'absorb') run.absorb()
    else if (step.do === 'plan') this.plan(step.calls)
    else if (step.do === 'resolve') for (const { call, ask } of step.asks) this.resolve(call, ask)
    else if (step.do === 'start') this.start(step.calls)
    else if (step.do === 'interrupt') for (const call of step.calls) run.returned(call, 'error', texts.interrupted)
    else if ((step.do === 'wait' || step.do === 'model') && run.hasEffects) run.flush()
    else if (step.do === 'wait') this.returnOne()
    else if (step.do === 'deliver') this.deliver(step.turn)
    else if (step.do === 'model') this.callModel(step.turn)
    else if (step.do === 'park') this.park()
    else if (step.do === 'finish') this.finish(step.turn.text)
    else run.fail({ code: step.code, message: step.message })
  }

  private finish(text: string): void {
    const { run, tape } = this
    run.add('run.finished', { text })
    if (tape.chance(6)) this.personActs()
    run.finish()
  }

  private park(): void {
    const { run } = this
    run.flush()
    run.drop()
    if (run.mailbox.length > 0) return
    if (run.open.size === 0) throw new Error('Parked, and nothing is open: nobody can wake it.')
    this.personActs()
  }

  private personActs(): void {
    const { run, tape } = this
    if (run.open.size === 0 || tape.chance(8)) run.say()
    else this.settleOne()
  }

  private settleOne(): void {
    const { run, tape } = this
    const asks = [...run.open.values()]
    if (asks.length > 0) run.settle(tape.oneOf(asks), tape.oneOf(['approved', 'refused', 'expired'] as const))
  }

  /** A running tool comes to its end, keeps a result, or asks. */
  private returnOne(): void {
    const { run, tape } = this
    const effects = [...run.running]
    if (effects.length === 0) return
    const call = run.state.calls.get(tape.oneOf(effects)) as CallState
    if (call.tool === 'form' && this.goOnWithForm(call)) return
    run.running.delete(call.effect)
    run.returned(call, tape.chance(4) ? 'error' : 'text', `RESULT-${run.nextMark()}`)
  }

  /** A form asks under the keys `a`, `b` and `c`, one or several at once, and keeps a result between. */
  private goOnWithForm(call: CallState): boolean {
    const { run, tape } = this
    if (tape.chance(3) && !call.kept.has('k')) {
      run.add('tool.kept', { effect: call.effect, key: 'k', value: `RESULT-${run.nextMark()}` })
      run.flush()
      return true
    }
    const keys = ['a', 'b', 'c'].filter((key) => !call.asks.some((ask) => ask.key === key)).slice(0, tape.pick(3))
    const mayAsk = !run.state.queue.some((item) => item.from !== 'notice')
    if (keys.length === 0 || !mayAsk) return false
    if (this.refuseMoreAsks()) return true
    for (const key of keys) this.open(call, { key, input: { question: `asked-${key}` } })
    run.running.delete(call.effect)
    return true
  }

  private start(calls: CallState[]): void {
    const { run } = this
    for (const call of calls) if (!call.started) run.add('tool.started', { effect: call.effect })
    run.flush()
    for (const call of calls) {
      run.planned.delete(call.effect)
      run.running.add(call.effect)
    }
  }

  private resolve(call: CallState, ask: SettledAsk): void {
    const { run } = this
    const result = resolve(ask)
    if (result === 'run the call') run.planned.add(call.effect)
    else run.addKnown('tool.returned', { effect: call.effect, result })
  }

  private deliver(turn: TurnState): void {
    this.run.addKnown('message.added', { from: 'answers', content: answersOf(turn, resolve) })
  }

  private callModel(turn: number): void {
    const { run, tape } = this
    if (tape.chance(40)) {
      run.fail({ code: 'T2005', message: 'The model failed.' })
      return
    }
    const { id, state, nextMark } = run
    const reply = replyOf(tape, { run: id, repeat: state.repeat, turn, nextMark })
    run.add('model.replied', reply)
    if (reply.refused && reply.calls.length === 0 && state.turns >= run.terms.steps)
      run.fail({ code: 'T2006', message: reply.refused.reason })
  }

  private plan(calls: CallState[]): void {
    const { run } = this
    const asking = calls.filter((call) => this.prepare(call))
    if (asking.length > 0 && this.refuseMoreAsks()) return
    for (const call of asking) this.open(call, {})
    const isHeld = (calls[0] as CallState).turn === run.state.turns && asking.some((call) => call.tool === 'question')
    for (const call of calls) {
      if (!isHeld || !run.planned.has(call.effect) || run.traits(call).retrySafe) continue
      run.planned.delete(call.effect)
      run.returned(call, 'error', texts.heldBack)
    }
  }

  /** Whether a call asks. Others may run, or are answered at once. */
  private prepare(call: CallState): boolean {
    const { run } = this
    if (call.invalid !== undefined || call.tool === 'gone') {
      run.returned(call, 'error', call.invalid ?? 'There is no such tool.')
      return false
    }
    if (call.tool === 'maybe') run.add('approval.decided', { effect: call.effect, needed: false })
    if (!['question', 'approve', 'lookup'].includes(call.tool)) {
      run.planned.add(call.effect)
      return false
    }
    if (call.tool !== 'question') run.add('approval.decided', { effect: call.effect, needed: true })
    return this.mayShow(call)
  }

  private mayShow(call: CallState): boolean {
    const { run } = this
    if (run.state.queue.some((item) => item.from !== 'notice')) {
      run.returned(call, 'error', texts.messageBefore)
      return false
    }
    if (!isGuarded(JSON.stringify(call.input))) return true
    run.add('guard.refused', { direction: 'out', kind: 'ask', reason: 'no', effect: call.effect })
    run.returned(call, 'error', texts.notShown('no'))
    return false
  }

  /** Nobody is asked where no model call is left to hear the answer. */
  private refuseMoreAsks(): boolean {
    const { run } = this
    const none = noCallLeft(run.state, { steps: run.terms.steps })
    if (none) run.fail(none)
    return none !== undefined
  }

  private open(call: CallState, more: Partial<OpenedAsk>): void {
    const { run } = this
    const { onExpire, deliver } = run.terms
    const waiting = deliver === 'message' && call.tool === 'question' ? { waiting: texts.waiting } : {}
    const rule = { onExpire, guarded: false }
    const ask = askOf(call, { id: `ask_${run.nextMark()}`, n: call.asks.length + 1, rule, ...waiting, ...more })
    run.add('ask.opened', ask)
    if (ask.waiting !== undefined) run.returned(call, 'text', ask.waiting)
  }
}
