import { isSpanContextValid, type Link, type Span, type SpanContext } from '@opentelemetry/api'

/* A trace as the log has it: W3C `traceparent`, version 00. */

/** The trace of a span. Nothing where nobody traces: such a span has no ids. */
export function traceParentOf(span: Span | undefined): string | undefined {
  const context = span?.spanContext()
  if (!context || !isSpanContextValid(context)) return undefined
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

/** Links to a trace that the log names, where it names one that can be read. */
export function linksTo(traceParent: string | undefined): Link[] {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceParent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return []
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(context) ? [{ context }] : []
}
