import assert from 'node:assert/strict'
import { newEvent } from '../../../core/event.ts'
import type { ChildEnd, Held, Mail, Store } from '../../../store/store.ts'
import {
  ann,
  childOf,
  claim,
  finished,
  kinds,
  newAsk,
  note,
  offer,
  opening,
  statusOf,
  stoppedBy,
  types,
  working,
} from '../fixtures.ts'
import type { StoreBench, StoreCase } from '../store-case.ts'

const topic = 'children'

/** A root that waits for a child, which waits for a person. */
async function delegated(store: Store): Promise<{ root: string; child: Held; ask: string }> {
  const root = await working(store)
  const child = await working(store, { agent: 'helper', trigger: 'delegate', parent: childOf(root.run) })
  const ask = newAsk({ root: { run: root.run, step: 'tool 1.1/tool 1.1', path: ['asker', 'helper'], seq: 1 } })
  await store.parkRun(child, opening(2, ask))
  await store.parkRun(root, { events: [note(2)] })
  return { root: root.run, child, ask: ask.id }
}

function childEnds(mail: Mail[]): ChildEnd[] {
  return mail.flatMap((each) => (each.kind === 'child' ? [each.data] : []))
}

async function stop({ first }: StoreBench, run: string) {
  return first.stopRun({ run, by: ann, close: stoppedBy(ann) })
}

export const childCases: StoreCase[] = [
  {
    topic,
    name: 'a child keeps its call, and its settled ask readies the child, not the root',
    async run({ first, second }) {
      const { root, child, ask } = await delegated(first)
      assert.deepEqual((await second.getRun(child.run))?.parent, childOf(root))
      const settled = await second.settleAsk({ ask, outcome: 'approved', by: ann, claim: offer })
      assert(settled.case === 'settled' && settled.claim)
      assert.equal(settled.claim.run, child.run)
      assert.equal(settled.ask.run, root)
      assert.equal(await statusOf(first, root), 'waiting')
    },
  },
  {
    topic,
    name: 'the end of a child lies in its parent’s mailbox and readies it, in the child’s last transaction',
    async run({ first, second }) {
      const { root, child, ask } = await delegated(first)
      const settled = await second.settleAsk({ ask, outcome: 'approved', by: ann, claim: offer })
      assert(settled.case === 'settled' && settled.claim)
      const usage = { inputTokens: 5, outputTokens: 6, totalTokens: 11 }
      await first.finishRun(settled.claim, { events: [finished(4)], usage }, { status: 'done', output: 'found it' })
      assert.equal(await statusOf(second, root), 'ready')
      const { mail } = await claim(second, root)
      assert.deepEqual(childEnds(mail), [
        { effect: 'eff-1', run: child.run, status: 'done', output: 'found it', usage },
      ])
    },
  },
  {
    topic,
    name: 'a parent that works hears of it at its next write; a failed child says why',
    async run({ first, second }) {
      const root = await working(first)
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      const error = { code: 'T2001' as const, message: 'no model call is left' }
      await second.finishRun(child, { events: [note(2)] }, { status: 'failed', error })
      const kept = await first.append(root, { events: [note(2)] })
      assert(kept.case === 'ok')
      const [end] = childEnds(kept.mail)
      assert.equal(end?.status, 'failed')
      assert.equal(end.output, error.message)
      assert.equal(await statusOf(first, root.run), 'working')
    },
  },
  {
    topic,
    name: 'a stop of the root stops its children at any depth',
    async run(bench) {
      const { first, second } = bench
      const { root, child, ask } = await delegated(first)
      const parent = childOf(child.run, 'eff-2', { root, depth: 2 })
      const grandchild = await working(first, { agent: 'helper', parent })
      assert.deepEqual(await stop(bench, root), { case: 'stopped' })
      for (const run of [root, child.run, grandchild.run]) {
        assert.equal(await statusOf(second, run), 'stopped')
        assert.equal((await types(second, run)).at(-1), 'run.stopped')
      }
      assert.equal((await second.getAsk(ask))?.end?.because, 'stop')
      assert.deepEqual((await second.listAsks({ run: root })).items, [])
      assert.deepEqual(await second.append(grandchild, { events: [note(2)] }), { case: 'lost' })
      await second.addMessage({ run: root, from: 'person', content: 'again' })
      assert.deepEqual(kinds((await claim(second, root)).mail), ['message'], 'the ends of its children are not news')
    },
  },
  {
    topic,
    name: 'a stop of the root closes children first: how they ended, and what they used, stands in their parents’ logs',
    async run(bench) {
      const { first, second } = bench
      const { root, child } = await delegated(first)
      await stop(bench, root)
      const usage = (await second.getRun(child.run))?.usage
      const [, , ended, stopped] = await second.readEvents(root, 0)
      assert.equal(ended?.type, 'tool.returned')
      assert.deepEqual(ended.type === 'tool.returned' && ended.data.usage, usage)
      assert.equal(stopped?.type, 'run.stopped')
    },
  },
  {
    topic,
    name: 'an ask of a child that opens behind a message to the root is withdrawn as it opens, read there or not',
    async run({ first, second }) {
      for (const read of [false, true]) {
        const root = await working(first)
        const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
        await second.addMessage({ run: root.run, from: 'person', content: 'wait' })
        const events = [newEvent(2, 'message.added', { from: 'person', content: 'wait' })]
        const looked = await first.append(root, { events: [] })
        const consumed = looked.case === 'ok' ? looked.mail.map((mail) => mail.id) : []
        if (read) await first.append(root, { events, consumed })
        const place = { run: root.run, step: 'tool 1.1/tool 1.1' as const, path: ['asker', 'helper'] }
        const behind = newAsk({ root: { ...place, seq: 1 } })
        assert.deepEqual(await first.parkRun(child, opening(2, behind)), { case: 'ready' })
        assert.equal((await second.getAsk(behind.id))?.end?.because, 'messageBefore')
        if (!read) continue
        const again = await claim(first, child.run)
        const informed = newAsk({ step: 'tool 1.2', root: { ...place, seq: 2 } })
        await first.append(again, opening(3, informed))
        assert.equal((await second.getAsk(informed.id))?.state, 'open')
      }
    },
  },
  {
    topic,
    name: 'a stop of the root leaves a child that is over as it ended',
    async run(bench) {
      const { first, second } = bench
      const root = await working(first)
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      await first.finishRun(child, { events: [finished(2)] }, { status: 'done', output: 'x' })
      assert.deepEqual(await stop(bench, root.run), { case: 'stopped' })
      assert.equal(await statusOf(second, child.run), 'done')
      assert.deepEqual(await types(second, child.run), ['run.started', 'run.finished'])
    },
  },
  {
    topic,
    name: 'a stop of a child is an end that its parent hears of',
    async run(bench) {
      const { first, second } = bench
      const { root, child } = await delegated(first)
      assert.deepEqual(await stop(bench, child.run), { case: 'stopped' })
      const { mail } = await claim(second, root)
      const [end] = childEnds(mail)
      assert.equal(end?.status, 'stopped')
      assert.equal(end.output, null)
    },
  },
  {
    topic,
    name: 'a message to the root withdraws the asks of its children, and both go on',
    async run({ first, second }) {
      const { root, child, ask } = await delegated(first)
      const added = await second.addMessage({ run: root, from: 'person', content: 'never mind' })
      assert.equal(added.case === 'accepted' && added.readied, true, 'somebody must be told of the child')
      assert.equal((await first.getAsk(ask))?.state, 'withdrawn')
      assert.deepEqual(kinds((await claim(first, child.run)).mail), ['settled'])
      assert.deepEqual(kinds((await claim(first, root)).mail), ['message'])
    },
  },
  {
    topic,
    name: 'a child that ends after its parent is nobody’s news',
    async run({ first, second }) {
      const root = await working(first)
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      await first.finishRun(root, { events: [finished(2)] }, { status: 'done' })
      assert.deepEqual(await second.finishRun(child, { events: [finished(2)] }, { status: 'done' }), { case: 'ok' })
      assert.equal(await statusOf(second, root.run), 'done')
    },
  },
  {
    topic,
    name: 'a parent that is not there is a fault',
    async run({ first }) {
      await assert.rejects(working(first, { parent: childOf('none') }), /none/)
      assert.deepEqual((await first.listRuns({})).items, [])
    },
  },
  {
    topic,
    name: 'a root that waits says whether a run below it works, and who watches it is told of their changes',
    async run({ first, second }) {
      const { root, child, ask } = await delegated(first)
      assert.equal((await second.getRun(root))?.childrenWork, undefined)
      const changed: string[] = []
      const unlisten = second.onChange((run) => changed.push(run))
      await second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
      unlisten()
      assert.ok(changed.includes(root) && changed.includes(child.run))
      assert.equal((await second.getRun(root))?.childrenWork, true)
      const [listed] = (await second.listRuns({ starter: ann })).items
      assert.equal(listed?.childrenWork, true)
    },
  },
]
