import { soon } from '../core/ambient.ts'
import { QuerentError } from '../core/error.ts'
import type { AskState, CallState } from '../core/fold.ts'
import { canonical, type Json } from '../core/json.ts'
import type { InnerAnswer, InnerQuestion, Park, ToolOutcome } from '../core/tool.ts'
import { messageBefore, openAsk, openWithinLimits, refusalOfAsk } from './open-ask.ts'
import type { RunSession } from './session.ts'

/**
 * The asks of one run of a tool. The first `ask` without an answer ends the work: what is asked in the same tick is
 * opened together, then the work is abandoned, and the tool runs again from the top once all is answered. Where it may
 * not be asked (a guard refused it, the person wrote before) the call ends, and its result says so. Nothing is thrown
 * either way: the tool could catch it, and act as if it had been answered.
 */
export class InnerAsks {
  /** Nothing that the tool does from here on counts. */
  isAbandoned = false
  /** Resolves when the work ends at an ask: with nothing where it is open, with the outcome where the call ends there. */
  readonly abandoned: Promise<ToolOutcome | undefined>
  private readonly session: RunSession
  private readonly call: CallState
  private readonly abandon: (outcome: ToolOutcome | undefined) => void
  private readonly wanted = new Map<string, Park>()

  constructor(session: RunSession, call: CallState) {
    this.session = session
    this.call = call
    const { promise, resolve } = Promise.withResolvers<ToolOutcome | undefined>()
    this.abandoned = promise
    this.abandon = resolve
  }

  ask(question: InnerQuestion): Promise<InnerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.isAbandoned) return
      try {
        const park = this.parkOf(question)
        const { key } = question
        const known = this.call.asks.find((ask) => ask.key === key)
        const asked = known ?? this.wanted.get(key)?.ask
        if (asked) refuseOther(key, asked.input, park)
        if (known?.end) return resolve(answerOf(known))
        this.want(key, park)
      } catch (error) {
        reject(error)
      }
    })
  }

  private parkOf(question: InnerQuestion): Park {
    const { equipment } = this.session
    const tool = equipment.tools.get(this.call.tool)
    if (!tool?.retrySafe && !tool?.replays) {
      throw new QuerentError(
        'T1010',
        `Tool "${this.call.tool}" calls ctx.ask, after which it runs again from the top. Define it with retrySafe: true or ` +
          'replays: true, and keep effects that must not repeat in ctx.once.',
      )
    }
    if (typeof question?.key !== 'string' || question.key === '')
      throw new QuerentError('T1002', 'ctx.ask needs a key: a text that names this ask within its call.')
    for (const extension of equipment.extensions) {
      const outcome = extension.askInTool?.(question, equipment.agent)
      if (outcome?.type === 'failure')
        throw new QuerentError('T1002', `ctx.ask("${question.key}") cannot be asked: ${outcome.message}`)
      if (outcome) return outcome
    }
    throw new QuerentError('T1010', 'ctx.ask needs an extension that can ask; none is installed.')
  }

  private want(key: string, park: Park): void {
    // Known already, it is open, and the work ends here all the same.
    if (this.wanted.size === 0) soon(() => void this.openWanted())
    this.wanted.set(key, park)
  }

  private async openWanted(): Promise<void> {
    const { session, call } = this
    const wanted = [...this.wanted].filter(([key]) => !call.asks.some((ask) => ask.key === key))
    // The tool ended without waiting for what it asked: nobody would be left to hear the answer.
    if (this.isAbandoned) return
    const refusals = await Promise.all(wanted.map(([, park]) => refusalOfAsk(session, call, park)))
    if (this.isAbandoned) return
    // Guards take their time, and the worker goes on meanwhile: a message may have come into the log.
    const refused =
      refusals.find((refusal) => refusal !== undefined) ?? messageBefore(session.state, session.parts.texts)
    if (refused) return this.leave({ type: 'result', result: refused })
    if (!session.over) {
      await openWithinLimits(session, wanted.length, () => {
        for (const [key, park] of wanted) openAsk(session, call, park, { key })
      })
    }
    this.leave()
  }

  private leave(outcome?: ToolOutcome): void {
    this.isAbandoned = true
    this.abandon(outcome)
  }
}

function refuseOther(key: string, asked: Json, park: Park): void {
  if (canonical(asked) === canonical(park.ask.input)) return
  throw new QuerentError(
    'T1002',
    `ctx.ask("${key}") asks something else than it did before under this key. Use another key for another question.`,
  )
}

function answerOf(ask: AskState): InnerAnswer {
  const { end, rule } = ask
  if (end?.outcome === 'approved') return { status: 'answered', data: end.data as Json }
  if (end?.outcome === 'refused')
    return end.reason === undefined ? { status: 'refused' } : { status: 'refused', reason: end.reason }
  if (typeof rule.onExpire === 'object') return { status: 'answered', data: rule.onExpire.answer }
  return { status: 'expired' }
}
