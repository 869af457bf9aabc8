import type { OnExpire } from './ask.ts'
import type { Trigger } from './event.ts'
import type { JsonSchema } from './json.ts'
import type { ModelSettings } from './model.ts'
import type { ToolDefinition } from './tool.ts'

/*
 * What extensions and drivers are told of an agent. An `AgentRecord` has them in turn; kept apart from it, since types
 * that need each other would be a circle of files.
 */

/** A person, as the rest of your software knows them. */
export interface Person {
  id: string
  [claim: string]: unknown
}

/** Who may start a run of an agent. */
export type Access = 'everyone' | 'signedIn' | 'system' | ((person: Person) => boolean | Promise<boolean>)

/** What a guard is told about the text it sees. */
export interface GuardContext {
  agent: string
  run: string
  direction: 'in' | 'out'
  /** `'input'`, `'message'`, `'answer'`, `'text'`, or the kind of an ask. */
  kind: string
}

/** Lets a text pass with `true`; whatever else it returns refuses, and so does a guard that throws. */
export type Guard = (
  text: string,
  context: GuardContext,
) => true | { refuse: string } | Promise<true | { refuse: string }>

/** Limits of a run. All are counted over restarts; reaching one ends the run as `failed`. */
export interface Limits {
  /** Model calls in one round. Default 50. T2001. */
  steps?: number
  perRun?: {
    /** Output tokens of the whole run, children included. No default. T2002. */
    tokensOut?: number
    /** Asks of the whole run. Default 200. T2003. */
    asks?: number
  }
  /** How long an ask waits: milliseconds, or `'30m'`, `'7d'`. Left out: for ever. */
  ask?: number | string
}

/** Whether the model may ask, and how answers reach it. */
export type Questions = boolean | { deliver?: 'result' | 'message' }

/** Limits as the engine uses them. */
export interface CheckedLimits {
  steps: number
  tokensOut?: number
  asks: number
  askMs?: number
}

/** An agent, save for its extensions and driver. */
export interface AgentFacts {
  name: string
  /** A sentence for people, shown where they choose an agent. No model is told of it. */
  description?: string
  model: unknown
  instructions: string
  tools: ToolDefinition[]
  access: Access
  limits: CheckedLimits
  guards: { in: Guard[]; out: Guard[] }
  questions: Questions
  output?: { json: JsonSchema; check?: ToolDefinition['check'] }
  settings: ModelSettings
  onExpire: OnExpire
  aliases: string[]
}

/** What an extension and a view are told of a run. */
export interface RunFacts {
  run: string
  agent: string
  trigger: Trigger
  starter: { type: 'person'; id: string } | { type: 'system' }
  depth: number
}
