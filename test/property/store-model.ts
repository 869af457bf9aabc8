import type { Actor, Outcome, Settlement, Withdrawal } from '../../src/core/ask.ts'
import { type NewEvent, newEvent, type RunEvent } from '../../src/core/event.ts'
import type {
  AddMessage,
  AskRow,
  ChildEnd,
  ClaimOffer,
  CreateRun,
  Held,
  Mail,
  OpenedAskWrite,
  RunEnd,
  RunRow,
  SettleAsk,
  Write,
} from '../../src/store/store.ts'
import { stoppedBy } from '../../src/testing/store-kit/fixtures.ts'

/*
 * What a store must do, as plain objects in memory: the table of transitions and the contracts of `Store`, read off line
 * by line and in the same order. It shares no code with a real one. Time is the same fake clock's.
 */

export interface ModelRun {
  row: RunRow
  log: RunEvent[]
  mail: Mail[]
  /** `ready`: since when. `working`: when its lease ends. */
  due: number
  owner?: string
}

interface ModelAsk {
  row: AskRow
  hash?: string
}

const isOver = ({ row }: ModelRun) => ['done', 'failed', 'stopped'].includes(row.status)
const isAtRest = ({ row }: ModelRun) => row.status !== 'ready' && row.status !== 'working'

export class StoreModel {
  readonly runs = new Map<string, ModelRun>()
  readonly asks = new Map<string, ModelAsk>()
  outbox: { type: string; ask: string }[] = []
  private keys = new Map<string, { hash: string; run: string }>()
  private mails = 0
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  createRun(create: CreateRun) {
    const scope = `start/${create.agent}/${JSON.stringify(create.starter)}`
    const taken = this.takeKey(scope, create.key, create.id)
    if (taken) return taken
    if (this.runs.has(create.id)) return { case: 'same', run: create.id }
    const { id, agent, trigger, starter, title, guarded, parent } = create
    const row: RunRow = {
      ...{ id, agent, status: 'ready', trigger, starter, repeat: 1, title, guarded, fence: 0, lastSeq: 0, attempts: 0 },
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      ...{ createdAt: this.now(), updatedAt: this.now() },
      ...(parent ? { parent } : {}),
    }
    const run: ModelRun = { row, log: [], mail: [], due: this.now() }
    this.runs.set(id, run)
    this.write(run, [create.started])
    if (!create.claim) return { case: 'created' }
    return { case: 'created', claim: { ...this.claim(run, create.claim), log: [...run.log] } }
  }

  /** Whether a claim may take a run now. */
  isClaimable({ row, due, owner }: ModelRun, dead: string[] = []): boolean {
    if (row.status === 'ready') return true
    return row.status === 'working' && (due < this.now() || dead.includes(owner ?? ''))
  }

  claimRun(id: string, request: ClaimOffer & { agents: string[]; dead?: string[] }) {
    const run = this.runs.get(id)
    if (!run || !request.agents.includes(run.row.agent) || !this.isClaimable(run, request.dead)) return undefined
    return this.claim(run, request)
  }

  renewClaim(held: Held, leaseMs: number) {
    const run = this.held(held)
    if (!run) return { case: 'lost' }
    run.due = this.now() + leaseMs
    return { case: 'ok', mail: [...run.mail], at: this.now() }
  }

  append(held: Held, write: Write) {
    const run = this.held(held)
    if (!run) return { case: 'lost' }
    this.writeHeld(run, write)
    return { case: 'ok', mail: [...run.mail], at: this.now() }
  }

  parkRun(held: Held, write: Write) {
    const run = this.held(held)
    if (!run) return { case: 'lost' }
    this.writeHeld(run, write)
    this.release(run, run.mail.length > 0 ? 'ready' : 'waiting')
    return { case: run.mail.length > 0 ? 'ready' : 'parked' }
  }

  finishRun(held: Held, write: Write, end: RunEnd) {
    const run = this.held(held)
    if (!run) return { case: 'lost' }
    const left = run.mail.filter((mail) => !write.consumed?.includes(mail.id))
    if (left.some((mail) => mail.kind !== 'message')) return { case: 'mail' }
    this.writeHeld(run, write)
    this.withdraw(run, 'end')
    if (run.mail.some((mail) => mail.kind === 'message')) {
      this.release(run, 'ready')
      return { case: 'ok', readied: true }
    }
    this.release(run, end.status)
    run.row.endedAt = this.now()
    if (end.output !== undefined) run.row.output = end.output
    if (end.error) run.row.error = end.error
    const output = end.status === 'done' ? end.output : end.error?.message
    return this.endChild(run, end.status, output ?? null) ? { case: 'ok', readied: true } : { case: 'ok' }
  }

  giveBack(held: Held) {
    const run = this.held(held)
    if (!run) return { case: 'lost' }
    run.row.attempts = Math.max(run.row.attempts - 1, 0)
    this.release(run, 'ready')
    return { case: 'ok' }
  }

  settleAsk(settle: SettleAsk) {
    const ask = this.asks.get(settle.ask)
    if (!ask) return { case: 'none' }
    const { row } = ask
    const past = row.until !== undefined && row.until < this.now()
    if (row.state !== 'open' || past) {
      const same = settle.answer && row.end?.answerId === settle.answer.id && ask.hash === settle.answer.hash
      if (same) return { case: 'duplicate', ask: row }
      return { case: row.state === 'open' || row.state === 'expired' ? 'expired' : 'already', ask: row }
    }
    const { outcome, by, data, reason, answer } = settle
    const given = { ...(data === undefined ? {} : { data }), ...(reason === undefined ? {} : { reason }) }
    const claim = this.endAsk(row, { ask: row.id, outcome, by, ...given }, settle.claim)
    if (answer && row.end) {
      row.end.answerId = answer.id
      ask.hash = answer.hash
    }
    return { case: 'settled', ask: row, ...(claim ? { claim } : {}) }
  }

  expireAsks(limit: number): string[] {
    const overdue = this.openAsks().filter(({ until }) => until !== undefined && until < this.now())
    const told = overdue.slice(0, limit).map((row) => {
      this.endAsk(row, { ask: row.id, outcome: 'expired', by: { type: 'clock' } }, undefined)
      return row.owner
    })
    return [...new Set(told)]
  }

  addMessage(message: AddMessage) {
    const run = this.runs.get(message.run)
    if (!run) return { case: 'none' }
    const taken = this.takeKey(`say/${message.run}`, message.key, message.run)
    if (taken) return taken.case === 'same' ? { case: 'same', status: run.row.status } : { case: 'reused' }
    let readied = {}
    for (const each of this.family(run)) {
      const withdrawn = this.withdraw(each, 'message')
      for (const settlement of withdrawn) this.put(each, { kind: 'settled', settlement })
      if (each === run || withdrawn.length === 0 || each.row.status !== 'waiting') continue
      this.ready(each)
      readied = { readied: true }
    }
    this.put(run, { kind: 'message', from: message.from, content: message.content })
    if (isAtRest(run)) {
      if (message.claim)
        return { case: 'accepted', claim: this.claim(run, message.claim), status: 'working', ...readied }
      this.ready(run)
    }
    return { case: 'accepted', status: run.row.status, ...readied }
  }

  stopRun(id: string, by: Actor) {
    const run = this.runs.get(id)
    if (!run) return { case: 'none' }
    if (isOver(run)) return { case: 'over', status: run.row.status }
    for (const each of this.family(run).reverse()) {
      if (isOver(each)) continue
      const { events, usage } = stoppedBy(by)(each.log, each.mail)
      this.write(each, events)
      each.row.usage = usage
      this.withdraw(each, 'stop')
      each.mail = []
      each.row.fence++
      each.row.attempts = 0
      this.release(each, 'stopped')
      each.row.endedAt = this.now()
      this.endChild(each, 'stopped', null)
    }
    return { case: 'stopped' }
  }

  retryRun(id: string) {
    const run = this.runs.get(id)
    if (!run) return { case: 'none' }
    if (run.row.status !== 'failed') return { case: 'not failed', status: run.row.status }
    this.ready(run)
    return { case: 'ready' }
  }

  eraseRun(id: string) {
    const run = this.runs.get(id)
    if (!run) return { case: 'none' }
    const family = this.family(run)
    if (!family.every(isOver)) return { case: 'not over' }
    for (const { row } of family) {
      this.runs.delete(row.id)
      for (const [ask, { row: asked }] of this.asks) if (asked.owner === row.id) this.asks.delete(ask)
      for (const [key, value] of this.keys) if (value.run === row.id) this.keys.delete(key)
    }
    this.outbox = this.outbox.filter(({ ask }) => this.asks.has(ask))
    return { case: 'erased' }
  }

  /** Open asks as lists have them: nearest deadline first, then oldest. */
  openAsks(): AskRow[] {
    const open = [...this.asks.values()].map(({ row }) => row).filter(({ state }) => state === 'open')
    return open.sort((a, b) => (a.until ?? Number.POSITIVE_INFINITY) - (b.until ?? Number.POSITIVE_INFINITY) || 0)
  }

  /** As `getRun` gives it. */
  rowOf(run: ModelRun): RunRow {
    const isBusy = ({ row }: ModelRun) => row.status === 'ready' || row.status === 'working'
    const childrenWork = run.row.status === 'waiting' && this.family(run).slice(1).some(isBusy)
    return childrenWork ? { ...run.row, childrenWork } : run.row
  }

  /** A run and the runs below it. */
  family(run: ModelRun): ModelRun[] {
    const family = [run]
    for (const { row } of family) {
      family.push(...[...this.runs.values()].filter((each) => each.row.parent?.run === row.id))
    }
    return family
  }

  private takeKey(scope: string, key: CreateRun['key'], run: string) {
    if (!key) return undefined
    const taken = this.keys.get(`${scope}/${key.key}`)
    if (taken) return { case: taken.hash === key.hash ? 'same' : 'reused', run: taken.run }
    this.keys.set(`${scope}/${key.key}`, { hash: key.hash, run })
    return undefined
  }

  /** Whether that is a claim which its holder still has. */
  holds(held: Held): boolean {
    return this.held(held) !== undefined
  }

  private held({ run: id, fence }: Held): ModelRun | undefined {
    const run = this.runs.get(id)
    return run?.row.status === 'working' && run.row.fence === fence ? run : undefined
  }

  private claim(run: ModelRun, { owner, leaseMs }: ClaimOffer) {
    const { row } = run
    row.status = 'working'
    row.fence++
    row.attempts++
    row.updatedAt = this.now()
    run.due = this.now() + leaseMs
    run.owner = owner.id
    this.forgetEnd(row)
    return { run: row.id, fence: row.fence, row: structuredClone(row), mail: [...run.mail] }
  }

  private ready(run: ModelRun): void {
    this.release(run, 'ready')
    this.forgetEnd(run.row)
  }

  private release(run: ModelRun, status: RunRow['status']): void {
    run.row.status = status
    run.row.updatedAt = this.now()
    run.due = this.now()
    delete run.owner
  }

  private forgetEnd(row: RunRow): void {
    delete row.endedAt
    delete row.output
    delete row.error
  }

  private write({ row, log }: ModelRun, events: NewEvent[]): void {
    for (const event of events) log.push({ ...event, run: row.id, at: new Date(this.now()).toISOString() })
    row.lastSeq += events.length
  }

  private writeHeld(run: ModelRun, write: Write): void {
    run.mail = run.mail.filter((mail) => !write.consumed?.includes(mail.id))
    const messageBefore = run.mail.some((mail) => mail.kind === 'message')
    for (const ask of write.open ?? []) this.openAsk(run, ask, messageBefore)
    this.write(run, write.events)
    run.row.attempts = 0
    run.row.updatedAt = this.now()
    if (write.repeat !== undefined) run.row.repeat = write.repeat
    if (write.usage) run.row.usage = write.usage
  }

  private openAsk(run: ModelRun, { root, ...ask }: OpenedAskWrite, messageBefore: boolean): void {
    const { id, agent, starter } = run.row
    const known = { run: root?.run ?? id, owner: id, agent, path: root?.path ?? [agent], step: root?.step ?? ask.step }
    const times = { since: this.now(), ...(ask.waitMs === undefined ? {} : { until: this.now() + ask.waitMs }) }
    const row: AskRow = { ...ask, ...known, starter, state: 'open', ...times }
    this.asks.set(row.id, { row })
    if (messageBefore || (root && this.wroteTo(root))) {
      const settlement = this.withdrawn(row, 'messageBefore')
      this.put(run, { kind: 'settled', settlement })
    } else {
      this.outbox.push({ type: 'ask.opened', ask: row.id })
    }
  }

  private wroteTo({ run, seq }: { run: string; seq: number }): boolean {
    const { mail, log } = this.runs.get(run) as ModelRun
    return (
      mail.some((each) => each.kind === 'message') ||
      log.some((event) => event.seq > seq && event.type === 'message.added')
    )
  }

  private endAsk(row: AskRow, settlement: Settlement, offer: ClaimOffer | undefined) {
    row.state = settlement.outcome
    row.end = { ...settlement, at: this.now() }
    this.outbox.push({ type: 'ask.settled', ask: row.id })
    const run = this.runs.get(row.owner) as ModelRun
    if (run.row.status === 'waiting' && offer) {
      this.write(run, [newEvent(run.row.lastSeq + 1, 'ask.settled', settlement)])
      return this.claim(run, offer)
    }
    this.put(run, { kind: 'settled', settlement })
    if (run.row.status === 'waiting') this.ready(run)
    return undefined
  }

  private withdraw(run: ModelRun, because: Withdrawal): Settlement[] {
    const open = [...this.asks.values()].filter(({ row }) => row.owner === run.row.id && row.state === 'open')
    return open.map(({ row }) => {
      this.outbox.push({ type: 'ask.settled', ask: row.id })
      return this.withdrawn(row, because)
    })
  }

  private withdrawn(row: AskRow, because: Withdrawal): Settlement {
    const outcome: Outcome = 'withdrawn'
    const settlement: Settlement = { ask: row.id, outcome, by: { type: 'run' }, because }
    row.state = outcome
    row.end = { ...settlement, at: this.now() }
    return settlement
  }

  private put(run: ModelRun, mail: Mail extends infer M ? (M extends Mail ? Omit<M, 'id'> : never) : never): void {
    run.mail.push({ ...mail, id: ++this.mails } as Mail)
  }

  private endChild(run: ModelRun, status: ChildEnd['status'], output: ChildEnd['output']): boolean {
    const parent = run.row.parent && this.runs.get(run.row.parent.run)
    if (!run.row.parent || !parent || isOver(parent)) return false
    const data: ChildEnd = { effect: run.row.parent.effect, run: run.row.id, status, output, usage: run.row.usage }
    this.put(parent, { kind: 'child', data })
    if (parent.row.status !== 'waiting') return false
    this.ready(parent)
    return true
  }
}
