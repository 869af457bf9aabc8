import { AsyncLocalStorage } from 'node:async_hooks'
import { type Attributes, type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { Clock } from 'querent'
import { openTelemetry, type Telemetry } from 'querent/telemetry'
import { onTestFinished } from 'vitest'

/** A reader that collects when it is asked to: it has no timer. */
class Pull extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

export type Point = { attributes: Attributes; value: number | Pick<Histogram, 'count' | 'sum'> }

/** The real SDK, with what it was told kept in memory. */
export interface Observed {
  telemetry: Telemetry
  tracer: ReturnType<BasicTracerProvider['getTracer']>
  /** Spans that have ended, in the order of their ends. Close the engine first: the last ends after the run is at rest. */
  spans(name?: string): ReadableSpan[]
  /** The one span of that name. */
  span(name: string): ReadableSpan
  /** What a metric shows now. A histogram: its count and sum. */
  points(metric: string): Promise<Point[]>
  /** All that was told, as a text, to look for what must not be in it. */
  everything(): Promise<string>
}

export function observed(clock?: Clock): Observed {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const reader = new Pull()
  const meterProvider = new MeterProvider({ readers: [reader] })
  onTestFinished(async () => {
    await tracerProvider.shutdown()
    await meterProvider.shutdown()
  })
  const spans = (name?: string) =>
    exporter.getFinishedSpans().filter((each) => name === undefined || each.name === name)
  const collect = async () => {
    const { resourceMetrics, errors } = await reader.collect()
    if (errors.length > 0) throw new AggregateError(errors, 'A metric could not be read.')
    return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  }
  return {
    telemetry: openTelemetry({ tracerProvider, meterProvider, ...(clock ? { clock } : {}) }),
    tracer: tracerProvider.getTracer('test'),
    spans,
    span(name) {
      const [span, ...others] = spans(name)
      if (!span || others.length > 0) throw new Error(`${spans(name).length} spans are named "${name}".`)
      return span
    },
    async points(metric) {
      const found = (await collect()).find((each) => each.descriptor.name === metric)
      return ((found?.dataPoints ?? []) as DataPoint<number | Histogram>[]).map(({ attributes, value }) => ({
        attributes,
        value: typeof value === 'number' ? value : { count: value.count, sum: value.sum ?? 0 },
      }))
    },
    async everything() {
      const told = spans().map(({ name, attributes, status, events, links }) => {
        return { name, attributes, status, events, links: links.map((link) => link.attributes) }
      })
      return JSON.stringify([told, await collect()])
    },
  }
}

/** Carries contexts over awaits, as the SDK for Node does, for the tests of this file. */
export function carryContexts(): void {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, fn, thisArg, ...args) => storage.run(active, () => fn.call(thisArg as never, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager)
}

/** Does something inside a span of the caller's own, and gives that span. */
export async function insideSpan<T>({ tracer }: Observed, name: string, work: () => Promise<T>): Promise<T> {
  const span = tracer.startSpan(name)
  try {
    return await context.with(trace.setSpan(context.active(), span), work)
  } finally {
    span.end()
  }
}

export const idOf = (span: ReadableSpan) => span.spanContext().spanId

/** The spans that a span links to, by id. */
export const linksOf = (span: ReadableSpan) => span.links.map((link) => link.context.spanId)
