import type { AgentFacts, RunFacts } from './agent-facts.ts'
import type { Settlement } from './ask.ts'
import type { QuerentError } from './error.ts'
import type { RunEvent } from './event.ts'
import type { Json } from './json.ts'
import type { ModelReply, UserInput } from './model.ts'
import type { Park, ToolResult } from './tool.ts'

/** The person has not answered yet. A driver that gets it returns; it is called again, from the top, when they have. */
export interface Parked {
  status: 'parked'
}

/** How an ask of a driver ended. */
export interface Settled {
  status: 'settled'
  end: Settlement
}

/** What a driver of one's own works with. Every method is durable: what it returned once, it returns again. */
export interface Session {
  readonly agent: AgentFacts
  readonly run: RunFacts
  /** The log so far. */
  readonly log: readonly RunEvent[]
  /** Aborts when the run is stopped, the claim is lost or the engine stops. */
  readonly signal: AbortSignal
  /** What people sent that the driver has not been given yet, the first input included. */
  input(): UserInput[]
  /** Runs `fn` once and keeps what it returned in the log, under `key`. */
  keep<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T>
  /** Stores a model reply. Counts its tokens; shows its text. */
  reply(reply: ModelReply): Promise<void>
  /** Runs one of the agent's tools, asking first where it must. The M-th call since the last reply is step `tool N.M`. */
  tool(call: { tool: string; input: Json; id?: string }): Promise<ToolResult | Parked>
  /** Asks the person. The M-th call since the last reply is its step, shared with `tool`. */
  ask(ask: Park): Promise<Settled | Parked>
  finish(output: Json): Promise<void>
  fail(error: QuerentError): Promise<void>
}

/** A loop that decides what an agent does. Called from the top at every claim; returns to park, or at its end. */
export interface Driver {
  name: string
  drive(session: Session): Promise<void>
}
