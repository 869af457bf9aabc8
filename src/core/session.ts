import type { AgentFacts, RunFacts } from './agent-facts.ts'
import type { Settlement } from './ask.ts'
import type { Code } from './error.ts'
import type { RunEvent } from './event.ts'
import type { Json } from './json.ts'
import type { ModelReply, UserInput } from './model.ts'
import type { Park, ToolResult } from './tool.ts'

/** The person has not answered yet. A driver that gets it returns; it is called again, from the top, when they have. */
export interface Parked {
  status: 'parked'
}

/** How an ask of a driver ended: approved with `end.data`, refused, expired or withdrawn. */
export interface Settled {
  status: 'settled'
  end: Pick<Settlement, 'outcome' | 'data' | 'reason' | 'because'>
  /** What a model is told of it, in the words of the engine. Left out where the person gave leave to act: then act. */
  told?: ToolResult
}

/** What became of a reply: nothing, or what to tell the model where an out guard kept its text from the person. */
export interface Shown {
  notShown?: string
}

/**
 * What a driver of one's own works with. A driver is called from the top at every claim; what `keep`, `reply`, `tool`
 * and `ask` gave once they give again, found by their key or by their place: the M-th `tool` or `ask` since the N-th
 * `reply` of the round is step N.M. So a driver must take the same way again when it is given the same.
 */
export interface Session {
  readonly agent: AgentFacts
  readonly run: RunFacts
  /**
   * The round, from 1: one more for each later message of the person. It does not change while the driver works: what
   * is asked and underway comes to its end first, then the driver is called again, for the next round.
   */
  readonly round: number
  /** The log as it was when the driver was called. */
  readonly log: readonly RunEvent[]
  /** Aborts when the run is stopped, the claim is lost or the engine stops. What the driver does after it counts no more. */
  readonly signal: AbortSignal
  /** The person has written since: a driver at a place where it can go on from later returns, and gets it next. */
  readonly hasMessage: boolean
  /**
   * What people sent that the driver has not been given yet, the first input included. It counts as given with the next
   * thing that is stored: a crash before that gives it again.
   */
  input(): UserInput[]
  /**
   * Runs `fn` and keeps what it returned in the log, under a key that is used once in a run. Later calls get that. What
   * `fn` does may happen again if the process dies before its result is stored; what it throws is not kept.
   */
  keep<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T>
  /** Stores a model reply: its text is shown where the out guards let it pass, its tokens count. */
  reply(reply: ModelReply): Promise<Shown>
  /**
   * Runs one of the agent's tools, asking first where it must. Several may be under way at once: while one runs, another
   * that waits for a person goes on when they answer; `Parked` is given when nothing of the session is left to do.
   */
  tool(call: { tool: string; input: Json }): Promise<ToolResult | Parked>
  /**
   * Asks the person, with the out guards, limits and rules that every ask has. One a guard refused is `refused`, and
   * `told` says that nobody saw it. Asks made in the same tick open together. `step`: its step is `question N.M`, or
   * `tool N.M` where it is about a tool that the driver runs itself.
   */
  ask(ask: Park, options?: { step?: 'question' | 'tool' }): Promise<Settled | Parked>
  /**
   * Ends the run well. A text is its text; any other value its output. It ends as failed instead where the out guards
   * refuse it (T2006) or it does not fit the agent's `output` (T2007). Where the person has written meanwhile it does not
   * end: their message opens the next round.
   */
  finish(output: Json): Promise<void>
  /** Ends the run as failed. */
  fail(error: { code: Code; message: string }): Promise<void>
}

/**
 * A loop that decides what an agent does. It returns to park (something must be open then) or after `finish` or `fail`.
 * One that throws is tried again when its claim has lapsed; after five times the run fails (T2005). What it does between
 * two calls of the session is its own affair: the engine's promises hold for what goes through the session.
 */
export interface Driver {
  name: string
  drive(session: Session): Promise<void>
}
