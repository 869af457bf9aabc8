import type { AgentInputItem } from '@openai/agents'
import { defaultTexts, type Json, type Session } from 'querent/extension'
import { toPlain } from './decide.ts'
import { patched } from './delta.ts'
import type { Begin, HeldCall, Turn } from './turn.ts'

type Log = Session['log']

/** Where a round begins: after the last turn of those before it, with what the person wrote. */
export function beginRound(log: Log, round: number, input: AgentInputItem[]): Begin {
  const turns = log.flatMap((event) => turnBefore(event, round) ?? [])
  const state = turns.reduce((before: Json, turn) => patched(before, turn.delta), null)
  const held = turns.at(-1)?.held ?? []
  if (held.length === 0) return { state, decisions: [], input }
  const since = log.findLastIndex((event) => turnBefore(event, round) !== undefined)
  return { state, decisions: closedDecisions(log.slice(since), held), input }
}

/** Output tokens that earlier rounds spent. */
export function tokensBefore(log: Log, round: number): number {
  return log.reduce((sum, event) => sum + (turnBefore(event, round)?.reply?.usage?.outputTokens ?? 0), 0)
}

function turnBefore(event: Log[number], round: number): Turn | undefined {
  if (event.type !== 'driver.kept') return undefined
  const of = /^turn (\d+)\./.exec(event.data.key)?.[1]
  return of !== undefined && Number(of) < round ? (event.data.value as Turn) : undefined
}

/**
 * Calls that were held when the run was stopped or failed: the log says what became of each, and nothing runs that was
 * not allowed then. (A message alone ends a round in its own drive, see `drive`.)
 */
function closedDecisions(log: Log, held: HeldCall[]): Begin['decisions'] {
  const told = log.flatMap((opened) => {
    if (opened.type !== 'ask.opened') return []
    const { effect, step } = opened.data
    const returned = log.find((event) => event.type === 'tool.returned' && event.data.effect === effect)
    const message = returned?.type === 'tool.returned' ? toPlain(returned.data.result) : defaultTexts.ended
    return [{ m: Number(step.split('.').at(-1)), message }]
  })
  const messages = told.sort((a, b) => a.m - b.m).map(({ message }) => message)
  // Some were not asked at all: better none of them hears of another's end.
  const isWhole = messages.length === held.length
  return held.map((_, index) => ({
    approved: false,
    message: (isWhole ? messages[index] : undefined) ?? defaultTexts.ended,
  }))
}
