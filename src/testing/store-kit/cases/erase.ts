import assert from 'node:assert/strict'
import { ann, childOf, done, finished, newAsk, newRun, note, opening, parked, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'erase'

export const eraseCases: StoreCase[] = [
  {
    topic,
    name: 'an erased run is gone, with its log, asks, children, outbox and key, and no other run is touched',
    async run({ first, second }) {
      await first.addNotifier('mail')
      const key = { key: 'k', hash: 'h' }
      const root = await working(first, { key })
      const asked = newAsk()
      await first.append(root, opening(2, asked))
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      const inner = newAsk({ root: { run: root.run, step: 'tool 1.1/tool 1.1', path: ['asker', 'helper'], seq: 1 } })
      await first.append(child, opening(2, inner))
      await first.finishRun(child, { events: [finished(3)] }, { status: 'done' })
      const looked = await first.append(root, { events: [] })
      const consumed = looked.case === 'ok' ? looked.mail.map((mail) => mail.id) : []
      await first.finishRun(root, { events: [finished(3)], consumed }, { status: 'done' })
      const other = await parked(first)

      assert.deepEqual(await second.eraseRun(root.run), { case: 'erased' })
      for (const run of [root.run, child.run]) {
        assert.equal(await first.getRun(run), undefined)
        assert.deepEqual(await first.readEvents(run, 0), [])
      }
      assert.equal(await first.getAsk(asked.id), undefined)
      assert.equal(await first.getAsk(inner.id), undefined)
      assert.deepEqual(await first.findAsks(root.run, asked.step), [])
      const entries = await first.takeOutbox('mail', 20, 1000)
      assert.deepEqual(
        entries.map((entry) => entry.ask.id),
        [other.ask],
      )
      assert.equal((await first.getRun(other.run))?.status, 'waiting')
      assert.equal((await first.readEvents(other.run, 0)).length, 2)
      assert.equal((await first.createRun(newRun({ key }))).case, 'created')
      assert.deepEqual(await first.eraseRun(root.run), { case: 'none' })
    },
  },
  {
    topic,
    name: 'a run that is not over, or has a child that is not, stays',
    async run({ first, second }) {
      const { run } = await parked(first)
      assert.deepEqual(await second.eraseRun(run), { case: 'not over' })
      const root = await working(first)
      await working(first, { agent: 'helper', parent: childOf(root.run) })
      await first.finishRun(root, { events: [note(2)] }, { status: 'done' })
      assert.deepEqual(await second.eraseRun(root.run), { case: 'not over' })
      assert.equal((await first.readEvents(root.run, 0)).length, 2)
    },
  },
  {
    topic,
    name: 'what comes to an erased run finds none',
    async run({ first, second }) {
      const run = await done(first)
      await first.eraseRun(run)
      assert.deepEqual(await second.addMessage({ run, from: 'person', content: 'more' }), { case: 'none' })
      assert.deepEqual(await second.stopRun({ run, by: ann, close: () => assert.fail('nothing is to be closed') }), {
        case: 'none',
      })
      assert.deepEqual(await second.retryRun(run), { case: 'none' })
      assert.deepEqual(await second.eraseRun('none'), { case: 'none' })
    },
  },
  {
    topic,
    name: 'runs that ended some time ago are erased, the oldest first; those that are not over stay',
    async run({ first, second, clock }) {
      const old = await done(first)
      clock.advance(1000)
      const next = await done(first)
      const open = await parked(first)
      clock.advance(1000)
      const young = await done(first)
      assert.equal(await second.eraseEnded(1000, 10), 1)
      assert.equal(await first.getRun(old), undefined)
      assert.equal(await second.eraseEnded(0, 1), 1)
      assert.equal(await first.getRun(next), undefined)
      assert.equal(await second.eraseEnded(0, 10), 0)
      assert.equal((await first.getRun(young))?.status, 'done')
      assert.equal((await first.getRun(open.run))?.status, 'waiting')
    },
  },
]
