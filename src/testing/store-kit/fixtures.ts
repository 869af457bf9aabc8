import assert from 'node:assert/strict'
import { randomId } from '../../core/ambient.ts'
import type { Actor } from '../../core/ask.ts'
import { type NewEvent, newEvent, type ParentCall, type RunEvent } from '../../core/event.ts'
import type {
  Claim,
  ClaimOffer,
  CreateRun,
  Held,
  Mail,
  OpenedAskWrite,
  Owner,
  StopRun,
  Store,
  Write,
} from '../../store/store.ts'

/* What the cases write. */

export const ann = { type: 'person', id: 'ann' } as const
export const bob = { type: 'person', id: 'bob' } as const

export const owner: Owner = { id: 'owner-1', host: 'kit-host', pid: 1, bornAt: '1' }
export const otherOwner: Owner = { id: 'owner-2', host: 'kit-host', pid: 2, bornAt: '2' }
export const leaseMs = 10_000
export const offer: ClaimOffer = { owner, leaseMs }
export const otherOffer: ClaimOffer = { owner: otherOwner, leaseMs }

/** A run to create. */
export function newRun(more: Partial<CreateRun> = {}): CreateRun {
  const id = more.id ?? randomId('run')
  const { agent = 'asker', trigger = 'chat', starter = ann, parent } = more
  const started = newEvent(1, 'run.started', {
    agent,
    fingerprint: 'f',
    trigger,
    starter,
    input: 'I need a T-shirt',
    ...(parent ? { parent } : {}),
  })
  return { title: 'I need a T-shirt', guarded: false, started, ...more, id, agent, trigger, starter }
}

/** An event that any log may have at any place. */
export function note(seq: number, text = 'note'): NewEvent {
  return newEvent(seq, 'driver.kept', { key: text, value: null })
}

export function newAsk(more: Partial<OpenedAskWrite> = {}): OpenedAskWrite {
  return {
    id: randomId('ask'),
    kind: 'question',
    effect: randomId('eff'),
    repeat: 1,
    step: 'question 1.1',
    n: 1,
    tool: 'question',
    input: { question: 'Which size?', choices: ['M', 'L'] },
    options: [{ label: 'M' }, { label: 'L' }],
    answerSchema: { enum: ['M', 'L'] },
    rule: { onExpire: 'refuse', guarded: false },
    ...more,
  }
}

/** The write that opens asks, from `seq` on. */
export function opening(seq: number, ...asks: OpenedAskWrite[]): Write {
  const events = asks.map(({ root: _, ...opened }, index) => newEvent(seq + index, 'ask.opened', opened))
  return { events, open: asks }
}

/** Starts a run and claims it. */
export async function working(store: Store, more: Partial<CreateRun> = {}): Promise<Claim> {
  const created = await store.createRun(newRun({ claim: offer, ...more }))
  assert.equal(created.case, 'created')
  assert(created.case === 'created' && created.claim, 'createRun with an offer gives a claim')
  return created.claim
}

/** Starts a run and parks it on asks. */
export async function parked(
  store: Store,
  asks: OpenedAskWrite[] = [newAsk()],
  more: Partial<CreateRun> = {},
): Promise<{ run: string; ask: string; fence: number; held: Held }> {
  const held = await working(store, more)
  assert.deepEqual(await store.parkRun(held, opening(2, ...asks)), { case: 'parked' })
  return { run: held.run, ask: asks[0]?.id ?? '', fence: held.fence, held }
}

/** Starts a run and ends it. */
export async function done(store: Store, more: Partial<CreateRun> = {}): Promise<string> {
  const held = await working(store, more)
  await store.finishRun(held, { events: [finished(2)] }, { status: 'done', output: 'Done.' })
  return held.run
}

export function finished(seq: number): NewEvent {
  return newEvent(seq, 'run.finished', { text: 'Done.', output: 'Done.' })
}

/** How a child run hangs on the call of a parent. */
export function childOf(parent: string, effect = 'eff-1', more: Partial<ParentCall> = {}): ParentCall {
  return { run: parent, effect, root: parent, depth: 1, path: ['asker'], stepPath: 'tool 1.1', ...more }
}

/** Claims one run, which must be there to be claimed. */
export async function claim(store: Store, run: string, by: ClaimOffer = offer): Promise<Claim> {
  const claimed = await store.claimRun({ ...by, agents: ['asker', 'helper'], run })
  assert(claimed, `run ${run} can be claimed`)
  return claimed
}

export function kinds(mail: Mail[]): string[] {
  return mail.map((each) => each.kind)
}

/** Types of the events of a run. */
export async function types(store: Store, run: string): Promise<string[]> {
  return (await store.readEvents(run, 0)).map((event) => event.type)
}

export async function statusOf(store: Store, run: string): Promise<string | undefined> {
  return (await store.getRun(run))?.status
}

/** Closes a log as an engine would: the whole mailbox first, then the stop. */
export function stoppedBy(by: Actor): StopRun['close'] {
  return (log: RunEvent[], mail: Mail[]) => {
    const events: NewEvent[] = mail.map((each, index) => {
      const seq = log.length + 1 + index
      if (each.kind === 'settled') return newEvent(seq, 'ask.settled', each.settlement)
      if (each.kind === 'message') return newEvent(seq, 'message.added', { from: each.from, content: each.content })
      const { effect, output, usage } = each.data
      return newEvent(seq, 'tool.returned', { effect, result: { type: 'json', value: output }, usage })
    })
    events.push(newEvent(log.length + events.length + 1, 'run.stopped', { by }))
    const used = log.length + events.length
    return { events, usage: { inputTokens: used, outputTokens: 1, totalTokens: used + 1 } }
  }
}
