import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Clock } from '../core/ambient.ts'
import { errorTypeOf } from './attributes.ts'
import type { Instruments } from './instruments.ts'

/** What spans are made and measured with. */
export interface Scope {
  tracer: Tracer
  clock: Clock
  readonly instruments: Instruments
}

/** A span that work is done in. */
export interface Traced<T> {
  span: Span
  /** What the span stands in. Default: what the caller stands in. */
  parent?: Context
  /** Looks at what came of the work; gives the class of the error, where that was one. */
  see(result: T): string | undefined
  measure?: Measure
}

type Measure = (errorType: string | undefined) => void

/** Does work inside a span, so that what the work itself traces stands below it, and ends the span. */
export async function inSpan<T>(
  { span, parent = context.active(), see, measure }: Traced<T>,
  work: () => Promise<T>,
): Promise<T> {
  let errorType: string | undefined
  try {
    const result = await context.with(trace.setSpan(parent, span), work)
    errorType = see(result)
    return result
  } catch (error) {
    errorType = errorTypeOf(error)
    throw error
  } finally {
    if (errorType !== undefined) {
      span.setAttribute('error.type', errorType)
      // Without the message, which may quote what people wrote.
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    measure?.(errorType)
    span.end()
  }
}

/** Measures from now on; what it gives ends that. */
export function measureWith(clock: Clock, histogram: Histogram, attributes: Attributes): Measure {
  const startedAtMs = clock.now()
  return (errorType) => {
    const cause = errorType === undefined ? {} : { 'error.type': errorType }
    histogram.record((clock.now() - startedAtMs) / 1000, { ...attributes, ...cause })
  }
}
