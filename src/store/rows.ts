import type { Actor, OpenedAsk, Outcome, Settlement } from '../core/ask.ts'
import type { ParentCall, RunEvent, RunStatus, Starter, Trigger } from '../core/event.ts'
import { isoOf } from '../core/view.ts'
import { unpackAsk, unpackEvent } from './packed.ts'
import type { AskRow, Mail, RunRow } from './store.ts'
import { never, type StoredAsk, type StoredRun } from './tables.ts'

/* What the database keeps, as callers see it. */

/** A starter as one text, so that it can stand in an index. */
export function starterText(starter: Starter): string {
  return starter.type === 'person' ? `person:${starter.id}` : 'system'
}

function starterOf(text: string): Starter {
  return text === 'system' ? { type: 'system' } : { type: 'person', id: text.slice('person:'.length) }
}

export function runRowOf(stored: StoredRun): RunRow {
  const row: RunRow = {
    id: stored.id,
    agent: stored.agent,
    status: stored.status as RunStatus,
    trigger: stored.trigger as Trigger,
    starter: starterOf(stored.starter),
    repeat: stored.repeat,
    title: stored.title,
    guarded: stored.guarded === 1,
    fence: stored.fence,
    lastSeq: stored.last_seq,
    attempts: stored.attempts,
    usage: {
      inputTokens: stored.input_tokens,
      outputTokens: stored.output_tokens,
      totalTokens: stored.total_tokens,
    },
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
  }
  if (stored.estimated === 1) row.usage.estimated = true
  const parent = parentCallOf(stored)
  if (parent) row.parent = parent
  if (stored.output !== null) row.output = JSON.parse(stored.output)
  if (stored.error !== null) row.error = JSON.parse(stored.error)
  if (stored.ended_at !== null) row.endedAt = stored.ended_at
  return row
}

export function parentCallOf(stored: StoredRun): ParentCall | undefined {
  return stored.parent_call === null ? undefined : (JSON.parse(stored.parent_call) as ParentCall)
}

/** What is kept of a settlement: the row says which ask and how it ended. */
export function settlementText({ by, data, reason, because }: Omit<Settlement, 'ask' | 'outcome'>): string {
  return JSON.stringify({ by, data, reason, because })
}

export function settlementOf(stored: Pick<StoredAsk, 'id' | 'state' | 'settlement'>): Settlement {
  const kept = JSON.parse(stored.settlement ?? '{}') as { by: Actor } & Pick<Settlement, 'data' | 'reason' | 'because'>
  return { ask: stored.id, outcome: stored.state as Outcome, ...kept }
}

/** A row of `asks` with what its runs tell of it. */
export interface StoredAskOfRun extends StoredAsk {
  owner_id: string
  run_id: string
  agent: string
}

export function askRowOf(stored: StoredAskOfRun): AskRow {
  const row: AskRow = {
    ...unpackAsk(stored.owner_id, stored),
    step: stored.step as OpenedAsk['step'],
    run: stored.run_id,
    owner: stored.owner_id,
    agent: stored.agent,
    path: stored.path === null ? [stored.agent] : (JSON.parse(stored.path) as string[]),
    starter: starterOf(stored.starter),
    state: stored.state as AskRow['state'],
    since: stored.since,
  }
  if (stored.until_at !== never) row.until = stored.until_at
  if (stored.ended_at !== null) {
    row.end = { ...settlementOf(stored), at: stored.ended_at }
    if (stored.answer_id !== null) row.end.answerId = stored.answer_id
  }
  return row
}

/** A row of `events`, with what its ask keeps for it. */
export interface StoredEvent {
  seq: number
  at: number
  type: string
  v: number
  data: string | null
  ask_id: string | null
  step: string | null
  opened: string | null
}

export function eventOf(run: string, stored: StoredEvent): RunEvent {
  const { ask_id: id, step, opened } = stored
  const asked = id !== null && step !== null && opened !== null ? unpackAsk(run, { id, step, opened }) : undefined
  const data = stored.data === null ? asked : unpackEvent(run, stored.data)
  const { type, seq, v, at } = stored
  return { type, seq, v, data, run, at: isoOf(at) } as RunEvent
}

/** What lies in a mailbox, without its id. */
export type NewMail = Mail extends infer M ? (M extends Mail ? Omit<M, 'id'> : never) : never

export function mailOf(stored: { id: number; kind: string; data: string }): Mail {
  return { id: stored.id, kind: stored.kind, ...JSON.parse(stored.data) } as Mail
}

export function mailText({ kind: _, ...data }: NewMail): string {
  return JSON.stringify(data)
}
