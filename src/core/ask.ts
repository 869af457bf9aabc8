import type { Json, JsonSchema } from './json.ts'

/**
 * A named place in a round: the N-th model call, or the M-th call of turn N. In a child run the path of its parents
 * goes before it: `tool 1.2/tool 1.1`.
 */
export type Step =
  | `model ${number}`
  | `tool ${number}.${number}`
  | `question ${number}.${number}`
  | `${string}/${string}`

/** One of the answers a person chooses from, in one form for every screen. */
export interface AskOption {
  label: string
  description?: string
}

/** A wait for a person, as that person and every screen sees it. */
export interface Ask {
  /** Opaque and unguessable. */
  id: string
  /** `'question'`, `'approval'`, or the kind of a stranger's extension. */
  kind: string
  run: string
  agent: string
  /** The agents from the root to the one that asks. */
  path: string[]
  /** The round it was asked in, from 1. */
  repeat: number
  step: Step
  /** Which ask of its step, from 1. */
  n: number
  tool: string
  /** What the model said, prepared. */
  input: Json
  options?: AskOption[]
  /** An approval whose input the person may change: `data: { input }`. */
  editable?: true
  /** ISO 8601 instants, UTC. */
  since: string
  until?: string
}

/** Which ask is meant. Left out, `repeat` and `n` mean the only ask there has ever been at that step (else T0004). */
export interface AskAt {
  run: string
  step: Step | (string & {})
  repeat?: number
  n?: number
}

/** An ask by its id: an `Ask`, or as much of it as names it. */
export type AskRef = Pick<Ask, 'id' | 'run'>

/** How an ask ends. */
export type Outcome = 'approved' | 'refused' | 'expired' | 'withdrawn'

/** Who did something: a person, backend code, the clock (a deadline), or a run itself (its message, its stop, its end). */
export type Actor = { type: 'person'; id: string } | { type: 'system' } | { type: 'clock' } | { type: 'run' }

/** Why an ask was withdrawn, where it was. */
export type Withdrawal = 'message' | 'messageBefore' | 'stop' | 'end'

/** What the model hears when nobody answers in time. See `agent({ onExpire })`. */
export type OnExpire = 'refuse' | 'tell' | 'fail' | { answer: Json }

/**
 * What was agreed when the ask opened. It is stored with the ask and never changes: a deploy that changes the agent
 * changes the next ask, not this one.
 */
export interface AskRule {
  onExpire: OnExpire
  /** Whether the in guards of the agent must see an answer before it counts (a process without the agent: T0009). */
  guarded: boolean
  /** Whether an approval may change the input it approves (else T0010). */
  editable?: boolean
}

/** An ask as the log and the store keep it: what a person sees and all that settling needs. */
export interface OpenedAsk {
  id: string
  kind: string
  effect: string
  repeat: number
  step: Step
  n: number
  tool: string
  input: Json
  options?: AskOption[]
  /** The whole check of an answer as one JSON Schema. Without it, an approval needs no data. */
  answerSchema?: JsonSchema
  /** How long it waits, in milliseconds from its opening. Left out: for ever. */
  waitMs?: number
  rule: AskRule
  /** While it is open, calls of its turn that need no approval and are not `retrySafe` are held back. */
  held?: boolean
  /** Delivery as a message: the call has this immutable result at once, and the answer follows as a user message. */
  waiting?: string
  /** The name under which a tool asked this with `ctx.ask`. */
  key?: string
  /** The W3C `traceparent` of the work that asked, where somebody traces. */
  trace?: string
}

/** How an ask ended. */
export interface Settlement {
  ask: string
  outcome: Outcome
  by: Actor
  /** The answer, where one was given. */
  data?: Json
  reason?: string
  /** For `withdrawn`: why. */
  because?: Withdrawal
  /** A digest of the call as it was shown, tool and input, where leave to run it was given: no other call has that leave. */
  shown?: string
}

/** An ask together with its end: what an `AskKind` turns into a result. */
export interface SettledAsk extends OpenedAsk {
  end: Settlement
}
