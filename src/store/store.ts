import type { Actor, OpenedAsk, Outcome, Settlement, Step } from '../core/ask.ts'
import type { Code } from '../core/error.ts'
import type { NewEvent, ParentCall, RunEvent, RunStatus, Starter, Trigger } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import type { Usage, UserInput } from '../core/model.ts'
import type { WorkCounts } from '../core/telemetry.ts'

/*
 * The store is an interface of transitions, not of tables. Each method that writes is one transaction, guarded in its
 * WHERE, and returns which case happened: an expected case is a value, a fault (disk full, connection lost) rejects,
 * and then nothing of the transition is there. An acknowledged write is on disk. Instants are milliseconds of the
 * store's own clock; callers never send "now". Who may do what is not the store's business: the engine asks before.
 */

/** A run's row: all that lists show, without reading a log. */
export interface RunRow {
  id: string
  agent: string
  status: RunStatus
  trigger: Trigger
  starter: Starter
  /** Round, as of the last write of the holder. */
  repeat: number
  /** The first 200 characters of the first input's text. */
  title: string
  /** The in guards of its agent must see what people write (a process without the agent: T0009). */
  guarded: boolean
  parent?: ParentCall
  fence: number
  lastSeq: number
  /** Claims in a row without a write. Five: the run kills its workers. */
  attempts: number
  usage: Usage
  /** These three only while the run is over: a message or a retry that makes it go on takes them away. */
  output?: Json
  error?: { code: Code; message: string }
  endedAt?: number
  createdAt: number
  updatedAt: number
  /** It waits, and a run that was delegated from it, at any depth, is `ready` or `working`. */
  childrenWork?: true
}

/** An ask's row: what a person sees, all that settling needs, and how it ended. */
export interface AskRow extends OpenedAsk {
  /** The run that people know: the root of a delegation. */
  run: string
  /** The run whose log has it. Differs from `run` in a child. */
  owner: string
  /** The agent that asks, and the agents from the root to it. */
  agent: string
  path: string[]
  starter: Starter
  state: 'open' | Outcome
  since: number
  until?: number
  end?: Settlement & { at: number; answerId?: string }
}

/** What came from outside and the log does not have yet. `id` grows. */
export type Mail = { id: number } & (
  | { kind: 'settled'; settlement: Settlement }
  | { kind: 'message'; from: 'person' | 'system'; content: UserInput }
  | { kind: 'child'; data: ChildEnd }
)

/** How a child run ended, for its parent. */
export interface ChildEnd {
  effect: string
  run: string
  status: 'done' | 'failed' | 'stopped'
  /** The text or output of a child that is done, or why it failed. */
  output: Json
  usage: Usage
}

/** The proof that a worker holds a run: it may write while the run's fence is this one. */
export interface Held {
  run: string
  fence: number
}

/** A claim as its owner looks it up. */
export interface HeldRun extends Held {
  mailed: boolean
}

/** A claim: the run as it is, and its mailbox. The holder reads the log with `readEvents`; nobody else appends. */
export interface Claim extends Held {
  row: RunRow
  mail: Mail[]
  /** The log, where the claim was made in the stroke that began it: then it need not be read. */
  log?: RunEvent[]
}

/** Who claims. `host`, `pid` and `bornAt` let a new process on the same host see that the old one is dead. */
export interface Owner {
  /** Unique to one started engine. */
  id: string
  host: string
  pid: number
  /** When the process started, in whatever unit its host tells it; equal for the same process. */
  bornAt: string
}

/** Lets a transition that readies a run claim it in the same stroke, since a worker of this process is free. */
export interface ClaimOffer {
  owner: Owner
  leaseMs: number
}

/** What the holder writes at once. */
export interface Write {
  /** In order; `seq` goes on from the run's last. */
  events: NewEvent[]
  /** Asks that open. Each is also an `ask.opened` among `events`. */
  open?: OpenedAskWrite[]
  /** Ids of the mail that `events` took into the log. */
  consumed?: number[]
  /** The sums of the run with this write, not what it adds. Left out: as before. */
  usage?: Usage
  repeat?: number
}

/** An ask to open. The store adds `since` and `until`. */
export interface OpenedAskWrite extends OpenedAsk {
  /** For a child: what the root's people see. `seq`: the last line of the root's log that the holder has seen. */
  root?: { run: string; step: Step; path: string[]; seq: number }
}

/** The claim is not ours any more: write nothing, stop working on the run. */
export interface Lost {
  case: 'lost'
}

/** The write is there. `mail`: all that is in the mailbox now. `events` carry the store's `at`. */
export interface Kept {
  case: 'ok'
  mail: Mail[]
  at: number
}

export interface CreateRun {
  id: string
  agent: string
  trigger: Trigger
  starter: Starter
  title: string
  guarded: boolean
  parent?: ParentCall
  /** `run.started`, seq 1. */
  started: NewEvent
  /** Makes a repeat harmless: scoped by starter and agent. `hash` is of the input. */
  key?: { key: string; hash: string }
  claim?: ClaimOffer
}

/** How a run ends by its holder. */
export interface RunEnd {
  status: 'done' | 'failed'
  output?: Json
  error?: { code: Code; message: string }
}

export interface SettleAsk {
  ask: string
  outcome: 'approved' | 'refused'
  by: Actor
  data?: Json
  reason?: string
  /** See `Settlement`. */
  shown?: string
  /** `hash` is of outcome, data and reason: the same answer twice is harmless, another one is not. */
  answer?: { id: string; hash: string }
  claim?: ClaimOffer
}

/** `claim` is there where the offer was taken; `ask` is as it is after the transition. */
export type Settled =
  | { case: 'settled'; ask: AskRow; claim?: Claim }
  | { case: 'duplicate'; ask: AskRow }
  | { case: 'already'; ask: AskRow }
  | { case: 'expired'; ask: AskRow }
  /** There is no such ask. */
  | { case: 'none' }

export interface AddMessage {
  run: string
  from: 'person' | 'system'
  content: UserInput
  key?: { key: string; hash: string }
  claim?: ClaimOffer
}

export interface StopRun {
  run: string
  by: Actor
  /**
   * Closes a log as its holder: takes the whole mailbox into it, then ends it. Gives the events that follow, `run.stopped`
   * last, and what the run has used with them. A pure function: it is called inside the transaction, with the log and
   * the mailbox of the run (before, of each child run, so that a parent finds how its children ended) and must not wait.
   */
  close(log: RunEvent[], mail: Mail[]): { events: NewEvent[]; usage: Usage }
}

/** Lists are answered from indexes and read no log. `after` is a `cursor` of the page before. */
export interface Page<T> {
  items: T[]
  /** There is more: pass it as `after`. */
  cursor?: string
}

/** Roots only, newest first: a child is seen through its root. `agent` alone filters as it reads; the others are indexed. */
export interface ListRuns {
  starter?: Starter
  status?: RunStatus
  agent?: string
  /** Only runs that are not over. */
  active?: boolean
  /** Only the run that was created with this key. Needs `agent` and `starter`, whose key it is. */
  key?: string
  after?: string
  /** Default 50, at most 200. */
  limit?: number
}

export interface ListAsks {
  starter?: Starter
  run?: string
  /**
   * Default true: only those that are open and not past `until`, nearest deadline first (none last), then oldest first.
   * False: all there have ever been of `run`, which must be given then, oldest first.
   */
  open?: boolean
  after?: string
  limit?: number
}

export interface OutboxEntry {
  id: number
  at: number
  type: 'ask.opened' | 'ask.settled'
  ask: AskRow
}

/**
 * What changed after a commit: a hint that shortens a wait. `'*'`: something, somewhere. `elsewhere`: another process wrote
 * it, or may have. It must not throw: nobody is there to catch it.
 */
export type ChangeListener = (run: string | '*', elsewhere: boolean) => void

/** Steps of the schema: the last one that the database has (0: it has none), and the newest that this code knows. */
export interface SchemaVersion {
  applied: number
  newest: number
}

export interface Store {
  readonly name: string

  /** Looks how far the database is; changes nothing. T3002 where newer code changed it so that this code cannot use it. */
  schemaVersion(): Promise<SchemaVersion>

  /** Brings the database to the schema this code needs. Safe with many processes at once; T3002 for a newer one. */
  migrate(): Promise<void>

  /** Creates a run `ready`, or `working` with fence 1 where `claim` is offered. `reused`: the key stands for another input. */
  createRun(
    run: CreateRun,
  ): Promise<{ case: 'created'; claim?: Claim } | { case: 'same'; run: string } | { case: 'reused'; run: string }>

  /**
   * Claims the next run that is `ready`, or `working` with a lease that ended or an owner in `dead`, of one of these
   * agents (or only `run`): fence + 1, `working`, a lease, attempts + 1. Oldest first. Nothing: no such run.
   */
  claimRun(request: ClaimOffer & { agents: string[]; dead?: string[]; run?: string }): Promise<Claim | undefined>

  /** Prolongs the lease and looks into the mailbox. */
  renewClaim(held: Held, leaseMs: number): Promise<Kept | Lost>

  /** Writes events, opens asks, takes mail, looks into the mailbox; keeps the claim. Resets attempts. */
  append(held: Held, write: Write): Promise<Kept | Lost>

  /**
   * As `append`, and gives the claim back: `waiting` if the mailbox is empty then, else `ready` (so no wake-up is lost).
   * An ask that would open while a message lies in the mailbox is withdrawn at once (`messageBefore`): never listed. So
   * is a child's, where the person wrote to the root and the child's holder has not seen it. The same holds for `append`.
   */
  parkRun(held: Held, write: Write): Promise<{ case: 'parked' } | { case: 'ready' } | Lost>

  /** Gives the claim back without a write: `ready`. It does not count as an attempt. */
  giveBack(held: Held): Promise<{ case: 'ok' } | Lost>

  /**
   * As `append`, and ends the run: open asks withdrawn (`end`), claim given back, a child's end put into its parent's
   * mailbox and the parent readied. A message still in the mailbox readies the run instead of leaving it over.
   * `mail`: an answer or a child's end lies in the mailbox, which the log must have first; nothing was written.
   * `readied`: a run is ready by it, this one or its parent.
   */
  finishRun(held: Held, write: Write, end: RunEnd): Promise<{ case: 'ok'; readied?: true } | { case: 'mail' } | Lost>

  /** Ends an ask if it is open and not past `until`; the run goes on (see the table of transitions). */
  settleAsk(settle: SettleAsk): Promise<Settled>

  /** Expires up to `limit` asks past `until`, readying their runs. Gives the runs whose mailbox was told, each once. */
  expireAsks(limit: number): Promise<string[]>

  /**
   * How many milliseconds it is until the nearest deadline of an open ask, if any: below 0 where it is past. By the store's
   * clock, which decides: the caller's may be a day off.
   */
  untilDeadline(): Promise<number | undefined>

  /**
   * Puts a message into the mailbox, withdraws open asks (of child runs too), readies the run. `readied`: so is a run
   * below it. `none`: no such run.
   */
  addMessage(
    message: AddMessage,
  ): Promise<
    | { case: 'accepted'; status: RunStatus; claim?: Claim; readied?: true }
    | { case: 'same'; status: RunStatus }
    | { case: 'reused' }
    | { case: 'none' }
  >

  /**
   * Stops a run that is not over: raises the fence and closes the log itself, its asks and children likewise, children
   * first. The mailbox is empty after it: `close` has taken it into the log.
   */
  stopRun(stop: StopRun): Promise<{ case: 'stopped' } | { case: 'over'; status: RunStatus } | { case: 'none' }>

  /** Readies a failed run again with nothing new (its last model call or claim is tried anew). */
  retryRun(run: string): Promise<{ case: 'ready' } | { case: 'not failed'; status: RunStatus } | { case: 'none' }>

  /** Removes a run that is over, its log, asks, children and outbox; leaves a tombstone. */
  eraseRun(run: string): Promise<{ case: 'erased' } | { case: 'not over' } | { case: 'none' }>

  /** Erases up to `limit` runs that ended more than `keptMs` ago, the oldest first. Gives how many. */
  eraseEnded(keptMs: number, limit: number): Promise<number>

  /** Events after `after`, in order. Default limit: all. */
  readEvents(run: string, after: number, limit?: number): Promise<RunEvent[]>
  getRun(run: string): Promise<RunRow | undefined>
  getAsk(ask: string): Promise<AskRow | undefined>
  /** Every ask there has ever been at a step of a run that people know, in the order of repeat and n. */
  findAsks(run: string, step: string): Promise<AskRow[]>
  listRuns(list: ListRuns): Promise<Page<RunRow>>
  listAsks(list: ListAsks): Promise<Page<AskRow>>

  /** What an owner holds, and whether anything lies in its mailbox: one look for all of it, where others have written. */
  listClaims(owner: string): Promise<HeldRun[]>

  /** Owners of claims on this host, so that a new process can see which of them are dead. */
  listOwners(host: string): Promise<Owner[]>

  /** The agents that ready runs wait for, so that a worker can say which of them it lacks. */
  readyAgents(): Promise<string[]>

  /** Figures of the whole store, for those who watch it. Counted from indexes; reads no log. */
  countWork(): Promise<WorkCounts>

  /** Makes a notifier known: from now on asks opened and settled are put into the outbox. */
  addNotifier(name: string): Promise<void>
  /** Forgets a notifier, with what was kept for it alone: one that is gone would keep the outbox for ever. */
  removeNotifier(name: string): Promise<boolean>
  /** Entries this notifier has not acknowledged, in order; leased to the caller for `leaseMs`. */
  takeOutbox(notifier: string, limit: number, leaseMs: number): Promise<OutboxEntry[]>
  ackOutbox(notifier: string, upTo: number): Promise<void>

  /**
   * Hints after commits of this process at once, and of other processes within 100 ms while anybody listens. A process in
   * which somebody listens stays alive: a worker waits for work, `atRest` for an answer.
   */
  onChange(listener: ChangeListener): () => void

  /** Closes what is open. Transitions after it reject with T1008. */
  close(): Promise<void>
}
