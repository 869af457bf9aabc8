import { soon } from '../core/ambient.ts'
import { QuerentError } from '../core/error.ts'
import type { AskState, CallState } from '../core/fold.ts'
import { canonical, type Json } from '../core/json.ts'
import type { InnerAnswer, InnerQuestion, Park } from '../core/tool.ts'
import { admitAsks, openAsk, refusalOfAsk } from './open-ask.ts'
import type { RunSession } from './session.ts'

interface Wanted {
  park: Park
  key: string
  fail: (error: Error) => void
}

/**
 * The asks of one run of a tool. The first `ask` without an answer ends the work: what is asked in the same tick is
 * opened together, then the work is abandoned, and the tool runs again from the top once all is answered. Nothing is
 * thrown to suspend it, since the tool could catch that.
 */
export class InnerAsks {
  isAbandoned = false
  readonly abandoned: Promise<undefined>
  private readonly session: RunSession
  private readonly call: CallState
  private readonly abandon: (value: undefined) => void
  private wanted: Wanted[] = []
  private scheduled = false

  constructor(session: RunSession, call: CallState) {
    this.session = session
    this.call = call
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.abandoned = promise
    this.abandon = resolve
  }

  ask(question: InnerQuestion): Promise<InnerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.isAbandoned) return
      try {
        const park = this.parkOf(question)
        const known = this.call.asks.find((ask) => ask.key === question.key)
        if (known) this.refuseOther(known, park)
        if (known?.end) return resolve(answerOf(known))
        if (!known) this.wanted.push({ park, key: question.key, fail: reject })
        this.schedule()
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

  private refuseOther(known: AskState, park: Park): void {
    if (canonical(known.input) === canonical(park.ask.input)) return
    throw new QuerentError(
      'T1002',
      `ctx.ask("${known.key}") asks something else than it did before under this key. Use another key for another question.`,
    )
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    soon(() => void this.openWanted())
  }

  private async openWanted(): Promise<void> {
    const { session, call } = this
    const wanted = this.wanted
    this.wanted = []
    const verdicts = await Promise.all(
      wanted.map(async (each) => ({ ...each, refusal: await refusalOfAsk(session, call, each.park) })),
    )
    const shown = verdicts.filter(({ refusal }) => refusal === undefined)
    if (session.over || (shown.length > 0 && !(await admitAsks(session, shown.length)))) return this.leave()
    for (const { fail, refusal } of verdicts) if (refusal !== undefined) fail(new Error(refusal))
    for (const { park, key } of shown) openAsk(session, call, park, { key })
    this.scheduled = false
    if (call.asks.some((ask) => !ask.end)) this.leave()
  }

  private leave(): void {
    this.isAbandoned = true
    this.session.running.delete(this.call.effect)
    this.abandon(undefined)
    this.session.changed()
  }
}

function answerOf(ask: AskState): InnerAnswer {
  const { end, rule } = ask
  if (end?.outcome === 'approved') return { status: 'answered', data: end.data as Json }
  if (end?.outcome === 'refused')
    return end.reason === undefined ? { status: 'refused' } : { status: 'refused', reason: end.reason }
  if (typeof rule.onExpire === 'object') return { status: 'answered', data: rule.onExpire.answer }
  return { status: 'expired' }
}
