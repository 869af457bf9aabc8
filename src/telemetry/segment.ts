import { type Attributes, type Context, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api'
import type { ModelReply } from '../core/model.ts'
import type { ModelFacts, Segment, SegmentEnd, SegmentFacts, ToolFacts } from '../core/telemetry.ts'
import type { ToolResult } from '../core/tool.ts'
import { callAttributes, modelAttributes, segmentAttributes, toolAttributes } from './attributes.ts'
import { inSpan, measureWith, type Scope } from './scope.ts'
import { linksTo, traceParentOf } from './trace-parent.ts'

/**
 * The work of one claim as a trace of its own: what it goes on from may be weeks old, and is linked to. Whoever happened
 * to wake the worker is no parent of it.
 */
export async function traceSegment(
  scope: Scope,
  facts: SegmentFacts,
  work: (segment: Segment) => Promise<SegmentEnd>,
): Promise<void> {
  const options = { attributes: segmentAttributes(facts), links: linksTo(facts.after) }
  const span = scope.tracer.startSpan(`invoke_agent ${facts.agent}`, options, ROOT_CONTEXT)
  const agent = { 'gen_ai.agent.name': facts.agent }
  if (facts.sinceAnswerMs !== undefined) scope.instruments.resumeDuration.record(facts.sinceAnswerMs / 1000, agent)
  const see = ({ outcome, code }: SegmentEnd) => {
    span.setAttribute('querent.segment.outcome', outcome)
    if (outcome === 'lost') scope.instruments.claimsLost.add(1, agent)
    if (outcome === 'done' || outcome === 'failed') {
      const cause = code === undefined ? {} : { 'error.type': code }
      scope.instruments.runsEnded.add(1, { ...agent, 'querent.run.status': outcome, ...cause })
    }
    return code
  }
  await inSpan({ span, parent: ROOT_CONTEXT, see }, () => work(new TracedSegment(scope, facts, span)))
}

class TracedSegment implements Segment {
  readonly trace?: string
  private readonly scope: Scope
  private readonly facts: SegmentFacts
  /** Given to each span by hand: not every process has a way to carry a context over an `await`. */
  private readonly parent: Context

  constructor(scope: Scope, facts: SegmentFacts, span: Span) {
    this.scope = scope
    this.facts = facts
    this.parent = trace.setSpan(ROOT_CONTEXT, span)
    const traceParent = traceParentOf(span)
    if (traceParent !== undefined) this.trace = traceParent
  }

  model(facts: ModelFacts, work: () => Promise<ModelReply | undefined>): Promise<ModelReply | undefined> {
    const { instruments, clock } = this.scope
    const call = callAttributes(facts.model)
    const attributes = modelAttributes(this.facts, facts)
    const span = this.start(`chat ${call['gen_ai.request.model']}`, attributes, SpanKind.CLIENT)
    const see = (reply: ModelReply | undefined) => {
      if (reply) this.seeReply(span, call, reply)
      else span.setAttribute('querent.aborted', true)
      return undefined
    }
    return inSpan({ ...this.below(span), see, measure: measureWith(clock, instruments.modelDuration, call) }, work)
  }

  tool(facts: ToolFacts, work: () => Promise<ToolResult | undefined>): Promise<ToolResult | undefined> {
    const { instruments, clock } = this.scope
    const span = this.start(`execute_tool ${facts.tool}`, toolAttributes(this.facts, facts))
    const measure = measureWith(clock, instruments.toolDuration, { 'gen_ai.tool.name': facts.tool })
    const see = (result: ToolResult | undefined) => {
      if (!result) span.setAttribute('querent.tool.pending', true)
      return result?.type === 'error' ? 'tool_error' : undefined
    }
    return inSpan({ ...this.below(span), see, measure }, work)
  }

  park<T extends { case: string }>({ openAsks }: { openAsks: number }, work: () => Promise<T>): Promise<T> {
    const span = this.start('querent.park', { 'querent.asks.open': openAsks })
    const see = (parked: T) => {
      span.setAttribute('querent.park.case', parked.case)
      return undefined
    }
    return inSpan({ ...this.below(span), see }, work)
  }

  private start(name: string, attributes: Attributes, kind = SpanKind.INTERNAL): Span {
    return this.scope.tracer.startSpan(name, { attributes, kind }, this.parent)
  }

  private below(span: Span): { span: Span; parent: Context } {
    return { span, parent: this.parent }
  }

  /** Tokens that the provider did not report are not told: ours are an estimate. */
  private seeReply(span: Span, call: Attributes, { usage, finish }: ModelReply): void {
    span.setAttribute('gen_ai.response.finish_reasons', [finish])
    for (const [type, count] of [
      ['input', usage?.inputTokens],
      ['output', usage?.outputTokens],
    ] as const) {
      if (count === undefined) continue
      span.setAttribute(`gen_ai.usage.${type}_tokens`, count)
      this.scope.instruments.tokens.record(count, { ...call, 'gen_ai.token.type': type })
    }
  }
}
