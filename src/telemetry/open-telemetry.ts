import {
  type Attributes,
  type BatchObservableCallback,
  type MeterProvider,
  metrics,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { type Clock, systemClock } from '../core/ambient.ts'
import type { SettleFacts, SettleSeen, Telemetry, WorkCounts } from '../core/telemetry.ts'
import { settleAttributes } from './attributes.ts'
import { type Instruments, instrumentsOf, observe } from './instruments.ts'
import { inSpan, type Scope } from './scope.ts'
import { traceSegment } from './segment.ts'
import { linksTo, traceParentOf } from './trace-parent.ts'

/** What `openTelemetry` takes. */
export interface OpenTelemetryOptions {
  /** Default: the one that is registered with `@opentelemetry/api`, whenever that is done. */
  tracerProvider?: TracerProvider
  /** Default: the one that is registered with `@opentelemetry/api` when the engine starts. */
  meterProvider?: MeterProvider
  /** Measures durations. Default: the system's. */
  clock?: Clock
}

/**
 * The store is asked for its figures no more often than this, however many readers collect them: with a million open asks
 * it takes a tenth of a second, and on SQLite nothing else goes on meanwhile.
 */
const shortestReadMs = 30_000

/**
 * Traces and measures an engine with OpenTelemetry: `createEngine({ …, telemetry: openTelemetry() })`. No text, input,
 * answer or person is told. What there is: `docs/telemetry.md`.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const { tracerProvider = trace, meterProvider = metrics, clock = systemClock } = options
  let instruments: Instruments | undefined
  const meter = () => meterProvider.getMeter('querent')
  const scope: Scope = {
    tracer: tracerProvider.getTracer('querent'),
    clock,
    // Made late: those of a provider that is not registered yet would measure nothing for ever.
    get instruments() {
      instruments ??= instrumentsOf(meter())
      return instruments
    },
  }
  return {
    current: () => traceParentOf(trace.getActiveSpan()),
    segment: (facts, work) => traceSegment(scope, facts, work),
    settle<T extends SettleSeen>(facts: SettleFacts, work: () => Promise<T>) {
      const attributes = settleAttributes(facts)
      const span = scope.tracer.startSpan('querent.settle', { attributes, links: linksTo(facts.after) })
      const see = ({ case: settled, ask }: SettleSeen) => {
        span.setAttribute('querent.settle.case', settled)
        if (settled === 'settled' && ask?.end)
          scope.instruments.askDuration.record((ask.end.at - ask.since) / 1000, measured(facts))
        return undefined
      }
      return inSpan<T>({ span, see }, work)
    },
    stopped({ agent }) {
      scope.instruments.runsEnded.add(1, { 'gen_ai.agent.name': agent, 'querent.run.status': 'stopped' })
    },
    watch(read) {
      const { gauges } = scope.instruments
      const seldom = seldomRead(read, clock)
      const callback: BatchObservableCallback = async (result) => observe(result, gauges, await seldom())
      const observed = Object.values(gauges)
      const owner = meter()
      owner.addBatchObservableCallback(callback, observed)
      return () => owner.removeBatchObservableCallback(callback, observed)
    },
  }
}

function measured({ agent, kind, outcome }: SettleFacts): Attributes {
  return { 'gen_ai.agent.name': agent, 'querent.ask.kind': kind, 'querent.ask.outcome': outcome }
}

function seldomRead(read: () => Promise<WorkCounts>, clock: Clock): () => Promise<WorkCounts> {
  let last: { atMs: number; counts: Promise<WorkCounts> } | undefined
  return () => {
    const nowMs = clock.now()
    if (!last || nowMs - last.atMs >= shortestReadMs) last = { atMs: nowMs, counts: read() }
    return last.counts
  }
}
