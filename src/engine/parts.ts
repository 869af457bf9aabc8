import type { Clock } from '../core/ambient.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { Texts } from '../core/texts.ts'
import type { Store } from '../store/store.ts'
import type { LiveText } from './live-text.ts'
import type { Registry } from './registry.ts'

/** Where the engine reports what an operator should know. Any logger with these methods will do. */
export interface Logger {
  info(message: string, data?: Record<string, unknown>): void
  warn(message: string, data?: Record<string, unknown>): void
  error(message: string, data?: Record<string, unknown>): void
}

/** What the dispatcher hears from the rest of the engine. */
export interface DispatcherSignals {
  /** A run may be ready. */
  hint(): void
  /** Something came into this run's mailbox: its holder, if it is here, looks. */
  mailed(run: string): void
  /** An ask with a deadline opened. */
  deadlinesChanged(): void
}

/** What every part of one engine shares. */
export interface EngineParts {
  store: Store
  registry: Registry
  clock: Clock
  texts: Texts
  logger: Logger
  live: LiveText
  dispatcher: DispatcherSignals
  /** Left out: nobody traces, and nothing is done for it. */
  telemetry?: Telemetry
  newId(prefix: string): string
}
