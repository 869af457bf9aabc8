import { newEvent } from '../../src/core/event.ts'
import type { ClaimOffer, CreateRun, Held, OpenedAskWrite, RunEnd, Store, Write } from '../../src/store/store.ts'
import {
  childOf,
  leaseMs,
  newAsk,
  newRun,
  note,
  otherOwner,
  owner,
  stoppedBy,
} from '../../src/testing/store-kit/fixtures.ts'
import type { ModelRun, StoreModel } from './store-model.ts'
import type { Tape } from './tape.ts'

const agents = ['asker', 'helper']
const people = [
  { type: 'person', id: 'ann' },
  { type: 'person', id: 'bob' },
] as const

/** One call of a store, and what the model says of it. `rejects`: it is a fault, and nothing of it may be there. */
export interface Command {
  said: string
  call(store: Store, mailIds: ReadonlyMap<number, number>): Promise<unknown>
  expected: unknown
}

export const rejects = Symbol('rejects')

/** Makes commands that fit the state of the model, or nearly: with old fences, used keys, ended asks, unknown runs. */
export class Commands {
  private readonly tape: Tape
  private readonly model: StoreModel
  /** Mail that a store has shown, by the model's number. */
  private readonly shown: ReadonlyMap<number, number>
  private count = 0

  constructor(tape: Tape, model: StoreModel, shown: ReadonlyMap<number, number>) {
    this.tape = tape
    this.model = model
    this.shown = shown
  }

  next(): Command {
    const { tape, model } = this
    if (model.runs.size === 0) return this.createRun()
    const makers = [
      ...[this.createRun, this.createRun, this.claimRun, this.claimRun, this.append, this.append, this.append],
      ...[this.parkRun, this.parkRun, this.parkRun, this.finishRun, this.finishRun, this.settleAsk, this.settleAsk],
      ...[this.settleAsk, this.expireAsks, this.addMessage, this.addMessage, this.stopRun, this.retryRun],
      ...[this.giveBack, this.renewClaim, this.eraseRun, this.badWrite],
    ]
    return tape.oneOf(makers).call(this)
  }

  private command(said: string, expected: unknown, call: Command['call']): Command {
    return { said: said.slice(0, 300), expected: expected === rejects ? rejects : structuredClone(expected), call }
  }

  private createRun(): Command {
    const { tape, model } = this
    const parents = [...model.runs.values()].filter(
      ({ row }) => row.status === 'working' && (row.parent?.depth ?? 0) < 2,
    )
    const parent = parents.length > 0 && tape.chance(4) ? tape.oneOf(parents) : undefined
    const more: Partial<CreateRun> = parent ? childPlace(parent, ++this.count) : this.rootPlace()
    const id = tape.chance(10) && model.runs.size > 0 && !more.key ? tape.oneOf([...model.runs.keys()]) : undefined
    const create = newRun({ ...more, id: id ?? `run_${++this.count}`, ...this.offer() })
    return this.command(
      `createRun ${create.id} ${JSON.stringify({ ...create, started: undefined })}`,
      model.createRun(create),
      (store) => store.createRun(create),
    )
  }

  private rootPlace(): Partial<CreateRun> {
    const { tape } = this
    const key = tape.chance(3) ? { key: { key: tape.oneOf(['k1', 'k2']), hash: tape.oneOf(['h1', 'h2']) } } : {}
    return { agent: tape.oneOf(agents), starter: tape.oneOf(people), ...key }
  }

  private offer(): { claim?: ClaimOffer } {
    const { tape } = this
    return tape.chance(2) ? { claim: { owner: tape.oneOf([owner, otherOwner]), leaseMs } } : {}
  }

  private runs(): ModelRun[] {
    return [...this.model.runs.values()]
  }

  private someRun(): string {
    const { tape } = this
    return tape.chance(12) || this.runs().length === 0 ? 'run_none' : tape.oneOf(this.runs()).row.id
  }

  /** A claim: mostly one that somebody holds now, else one that was or never will be. */
  private someHeld(): Held {
    const { tape } = this
    const working = this.runs().filter(({ row }) => row.status === 'working')
    const pool = working.length > 0 && !tape.chance(5) ? working : this.runs()
    if (pool.length === 0) return { run: 'run_none', fence: 1 }
    const { row } = tape.oneOf(pool)
    return { run: row.id, fence: row.fence + tape.oneOf([0, 0, 0, 0, 0, -1, 1]) }
  }

  private claimRun(): Command {
    const { tape, model } = this
    const dead = tape.chance(4) ? { dead: [tape.oneOf([owner, otherOwner]).id] } : {}
    const by = { owner: tape.oneOf([owner, otherOwner]), leaseMs }
    const request = { ...by, agents: tape.oneOf([agents, agents, ['asker']]), ...dead, run: this.someRun() }
    const expected = model.claimRun(request.run, request)
    return this.command(`claimRun ${JSON.stringify(request)}`, expected, (store) => store.claimRun(request))
  }

  private renewClaim(): Command {
    const held = this.someHeld()
    const expected = this.model.renewClaim(held, leaseMs)
    return this.command(`renewClaim ${JSON.stringify(held)}`, expected, (store) => store.renewClaim(held, leaseMs))
  }

  /** What a holder writes: notes, asks that open, mail taken into the log. */
  private write(held: Held): Write {
    const { tape, model } = this
    const run = model.runs.get(held.run)
    let seq = run?.row.lastSeq ?? 0
    const events = Array.from({ length: tape.pick(3) }, () => note(++seq))
    const open = Array.from({ length: tape.oneOf([0, 0, 1, 1, 2]) }, () => this.ask(run))
    for (const { root: _, ...opened } of open) events.push(newEvent(++seq, 'ask.opened', opened))
    const known = (run?.mail ?? []).map((mail) => mail.id).filter((id) => this.shown.has(id))
    const consumed = known.slice(0, tape.oneOf([known.length, known.length, 0, 1]))
    const usage = { inputTokens: seq, outputTokens: seq, totalTokens: 2 * seq }
    return { events, open, consumed, ...(tape.chance(2) ? { usage, repeat: 1 + tape.pick(3) } : {}) }
  }

  private ask(run: ModelRun | undefined): OpenedAskWrite {
    const { tape } = this
    const parent = run?.row.parent
    const wait = tape.oneOf([{}, { waitMs: 1_000 }, { waitMs: 60_000 }])
    const root = parent && {
      run: parent.root,
      step: 'tool 1.1/tool 1.1' as const,
      path: [...parent.path, run.row.agent],
      seq: this.tape.pick(1 + (this.model.runs.get(parent.root)?.row.lastSeq ?? 0)),
    }
    return newAsk({ id: `ask_${++this.count}`, n: this.count, ...wait, ...(root ? { root } : {}) })
  }

  private append(): Command {
    const held = this.someHeld()
    const write = this.write(held)
    const said = `append ${JSON.stringify({ held, write })}`
    return this.command(said, this.model.append(held, write), (store, ids) => store.append(held, real(write, ids)))
  }

  private parkRun(): Command {
    const held = this.someHeld()
    const write = this.write(held)
    const said = `parkRun ${JSON.stringify({ held, write })}`
    return this.command(said, this.model.parkRun(held, write), (store, ids) => store.parkRun(held, real(write, ids)))
  }

  private finishRun(): Command {
    const held = this.someHeld()
    const write = this.write(held)
    const end: RunEnd = this.tape.oneOf<RunEnd>([
      { status: 'done', output: 'Done.' },
      { status: 'done', output: { n: 1 } },
      { status: 'failed', error: { code: 'T2005', message: 'It failed.' } },
    ])
    const expected = this.model.finishRun(held, write, end)
    const said = `finishRun ${JSON.stringify({ held, write, end })}`
    return this.command(said, expected, (store, ids) => store.finishRun(held, real(write, ids), end))
  }

  /** A write that a sane holder never makes: a gap in the log, or an ask without its event. */
  private badWrite(): Command {
    const held = this.someHeld()
    const lastSeq = this.model.runs.get(held.run)?.row.lastSeq ?? 0
    const { root: _, ...opened } = this.ask(undefined)
    const write: Write = this.tape.oneOf([
      { events: [note(lastSeq + 1), note(lastSeq + 3)], consumed: [...this.shown.values()] },
      { events: [note(lastSeq + 1)], open: [opened] },
      { events: [newEvent(lastSeq + 1, 'ask.opened', opened)] },
    ])
    if (this.model.holds(held))
      return this.command(`badWrite ${JSON.stringify({ held, write })}`, rejects, (store) => store.append(held, write))
    return this.command('badWrite, lost', { case: 'lost' }, (store) => store.append(held, write))
  }

  private settleAsk(): Command {
    const { tape, model } = this
    const all = [...model.asks.keys()]
    const open = model.openAsks().map(({ id }) => id)
    const ask = tape.oneOf(open.length > 0 && !tape.chance(3) ? open : [...all, 'ask_none'])
    const outcome = tape.oneOf(['approved', 'refused'] as const)
    const answer = tape.chance(2) ? { answer: { id: tape.oneOf(['a1', 'a2']), hash: tape.oneOf(['h1', 'h2']) } } : {}
    const given =
      outcome === 'approved' ? { data: tape.oneOf(['M', null, { n: 0 }]) } : tape.oneOf([{}, { reason: 'no' }])
    const settle = { ask, outcome, by: tape.oneOf(people), ...given, ...answer, ...this.offer() }
    return this.command(`settleAsk ${JSON.stringify(settle)}`, model.settleAsk(settle), (store) =>
      store.settleAsk(settle),
    )
  }

  private expireAsks(): Command {
    const limit = this.tape.oneOf([100, 1, 2])
    return this.command(`expireAsks ${limit}`, this.model.expireAsks(limit), (store) => store.expireAsks(limit))
  }

  private addMessage(): Command {
    const { tape } = this
    const key = tape.chance(3) ? { key: { key: tape.oneOf(['k1', 'k2']), hash: tape.oneOf(['h1', 'h2']) } } : {}
    const message = {
      run: this.someRun(),
      from: 'person' as const,
      content: `m${++this.count}`,
      ...key,
      ...this.offer(),
    }
    const expected = this.model.addMessage(message)
    return this.command(`addMessage ${JSON.stringify(message)}`, expected, (store) => store.addMessage(message))
  }

  private stopRun(): Command {
    const run = this.someRun()
    const by = this.tape.oneOf(people)
    const expected = this.model.stopRun(run, by)
    return this.command(`stopRun ${run}`, expected, (store) => store.stopRun({ run, by, close: stoppedBy(by) }))
  }

  private retryRun(): Command {
    const run = this.someRun()
    return this.command(`retryRun ${run}`, this.model.retryRun(run), (store) => store.retryRun(run))
  }

  private giveBack(): Command {
    const held = this.someHeld()
    return this.command(`giveBack ${JSON.stringify(held)}`, this.model.giveBack(held), (store) => store.giveBack(held))
  }

  private eraseRun(): Command {
    const run = this.someRun()
    return this.command(`eraseRun ${run}`, this.model.eraseRun(run), (store) => store.eraseRun(run))
  }
}

function childPlace({ row }: ModelRun, count: number): Partial<CreateRun> {
  const root = row.parent?.root ?? row.id
  const path = [...(row.parent?.path ?? []), row.agent]
  const parent = childOf(row.id, `effect_${count}`, { root, path, depth: path.length })
  return { agent: 'helper', starter: row.starter, trigger: 'delegate', parent }
}

/** A write as the store must have it: with the ids that it gave to the mail itself. */
function real(write: Write, mailIds: ReadonlyMap<number, number>): Write {
  return { ...write, consumed: (write.consumed ?? []).map((id) => mailIds.get(id) ?? -1) }
}
