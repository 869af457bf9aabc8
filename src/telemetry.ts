export type {
  ModelFacts,
  Segment,
  SegmentEnd,
  SegmentFacts,
  SettleFacts,
  SettleSeen,
  Telemetry,
  ToolFacts,
  WorkCounts,
} from './core/telemetry.ts'
export { type OpenTelemetryOptions, openTelemetry } from './telemetry/open-telemetry.ts'
