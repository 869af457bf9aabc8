import type { BatchObservableResult, Counter, Histogram, Meter, ObservableGauge } from '@opentelemetry/api'
import type { WorkCounts } from '../core/telemetry.ts'

/** What this process counts and measures. Durations are in seconds. */
export interface Instruments {
  modelDuration: Histogram
  tokens: Histogram
  toolDuration: Histogram
  askDuration: Histogram
  resumeDuration: Histogram
  runsEnded: Counter
  claimsLost: Counter
  gauges: Gauges
}

/** Figures of the whole store. */
interface Gauges {
  asksOpen: ObservableGauge
  oldestAskAge: ObservableGauge
  runsActive: ObservableGauge
  oldestReadyAge: ObservableGauge
}

// As the conventions advise.
const secondsOfCalls = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power)
const secondsOfPeople = [1, 10, 60, 300, 900, 3600, 14_400, 28_800, 86_400, 259_200, 604_800, 2_592_000]
const secondsOfWaking = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export function instrumentsOf(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } })
  return {
    modelDuration: histogram('gen_ai.client.operation.duration', 's', 'Duration of model calls.', secondsOfCalls),
    tokens: histogram('gen_ai.client.token.usage', '{token}', 'Tokens of model calls.', tokenCounts),
    toolDuration: histogram('gen_ai.execute_tool.duration', 's', 'Duration of tool calls.', secondsOfCalls),
    askDuration: histogram('querent.ask.duration', 's', 'From an ask to its answer or refusal.', secondsOfPeople),
    resumeDuration: histogram(
      'querent.resume.duration',
      's',
      'From an answer to the work it leads to.',
      secondsOfWaking,
    ),
    runsEnded: meter.createCounter('querent.runs.ended', { unit: '{run}', description: 'Runs that ended here.' }),
    claimsLost: meter.createCounter('querent.claims.lost', {
      unit: '{claim}',
      description: 'Runs that another worker took over while this one held them.',
    }),
    gauges: gaugesOf(meter),
  }
}

function gaugesOf(meter: Meter): Gauges {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description })
  return {
    asksOpen: gauge('querent.asks.open', '{ask}', 'Asks that wait for a person.'),
    oldestAskAge: gauge('querent.asks.oldest_age', 's', 'How long the oldest open ask has waited.'),
    runsActive: gauge('querent.runs.active', '{run}', 'Runs that are ready, are worked on, or have an open ask.'),
    oldestReadyAge: gauge('querent.runs.oldest_ready_age', 's', 'How long a run has been ready with no worker for it.'),
  }
}

/** Says what the gauges show. */
export function observe(result: BatchObservableResult, gauges: Gauges, counts: WorkCounts): void {
  result.observe(gauges.asksOpen, counts.openAsks)
  result.observe(gauges.oldestAskAge, counts.oldestAskMs / 1000)
  result.observe(gauges.oldestReadyAge, counts.oldestReadyMs / 1000)
  for (const [status, runs] of [
    ['ready', counts.ready],
    ['working', counts.working],
    // Of those that wait, the ones that wait for a person: a parent that waits for its child is no more than that.
    ['waiting', counts.asking],
  ] as const)
    result.observe(gauges.runsActive, runs, { 'querent.run.status': status })
}
