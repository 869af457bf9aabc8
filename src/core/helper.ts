import type { AgentRecord } from './agent.ts'
import type { Ask, AskAt, AskRef } from './ask.ts'
import type { QuerentError } from './error.ts'
import type { RunStatus } from './event.ts'
import type { Json } from './json.ts'
import type { UserInput } from './model.ts'
import type { RunSummary, RunView, ViewEvent } from './view.ts'

/** The type of a run's output, for an agent's type. */
type OutputOf<A> = A extends AgentRecord<string, infer O> ? O : unknown

/** What settling gives. `duplicate`: this very answer (same `answerId`, same content) was there already. */
export interface Settling {
  ask: Ask
  duplicate: boolean
}

/** Options of lists: `after` is the `cursor` of the page before. */
export interface ListOptions {
  after?: string
  /** Default 50, at most 200. */
  limit?: number
}

/** A page of a list: `cursor` is there where more follow; pass it as `after`. */
export interface ListPage<T> {
  items: T[]
  cursor?: string
}

/** Which runs a list gives. Left out: all. */
export interface RunFilter extends ListOptions {
  status?: RunStatus
  /** Runs of its former names too: then all of them on one page. */
  agent?: string
  /** Only runs that are not over. */
  active?: boolean
}

/**
 * How the connection of a stream is. `connecting`: the first is being made, or one was cut and is made again. `offline`: the
 * last try failed, with `error`; it goes on being tried.
 */
export type Connection = { state: 'connecting' | 'live' } | { state: 'offline'; error: QuerentError }

/** Options of streams. */
export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  /** Told at each change of the connection. In process there is none, and it is never called. */
  onConnection?: (connection: Connection) => void
}

/** What a person does with a run, whichever agent works on it. `O`: the type of its output. */
export interface RunActions<O = unknown> {
  /**
   * Answers a question, or approves a call. `data` is checked against what was asked; what does not fit is T0002 and the
   * ask still waits.
   * @throws QuerentError T0001, T0006, T0004, T0003, T0005, T0010, T0002, T0009, T0012, in this order of judgement.
   */
  approve(at: (AskAt & Answer) | AskRef, answer?: Answer): Promise<Settling>
  /** Refuses. @throws QuerentError T0001, T0006, T0004, T0003, T0005. */
  refuse(at: (AskAt & Refusal) | AskRef, refusal?: Refusal): Promise<Settling>
  /** Sends a message. Open asks are withdrawn; a run that is over goes on with a new round. @throws T0001, T0011, T0012, T0014. */
  say(message: { run: string; text: UserInput; key?: string }): Promise<{ run: string; status: RunStatus }>
  /** Stops the run now, with no worker needed. A run that is over stays as it is. @throws QuerentError T0001. */
  stop(at: { run: string }): Promise<{ run: string; status: RunStatus }>
  /** Resolves when the run is waiting, done, failed or stopped: at once if it is. Rejects with the signal's reason. */
  atRest(run: string, options?: { signal?: AbortSignal }): Promise<RunView<O>>
  /**
   * What happens in the run, from the line after `after` on, and live text. Stays open while the run waits; ends when it
   * is done, failed or stopped.
   * @throws QuerentError T0001, T0008 where the log has no line `after`.
   */
  watch(run: string, options?: StreamOptions & { after?: number }): AsyncIterable<ViewEvent>
}

/**
 * What a person does with an agent. `engine.as(person).agent(name)` in process and `client.agent(name)` over HTTP are
 * the same. Only runs that this person started exist for it; of any other it says T0001.
 */
export interface Helper<A = AgentRecord> extends RunActions<OutputOf<A>> {
  /**
   * Starts a run. With `key` a repeat is harmless: the same input gives the same run.
   * @throws QuerentError T0007 (access), T0012 (an in guard), T0014 (`key` with another input).
   */
  start(input: UserInput, options?: { key?: string }): Promise<{ run: string }>
  /** @throws QuerentError T0001. */
  run(run: string): Promise<RunView<OutputOf<A>>>
  /** This person's runs of this agent that are not over, newest first, each with its open asks. */
  working(options?: ListOptions): Promise<RunSummary<OutputOf<A>>[]>
}

/** Which of a person's own runs a list gives. */
export interface OwnRunFilter extends RunFilter {
  /** With `agent`: only the run that was started with this key. */
  key?: string
}

/** A person's runs, whichever agents work on them. */
export interface PersonRuns extends RunActions {
  /** Newest first, each with its open asks. @throws QuerentError T0008 for a `key` without `agent`. */
  list(options?: OwnRunFilter): Promise<ListPage<RunSummary>>
  /** @throws QuerentError T0001. */
  get(run: string): Promise<RunView>
}

/**
 * A person's lists as they change. `snapshot` comes first, and again where lists cannot be told in parts; `asks` replaces
 * the asks, `run` is one run that is new or changed.
 */
export type PersonEvent =
  /**
   * The first 200 open asks, nearest deadline first, and the newest 50 runs, newest first. `at`: the server's clock as it
   * was sent. Deadlines are by that clock, whatever the reader's own says.
   */
  | { type: 'snapshot'; at: string; asks: Ask[]; runs: RunSummary[] }
  | { type: 'asks'; asks: Ask[] }
  | { type: 'run'; run: RunSummary }

/** An agent, as people see it where they choose one. */
export interface AgentSummary {
  name: string
  /** The agent's own `description`. */
  description?: string
}

/** What a person does: `engine.as(person)` in process and `createClient({ url })` over HTTP are the same. */
export interface PersonHandle {
  /** @throws QuerentError T1005 in process, where there are agents and none has that name. */
  agent<A extends AgentRecord = AgentRecord>(name: A['name']): Helper<A>
  /** The agents that this person may start, as their `access` says now; of this process, in the order it has them. */
  agents(): Promise<AgentSummary[]>
  /** Open asks of this person, over agents and runs, nearest deadline first. */
  asks(options?: ListOptions): Promise<Ask[]>
  /** The same, with the cursor of the next page. */
  askPage(options?: ListOptions): Promise<ListPage<Ask>>
  readonly runs: PersonRuns
  /** What waits for this person and their runs, as it changes, with no worker needed. Stays open until `signal` aborts. */
  events(options?: StreamOptions): AsyncIterable<PersonEvent>
}

export interface Answer {
  data?: Json
  /** Makes a retry harmless. */
  answerId?: string
}

export interface Refusal {
  reason?: string
  /** Makes a retry harmless. */
  answerId?: string
}
