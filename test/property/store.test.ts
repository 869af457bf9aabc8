import fc from 'fast-check'
import { type FakeClock, fakeClock } from 'querent/testing'
import { expect, test } from 'vitest'
import type { Mail, OutboxEntry, Store } from '../../src/store/store.ts'
import { ann, leaseMs, owner } from '../../src/testing/store-kit/fixtures.ts'
import { newTestStore, onPostgres } from '../setup/test-store.ts'
import { type Command, Commands, rejects } from './store-commands.ts'
import { type ModelRun, StoreModel } from './store-model.ts'
import { slowRunsOf, slowTimeoutMs, Tape, tapes, tellStory } from './tape.ts'

const agents = ['asker', 'helper']

/** Two handles on one new database, a model beside them, and how their numbers of mail go together. */
class Bench {
  readonly clock: FakeClock = fakeClock()
  readonly model = new StoreModel(() => this.clock.now())
  readonly story: string[] = []
  readonly mailIds = new Map<number, number>()
  private readonly database = newTestStore()
  private readonly opened: Store[] = []
  readonly handles: [Store, Store] = [this.open(), this.open()]

  open(): Store {
    // One connection: what is sent at once runs in the order in which it came.
    const store = this.database.open({ clock: this.clock, connections: 1 })
    this.opened.push(store)
    return store
  }

  async close(): Promise<void> {
    for (const store of this.opened) await store.close()
    await this.database.remove()
  }

  /** Sends commands to one handle at once: they share a commit, and run in the order in which they came. */
  async send(commands: Command[], by: 0 | 1): Promise<void> {
    const store = this.handles[by]
    const results = await Promise.allSettled(commands.map(({ call }) => call(store, this.mailIds)))
    for (const [index, { said, expected }] of commands.entries()) {
      const result = results[index] as PromiseSettledResult<unknown>
      if (result.status === 'fulfilled') this.compare(result.value, expected, said)
      else expect(expected, `${said} rejects: ${result.reason}`).toBe(rejects)
    }
  }

  /** The handle dies before it hears what became of its commands, and another takes its place. */
  async sendAndDie(commands: Command[], by: 0 | 1): Promise<void> {
    const store = this.handles[by]
    const under = Promise.allSettled(commands.map(({ call }) => call(store, this.mailIds)))
    this.handles[by] = this.open()
    await under
  }

  compare(given: unknown, expected: unknown, said: string): void {
    expect(this.withModelIds(given, expected), said).toEqual(expected)
  }

  /** Mail by the model's numbers. What is seen for the first time is known from then on, and must be newer. */
  private withModelIds(given: unknown, expected: unknown): unknown {
    if (typeof given !== 'object' || given === null) return given
    if ('claim' in given && isObject(expected) && 'claim' in expected)
      return { ...given, claim: this.withModelIds(given.claim, expected.claim) }
    if (!('mail' in given) || !isObject(expected) || !('mail' in expected)) return given
    return { ...given, mail: this.mailWithModelIds(given.mail as Mail[], expected.mail as Mail[]) }
  }

  private mailWithModelIds(given: Mail[], expected: Mail[]): Mail[] {
    let before = 0
    return given.map((mail, index) => {
      expect(mail.id).toBeGreaterThan(before)
      before = mail.id
      const id = expected[index]?.id ?? -1
      if (!this.mailIds.has(id)) this.mailIds.set(id, mail.id)
      return this.mailIds.get(id) === mail.id ? { ...mail, id } : mail
    })
  }

  /** All that anybody can read, from the other handle. */
  async compareRows(by: 0 | 1): Promise<void> {
    const { model } = this
    const store = this.handles[by]
    for (const run of model.runs.values()) {
      const [row, log] = await Promise.all([store.getRun(run.row.id), store.readEvents(run.row.id, 0)])
      expect(row).toEqual(model.rowOf(run))
      expect(log).toEqual(run.log)
    }
    for (const { row } of model.asks.values()) expect(await store.getAsk(row.id)).toEqual(row)
    await this.compareLists(store)
  }

  private async compareLists(store: Store): Promise<void> {
    const { model, clock } = this
    const roots = [...model.runs.values()].filter(({ row }) => !row.parent).reverse()
    const ofAnn = ({ starter }: { starter: unknown }) => JSON.stringify(starter) === JSON.stringify(ann)
    const isActive = ({ row }: ModelRun) => ['ready', 'working', 'waiting'].includes(row.status)
    const open = model.openAsks().filter(({ until }) => until === undefined || until >= clock.now())
    const [deadline] = model.openAsks()
    expect((await store.listRuns({})).items).toEqual(roots.map((run) => model.rowOf(run)))
    const mine = roots.filter((run) => ofAnn(run.row) && isActive(run)).map((run) => model.rowOf(run))
    expect((await store.listRuns({ starter: ann, active: true })).items).toEqual(mine)
    expect((await store.listAsks({ starter: ann })).items).toEqual(open.filter(ofAnn))
    expect(await store.untilDeadline()).toBe(deadline?.until === undefined ? undefined : deadline.until - clock.now())
    for (const { row } of roots.slice(0, 1)) {
      const asked = [...model.asks.values()].map((ask) => ask.row).filter((ask) => ask.run === row.id)
      expect((await store.listAsks({ run: row.id, open: false })).items).toEqual(asked)
      const atStep = asked.filter(({ step }) => step === 'question 1.1')
      expect(await store.findAsks(row.id, 'question 1.1')).toEqual(atStep)
    }
  }

  /** Claims without naming a run: one that has waited longest, of those that may be claimed. */
  async claimAny(by: 0 | 1): Promise<void> {
    const { model, story } = this
    const request = { owner, leaseMs, agents }
    const claimable = [...model.runs.values()].filter((run) => model.isClaimable(run))
    const oldest = Math.min(...claimable.map((run) => run.due))
    const claim = await this.handles[by].claimRun(request)
    story.push(`claimRun any: ${claim?.run}`)
    const fits = claimable.filter((run) => run.due === oldest).map((run) => run.row.id)
    expect(fits.length === 0 ? [undefined] : fits).toContain(claim?.run)
    if (claim) this.compare(claim, model.claimRun(claim.run, request), 'claimRun any')
  }

  /** The mailbox of every run that may still be worked on, and all that was announced. */
  async compareMail(): Promise<void> {
    this.clock.advance(leaseMs + 1)
    for (const run of [...this.model.runs.values()]) {
      const request = { owner, leaseMs, agents, run: run.row.id }
      const claim = await this.handles[0].claimRun(request)
      this.compare(claim, this.model.claimRun(run.row.id, request), `the mailbox of ${run.row.id}`)
    }
    const entries: OutboxEntry[] = await this.handles[1].takeOutbox('notifier', 10_000, leaseMs)
    expect(entries.map(({ type, ask }) => ({ type, ask: ask.id }))).toEqual(this.model.outbox)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function play(bench: Bench, tape: Tape): Promise<number> {
  const { model, clock, story, mailIds } = bench
  const commands = new Commands(tape, model, mailIds)
  let sent = 0
  await bench.handles[0].addNotifier('notifier')
  while (!tape.ended) {
    const by = tape.pick(2) as 0 | 1
    clock.advance(tape.oneOf([0, 0, 1, 500, 1_000, leaseMs, leaseMs + 1]))
    if (tape.chance(6)) {
      await bench.claimAny(by)
      sent++
    } else {
      const batch = Array.from({ length: tape.oneOf([1, 1, 2, 4]) }, () => commands.next())
      const dies = tape.chance(8)
      story.push(...batch.map(({ said }) => `${clock.now() % 1e6} ${'AB'[by]}${dies ? ' dies' : ''}: ${said}`))
      await (dies ? bench.sendAndDie(batch, by) : bench.send(batch, by))
      sent += batch.length
    }
    await bench.compareRows(by === 0 ? 1 : 0)
    // What waits for people has nothing to read: whatever comes in readies it.
    for (const run of model.runs.values()) if (run.row.status === 'waiting') expect(run.mail).toEqual([])
  }
  await bench.compareMail()
  return sent
}

test(
  'a store does what the table of transitions says, from two handles, through restarts (G1, G2, G5)',
  async () => {
    let sent = 0
    let sequences = 0
    const property = fc.asyncProperty(tapes(800), async (choices) => {
      const bench = new Bench()
      try {
        sent += await play(bench, new Tape(choices))
        sequences++
      } catch (error) {
        throw tellStory(error, bench.story)
      } finally {
        await bench.close()
      }
    })
    await fc.assert(property, slowRunsOf(onPostgres ? 25 : 300))
    // A generator that made nothing would find nothing.
    expect(sent / sequences).toBeGreaterThan(20)
  },
  slowTimeoutMs,
)
