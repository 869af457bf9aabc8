import assert from 'node:assert/strict'
import { code, QuerentError } from '../../../core/error.ts'
import type { Store } from '../../../store/store.ts'
import { ann, bob, childOf, done, newAsk, newRun, note, opening, parked, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'lists'

/** Walks a list page by page, with pages of `limit`. */
async function walk<T>(list: (after?: string) => Promise<{ items: T[]; cursor?: string }>): Promise<T[][]> {
  const pages: T[][] = []
  let after: string | undefined
  do {
    const page = await list(after)
    pages.push(page.items)
    after = page.cursor
  } while (after !== undefined && pages.length < 20)
  return pages
}

async function idsOf(store: Store, list: Parameters<Store['listRuns']>[0]): Promise<string[]> {
  return (await store.listRuns(list)).items.map((run) => run.id)
}

export const listCases: StoreCase[] = [
  {
    topic,
    name: 'runs come newest first, filtered by starter, status, agent and whether they are over',
    async run({ first, second }) {
      const one = await done(first)
      const two = (await parked(first, [newAsk()], { agent: 'helper' })).run
      const three = (await parked(first, [newAsk()], { starter: bob })).run
      const four = (await working(first)).run
      assert.deepEqual(await idsOf(second, {}), [four, three, two, one])
      assert.deepEqual(await idsOf(second, { starter: ann }), [four, two, one])
      assert.deepEqual(await idsOf(second, { starter: ann, active: true }), [four, two])
      assert.deepEqual(await idsOf(second, { active: true }), [four, three, two])
      assert.deepEqual(await idsOf(second, { status: 'waiting' }), [three, two])
      assert.deepEqual(await idsOf(second, { status: 'done' }), [one])
      assert.deepEqual(await idsOf(second, { status: 'done', active: true }), [])
      assert.deepEqual(await idsOf(second, { starter: ann, status: 'done' }), [one])
      assert.deepEqual(await idsOf(second, { agent: 'helper' }), [two])
      assert.deepEqual(await idsOf(second, { starter: { type: 'system' } }), [])
    },
  },
  {
    topic,
    name: 'a person’s runs are nobody else’s, whatever the ids look like',
    async run({ first, second }) {
      const system = newRun({ starter: { type: 'system' }, trigger: 'system' })
      const person = newRun({ starter: { type: 'person', id: 'system' } })
      const empty = newRun({ starter: { type: 'person', id: '' } })
      for (const run of [system, person, empty]) await first.createRun(run)
      for (const run of [system, person, empty]) {
        assert.deepEqual(await idsOf(second, { starter: run.starter }), [run.id])
        assert.deepEqual((await second.getRun(run.id))?.starter, run.starter)
      }
    },
  },
  {
    topic,
    name: 'pages of runs hold each run once, though new ones come while somebody turns the page',
    async run({ first, second }) {
      const runs: string[] = []
      for (let count = 0; count < 5; count += 1) runs.unshift((await parked(first)).run)
      const pages = await walk(async (after) => {
        const page = await second.listRuns({ limit: 2, after })
        await parked(first)
        return page
      })
      assert.deepEqual(
        pages.map((page) => page.map((run) => run.id)),
        [runs.slice(0, 2), runs.slice(2, 4), runs.slice(4)],
      )
    },
  },
  {
    topic,
    name: 'a last page that is full has no cursor, an empty list neither',
    async run({ first, second }) {
      assert.deepEqual(await second.listRuns({}), { items: [] })
      assert.deepEqual(await second.listAsks({}), { items: [] })
      await parked(first)
      await parked(first)
      assert.equal((await second.listRuns({ limit: 2 })).cursor, undefined)
      assert.equal((await second.listAsks({ limit: 2 })).cursor, undefined)
    },
  },
  {
    topic,
    name: 'a page holds 50 at first, 200 at most',
    async run({ first, second }) {
      const runs = Array.from({ length: 205 }, () => first.createRun(newRun()))
      await Promise.all(runs)
      assert.equal((await second.listRuns({})).items.length, 50)
      assert.equal((await second.listRuns({ limit: 1000 })).items.length, 200)
      assert.equal((await second.listRuns({ limit: 0 })).items.length, 1)
    },
  },
  {
    topic,
    name: 'a cursor that no list gave is refused',
    async run({ first }) {
      for (const after of [
        '',
        'nonsense',
        Buffer.from('1.2.3').toString('base64url'),
        Buffer.from('a').toString('base64url'),
      ]) {
        const isT0008 = (error: unknown) => error instanceof QuerentError && error.is(code.T0008)
        await assert.rejects(first.listRuns({ after }), isT0008)
        await assert.rejects(first.listAsks({ after }), isT0008)
      }
    },
  },
  {
    topic,
    name: 'open asks come with the nearest deadline first, those without one last, then the oldest first',
    async run({ first, second, clock }) {
      const asks: string[] = []
      for (const waitMs of [undefined, 9000, 3000, undefined, 3000]) {
        asks.push((await parked(first, [newAsk(waitMs === undefined ? {} : { waitMs })])).ask)
      }
      const order = [2, 4, 1, 0, 3].map((index) => asks[index])
      const listed = await second.listAsks({ starter: ann })
      assert.deepEqual(
        listed.items.map((ask) => ask.id),
        order,
      )
      const pages = await walk((after) => second.listAsks({ limit: 2, after }))
      assert.deepEqual(
        pages.map((page) => page.map((ask) => ask.id)),
        [order.slice(0, 2), order.slice(2, 4), order.slice(4)],
      )
      clock.advance(3001)
      assert.deepEqual(
        (await second.listAsks({})).items.map((ask) => ask.id),
        order.slice(2),
        'past its deadline an ask is not listed, noticed or not',
      )
    },
  },
  {
    topic,
    name: 'asks are listed by starter and by run; settled ones only where they are asked for',
    async run({ first, second }) {
      const asks = [newAsk(), newAsk({ step: 'question 1.2' })]
      const { run } = await parked(first, asks)
      const other = await parked(first, [newAsk()], { starter: bob })
      await first.settleAsk({ ask: asks[0]?.id ?? '', outcome: 'approved', by: ann, data: 'M' })
      const ids = async (list: Parameters<Store['listAsks']>[0]) =>
        (await second.listAsks(list)).items.map((ask) => ask.id)
      assert.deepEqual(await ids({ starter: ann }), [asks[1]?.id])
      assert.deepEqual(await ids({ starter: bob }), [other.ask])
      assert.deepEqual(await ids({ run }), [asks[1]?.id])
      assert.deepEqual(await ids({ run, starter: bob }), [])
      assert.deepEqual(await ids({ run, open: false }), [asks[0]?.id, asks[1]?.id])
      assert.deepEqual(await ids({ run, open: false, limit: 1 }), [asks[0]?.id])
      const pages = await walk((after) => second.listAsks({ run, open: false, limit: 1, after }))
      assert.deepEqual(
        pages.flat().map((ask) => ask.state),
        ['approved', 'open'],
      )
      await assert.rejects(second.listAsks({ open: false }), /run/)
    },
  },
  {
    topic,
    name: 'lists show roots; the asks of a child are those of its root',
    async run({ first, second }) {
      const root = await working(first)
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      const path = ['asker', 'helper']
      const ask = newAsk({
        step: 'tool 1.1',
        kind: 'approval',
        root: { run: root.run, step: 'tool 1.1/tool 1.1', path, seq: 1 },
      })
      await first.parkRun(child, opening(2, ask))
      assert.deepEqual(await idsOf(second, {}), [root.run])
      assert.deepEqual(await idsOf(second, { status: 'waiting' }), [])
      const [row] = (await second.listAsks({ run: root.run })).items
      assert.equal(row?.id, ask.id)
      assert.equal(row.run, root.run)
      assert.equal(row.owner, child.run)
      assert.equal(row.agent, 'helper')
      assert.deepEqual(row.path, path)
      assert.equal(row.step, 'tool 1.1/tool 1.1')
      assert.equal('root' in row, false)
      assert.deepEqual((await second.listAsks({ starter: ann })).items, [row])
      assert.deepEqual(await second.findAsks(root.run, 'tool 1.1/tool 1.1'), [row])
      assert.deepEqual(await second.findAsks(child.run, 'tool 1.1'), [])
      const [opened] = await second.readEvents(child.run, 1)
      assert.deepEqual(
        opened?.type === 'ask.opened' && opened.data.step,
        'tool 1.1',
        'the log has the child’s own step',
      )
      await first.append(root, { events: [note(2)] })
    },
  },
]
