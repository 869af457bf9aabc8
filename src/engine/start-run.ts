import { createHash } from 'node:crypto'
import type { AgentRecord } from '../core/agent.ts'
import type { Person } from '../core/agent-facts.ts'
import { QuerentError } from '../core/error.ts'
import { newEvent, type Trigger } from '../core/event.ts'
import { canonical, type Json } from '../core/json.ts'
import type { UserInput } from '../core/model.ts'
import { textOf } from '../core/view.ts'
import type { Dispatcher } from './dispatcher.ts'
import { refusalOf } from './guard.ts'
import type { EngineParts } from './parts.ts'
import { type Caller, starterOf } from './views.ts'

export interface StartRun {
  agent: string
  input: UserInput
  trigger: Trigger
  key?: string
}

/** What starting, writing and settling need. */
export interface WriteParts extends EngineParts {
  dispatcher: Dispatcher
}

/** Starts a run for a caller: access, guards, then one transaction. */
export async function startRun(parts: WriteParts, caller: Caller, start: StartRun): Promise<{ run: string }> {
  const { registry, store, dispatcher, newId, telemetry } = parts
  const agent = registry.find(start.agent)
  if (!agent)
    throw new QuerentError(
      'T1005',
      `There is no agent "${start.agent}" here. Agents: ${registry.names.join(', ') || 'none'}.`,
    )
  await checkAccess(agent, caller)
  const input = checkInput(start.input)
  const run = newId('run')
  await checkGuards(agent, run, 'input', textOf(input))
  const starter = starterOf(caller)
  const { fingerprint } = registry.equip(agent, { run, agent: agent.name, trigger: start.trigger, starter, depth: 0 })
  const data = { agent: agent.name, fingerprint, trigger: start.trigger, starter, input }
  const trace = telemetry?.current()
  const started = newEvent(1, 'run.started', trace === undefined ? data : { ...data, trace })
  const offer = dispatcher.offer(agent.name)
  const created = await withOffer(dispatcher, offer, () =>
    store.createRun({
      id: run,
      agent: agent.name,
      trigger: start.trigger,
      starter,
      title: titleOfInput(input),
      guarded: agent.guards.in.length > 0,
      started,
      ...keyOf(start.key, input),
      ...(offer ? { claim: offer } : {}),
    }),
  )
  if (created.case === 'created') {
    if (!created.claim) dispatcher.hint()
    return { run }
  }
  if (created.case === 'same') return { run: created.run }
  throw keyReused(start.key)
}

/** Runs a transition with a worker offered to it, and gives the worker what it claimed, or frees it. */
export async function withOffer<T extends { case: string }>(
  dispatcher: Dispatcher,
  offer: ReturnType<Dispatcher['offer']>,
  transition: () => Promise<T>,
): Promise<T> {
  let claim: Parameters<Dispatcher['taken']>[1]
  try {
    const result = await transition()
    if ('claim' in result) claim = result.claim as typeof claim
    return result
  } finally {
    dispatcher.taken(offer, claim)
  }
}

/** The key of a start or a message, with a digest of what it stands for. */
export function keyOf(key: string | undefined, input: UserInput): { key?: { key: string; hash: string } } {
  if (key === undefined) return {}
  if (typeof key !== 'string' || key === '' || key.length > 200)
    throw new QuerentError('T0008', 'A key is a text of 1 to 200 characters.')
  return { key: { key, hash: digestOf(input as Json) } }
}

/** A digest that is equal for equal values. */
export function digestOf(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('base64url')
}

/** What a call is, exactly: equal for equal tools and inputs. */
export function callDigest({ tool, input }: { tool: string; input: Json }): string {
  return digestOf([tool, input])
}

/** The error for a key that stands for another input. */
export function keyReused(key: string | undefined): QuerentError {
  return new QuerentError(
    'T0014',
    `The key ${JSON.stringify(key)} was used with another input. Use a new key for a new input.`,
  )
}

/** @throws QuerentError T0008 where it is not text or user content, or empty. */
export function checkInput(input: UserInput): UserInput {
  if (typeof input === 'string' && input.trim() !== '') return input
  if (Array.isArray(input) && input.length > 0 && input.every(isPart)) return input
  throw new QuerentError(
    'T0008',
    'The input is empty or not readable. Give a text, or a list of parts: { type: "text" | "image" | "file", … }.',
  )
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  if (part.type === 'text') return 'text' in part && typeof part.text === 'string'
  if (part.type === 'image') return 'image' in part && typeof part.image === 'string'
  return (
    part.type === 'file' &&
    'data' in part &&
    typeof part.data === 'string' &&
    'mediaType' in part &&
    typeof part.mediaType === 'string'
  )
}

/** @throws QuerentError T0012 where an in guard refuses what somebody sends. */
export async function checkGuards(agent: AgentRecord, run: string, kind: string, text: string): Promise<void> {
  const reason = await refusalOf(agent, text, { run, direction: 'in', kind })
  if (reason !== undefined) throw new QuerentError('T0012', `Not accepted: ${reason}.`, { data: { reason } })
}

async function checkAccess(agent: AgentRecord, caller: Caller): Promise<void> {
  if (caller.type === 'system' || (await mayStart(agent, caller.person))) return
  throw new QuerentError('T0007', `${JSON.stringify(caller.person.id)} may not start runs of "${agent.name}".`)
}

/** Whether a person may start runs of an agent. */
export async function mayStart({ access }: AgentRecord, person: Person): Promise<boolean> {
  return typeof access === 'function' ? (await access(person)) === true : access !== 'system'
}

/** Databases keep another sign in place of these: what they made alike would be one person. */
function isKeptAsItIs(id: string): boolean {
  return id.isWellFormed() && !id.includes('\0')
}

/** @throws QuerentError T0007 where it is not a person with an id. */
export function checkPerson(person: Person): Person {
  const { id } = person ?? {}
  if (typeof id === 'string' && id !== '' && isKeptAsItIs(id)) return person
  const message =
    'Nobody is signed in: a person needs an id, a text that is not empty, without NUL and half characters.'
  throw new QuerentError('T0007', message, { status: 401 })
}

function titleOfInput(input: UserInput): string {
  return [...textOf(input).replace(/\s+/g, ' ').trim()].slice(0, 200).join('')
}
