import type { Clock } from './ambient.ts'
import type { Actor, Ask, Outcome, Withdrawal } from './ask.ts'
import type { Json } from './json.ts'

/** How an ask ended. Unlike a person's view it says who, and all they gave: a notifier is the operator's. */
export interface AskEventEnd {
  outcome: Outcome
  by: Actor
  /** ISO 8601, UTC. */
  at: string
  /** The answer, where one was given. */
  data?: Json
  reason?: string
  /** For `withdrawn`: why. */
  because?: Withdrawal
}

/** An ask opened, or ended. What a guard refused was never opened, and is never told. */
export type AskEvent = {
  /** The same at every try and in every process: who acts on an event remembers it, and does nothing the second time. */
  id: string
  /** When it happened, by the store's clock: ISO 8601, UTC. */
  at: string
  /** As people see it. Its texts are a model's: show them as plain text. */
  ask: Ask
  /** Who was asked, and alone may answer. Left out where the system started the run. */
  person?: { id: string }
} & ({ type: 'ask.opened' } | { type: 'ask.settled'; end: AskEventEnd })

/** What a notifier is handed besides the event. */
export interface NotifyContext {
  /** Aborts when the time is over or the engine stops. What comes after that does not count. */
  signal: AbortSignal
  /** The engine's. */
  clock: Clock
  /** Nobody listens there any more: tells nothing further, this event included, until an engine is started again. */
  stop(why: string): void
}

/**
 * Somebody to tell of asks: a mail, a chat, a page. Told by started engines, after the commit, one event after another
 * in the order in which they happened, at least once. See `docs/notifiers.md`.
 */
export interface Notifier {
  /**
   * 1 to 64 letters, digits, `.`, `_` or `-`. Under it the store keeps how far this notifier was told: a new name is a
   * new notifier, told of what happens from its first start on.
   */
  name: string
  /**
   * Resolves when the event has arrived: then it counts as told. Rejects, throws or outlasts `timeoutMs`: it is told
   * again later, and what comes after it waits. Runs never wait for it.
   */
  notify(event: AskEvent, context: NotifyContext): Promise<void>
  /** How long one try may take: 1 to 60,000. Default 10,000. */
  timeoutMs?: number
}
