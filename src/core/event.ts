import type { Actor, OpenedAsk, Settlement } from './ask.ts'
import type { Code } from './error.ts'
import type { Json } from './json.ts'
import type { ModelCall, Usage, UserInput } from './model.ts'
import type { ToolResult } from './tool.ts'

/*
 * The log of a run: what happened, in order, append-only. Only the holder of the run's claim writes it. `fold` makes
 * the state from it, the prompt and the person's view are made from that. A durable format: `docs/log-format.md`
 * shows each type, `test/golden/` keeps logs that must fold as recorded. Change it forwards only.
 */

/** Why a run started. */
export type Trigger = 'chat' | 'system' | 'schedule' | 'webhook' | 'manual' | 'delegate'

/** `ready`: work to do, nobody has it. `working`: a worker holds it. `waiting`: parked. The last three are its ends. */
export type RunStatus = 'ready' | 'working' | 'waiting' | 'done' | 'failed' | 'stopped'

/** Who started a run. */
export type Starter = { type: 'person'; id: string } | { type: 'system' }

/** Where a delegated run comes from. */
export interface ParentCall {
  run: string
  /** The call of the parent that this run is. */
  effect: string
  root: string
  depth: number
  /** Agents from the root to the parent. */
  path: string[]
  /** The steps that lead to the parent's call: `tool 1.2`. */
  stepPath: string
  /** Output tokens that the parent had left, where it has a limit. */
  tokensOut?: number
}

export interface EventData {
  /** The first event of every log. Opens round 1. */
  'run.started': {
    agent: string
    /** A digest of what the model is told besides messages; a deploy that changes it starts a new prompt prefix. */
    fingerprint: string
    trigger: Trigger
    starter: Starter
    input: UserInput
    parent?: ParentCall
    /** The W3C `traceparent` of whoever started it, where somebody traces: it shows nothing, and decides nothing. */
    trace?: string
  }
  /** One finished model call. `messages` are the provider's, as text, never touched. */
  'model.replied': {
    turn: number
    messages: string[]
    text: string
    calls: (ModelCall & { effect: string })[]
    usage: Usage
    finish: string
    /** Present when it is not the fingerprint the run had before. */
    fingerprint?: string
    /** An out guard refused the text: nobody sees it. `notice` is what the model is told, after the results. */
    refused?: { reason: string; notice: string }
  }
  /** Whether a call must be approved. Decided once. `call`: one that stands in no reply (a driver's own). */
  'approval.decided': { effect: string; needed: boolean; call?: { step: string; tool: string; input: Json } }
  /**
   * Work on a call begins. Without a `tool.returned` after it, nobody knows whether it happened. `child`: a run does it;
   * `trace` as of an ask.
   */
  'tool.started': { effect: string; child?: string; trace?: string }
  /** The one result of a call. `usage`: what a child run spent on it. */
  'tool.returned': { effect: string; result: ToolResult; usage?: Usage }
  /** What `ctx.once` keeps for a call, or which of its asks is which. */
  'tool.kept': { effect: string; key: string; value: Json }
  'ask.opened': OpenedAsk
  'ask.settled': Settlement
  /** A guard refused an ask, which nobody saw, or what a person sent, which the model never saw. */
  'guard.refused': { direction: 'in' | 'out'; kind: string; reason: string; effect?: string }
  /** A message joins the prompt. From a person it opens the next round; `answers` are asks delivered as a message. */
  'message.added': { from: 'person' | 'system' | 'answers'; content: UserInput }
  /** State of a driver of one's own. */
  'driver.kept': { key: string; value: Json }
  'run.failed': { code: Code; message: string; data?: Json }
  'run.finished': { text: string; output?: Json }
  'run.stopped': { by: Actor }
}

export type EventType = keyof EventData

/** An event that is about to be written: the store adds `run` and `at`. */
export type NewEvent = { [T in EventType]: { type: T; seq: number; v: 1; data: EventData[T] } }[EventType]

/** One line of a log. `at` is an instant of the store's clock, ISO 8601, UTC. */
export type RunEvent = NewEvent & { run: string; at: string }

/** The version that this code writes, and the newest it can read, of each event. */
export const eventVersion = 1

/** Makes an event to be written. */
export function newEvent<T extends EventType>(seq: number, type: T, data: EventData[T]): NewEvent {
  return { type, seq, v: eventVersion, data } as NewEvent
}
