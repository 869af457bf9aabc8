import type { Code } from './error.ts'
import type { Trigger } from './event.ts'
import type { ModelReply, ModelSettings } from './model.ts'
import type { ToolResult } from './tool.ts'

/*
 * What an engine tells of its work while it works, for traces and metrics. The engine knows this interface alone;
 * `querent/telemetry` implements it with OpenTelemetry. Nothing that a person or a model wrote passes here, nor who a
 * person is. A trace is named by a W3C `traceparent`.
 */

/** What is known of the work on a run when a worker has claimed it. */
export interface SegmentFacts {
  run: string
  /** The run that people know this one by. */
  root: string
  agent: string
  trigger: Trigger
  /** The newest trace that the log names: where the run was started, or where that began which it has waited for. */
  after?: string
  /** From the answer that readied the run to this claim, in milliseconds of the store's clock. */
  sinceAnswerMs?: number
}

/** How the work of a claim ended. `ready`: another claim goes on. `stopped` and `lost`: the claim was taken away. */
export interface SegmentEnd {
  outcome: 'parked' | 'ready' | 'done' | 'failed' | 'stopped' | 'lost'
  /** Why a run failed. */
  code?: Code
}

/** One model call, its retries included. */
export interface ModelFacts {
  /** `model N`. */
  step: string
  /** The model's id: `provider/model` where an adapter knows both. */
  model: string
  settings: ModelSettings
}

/** One call of a tool. */
export interface ToolFacts {
  /** `tool N.M`. */
  step: string
  /** The provider's id of the call. May be empty. */
  id: string
  effect: string
  tool: string
}

/** The work of one claim. Each method runs `work` and gives what it gives, or rejects as it does. */
export interface Segment {
  /** Kept in the log beside what the run will wait for. Left out where nobody traces. */
  readonly trace?: string
  /** Nothing: the call was given up, since its claim is gone or the engine stops. */
  model(facts: ModelFacts, work: () => Promise<ModelReply | undefined>): Promise<ModelReply | undefined>
  /** Nothing: the call has no result yet. A person is asked, a run below does it, or its claim is gone. */
  tool(facts: ToolFacts, work: () => Promise<ToolResult | undefined>): Promise<ToolResult | undefined>
  /** `openAsks`: that the run waits for, as far as its own log says. */
  park<T extends { case: string }>(facts: { openAsks: number }, work: () => Promise<T>): Promise<T>
}

/** An answer or a refusal of an ask that is there. */
export interface SettleFacts {
  run: string
  agent: string
  kind: string
  outcome: 'approved' | 'refused'
  /** The trace that asked. */
  after?: string
}

/** What came of it, as the store says. */
export interface SettleSeen {
  case: string
  ask?: { since: number; end?: { at: number } }
}

/** Figures of the whole store, whichever process asks. Ages are milliseconds of the store's clock. */
export interface WorkCounts {
  /** Open, and not past their deadline. */
  openAsks: number
  /** How long the oldest of them has waited; 0 where there is none. */
  oldestAskMs: number
  /** Runs that wait for a worker, and for how long the first has. Delegated ones count, here and below. */
  ready: number
  oldestReadyMs: number
  /** Runs that a worker holds. */
  working: number
  /** Runs that have asked and are not answered, whether or not they work meanwhile. */
  asking: number
}

/** Is told of what an engine does. No method throws of its own: a run must not fail for it. */
export interface Telemetry {
  /** The trace of whoever calls, if there is one. */
  current(): string | undefined
  /** The work of one claim. */
  segment(facts: SegmentFacts, work: (segment: Segment) => Promise<SegmentEnd>): Promise<void>
  /** An ask is settled, or is refused to be. */
  settle<T extends SettleSeen>(facts: SettleFacts, work: () => Promise<T>): Promise<T>
  /** A run was stopped. Called once for it, wherever that was asked. */
  stopped(facts: { agent: string }): void
  /** An engine has started: `read` may be called from time to time, until what is returned is called. */
  watch(read: () => Promise<WorkCounts>): () => void
}
