import type { Generated, Selectable } from './kysely.ts'

/*
 * The tables, the same on every database. Rows point at each other by `number`, a small integer given by the database:
 * an id has 36 characters and would stand in every event and every index. JSON is text, exactly as it was written, since
 * a column that re-orders keys would change the prompt. Instants are milliseconds since 1970-01-01 UTC.
 */

export interface RunsTable {
  number: Generated<number>
  id: string
  agent: string
  status: string
  trigger: string
  /** `system`, or `person:` and their id. */
  starter: string
  repeat: number
  title: string
  /** 1 where the in guards of its agent must see messages. */
  guarded: number
  /** The run that delegated this one, and its call (`ParentCall` as JSON). */
  parent: number | null
  parent_call: string | null
  fence: number
  last_seq: number
  attempts: number
  input_tokens: number
  output_tokens: number
  total_tokens: number
  estimated: number
  output: string | null
  error: string | null
  created_at: number
  updated_at: number
  ended_at: number | null
  /** `ready`: since when. `working`: when the lease ends. At rest: null, so that the index of work to do stays small. */
  due_at: number | null
  /** Who holds the claim, while `working`. */
  owner: string | null
  host: string | null
  pid: number | null
  born_at: string | null
}

export interface EventsTable {
  run: number
  seq: number
  at: number
  type: string
  v: number
  /** As `packEvent` writes it. Null for `ask.opened`: what was asked stands once, in the row of the ask. */
  data: string | null
  ask: number | null
}

export interface AsksTable {
  number: Generated<number>
  id: string
  /** The run whose log has it, and the run that people know: its root. */
  owner: number
  run: number
  /** As the people of `run` see it. */
  step: string
  /** For an ask of a child: the agents from the root to it, as JSON. */
  path: string | null
  starter: string
  state: string
  since: number
  /** `never` where it waits for ever, so that the nearest deadline sorts first and none last. */
  until_at: number
  /** The data of its `ask.opened`, as `packAsk` writes it. Never changes. */
  opened: string
  /** How it ended: `by`, `data`, `reason`, `because`, as JSON. */
  settlement: string | null
  ended_at: number | null
  answer_id: string | null
  answer_hash: string | null
}

export interface MailTable {
  id: Generated<number>
  run: number
  kind: string
  data: string
}

export interface KeysTable {
  scope: string
  key: string
  hash: string
  run: string
}

export interface OutboxTable {
  id: Generated<number>
  at: number
  type: string
  ask: number
}

export interface NotifiersTable {
  name: string
  acked: number
  leased_until: number
}

export interface TombstonesTable {
  run: string
  agent: string
  erased_at: number
}

export interface Tables {
  runs: RunsTable
  events: EventsTable
  asks: AsksTable
  mail: MailTable
  keys: KeysTable
  outbox: OutboxTable
  notifiers: NotifiersTable
  tombstones: TombstonesTable
}

/** A row of `runs` as the database gives it; `RunRow` is what callers see. */
export type StoredRun = Selectable<RunsTable>
/** A row of `asks` as the database gives it; `AskRow` is what callers see. */
export type StoredAsk = Selectable<AsksTable>

/** The deadline of an ask that has none. */
export const never = Number.MAX_SAFE_INTEGER
