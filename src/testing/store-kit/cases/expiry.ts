import assert from 'node:assert/strict'
import { claim, newAsk, opening, parked, statusOf, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'expiry'
const dayMs = 86_400_000

export const expiryCases: StoreCase[] = [
  {
    topic,
    name: 'an ask past its deadline is expired by the clock, and its run goes on',
    async run({ first, second, clock }) {
      const { run, ask } = await parked(first, [newAsk({ waitMs: 1000 })])
      clock.advance(1000)
      assert.deepEqual(await second.expireAsks(10), [])
      clock.advance(1)
      assert.deepEqual(await second.expireAsks(10), [run])
      assert.deepEqual(await first.expireAsks(10), [])
      const row = await first.getAsk(ask)
      assert.equal(row?.state, 'expired')
      assert.deepEqual(row.end, { ask, outcome: 'expired', by: { type: 'clock' }, at: clock.now() })
      assert.equal(await statusOf(first, run), 'ready')
      const { mail } = await claim(first, run)
      assert.deepEqual(
        mail.map((each) => each.kind === 'settled' && each.settlement),
        [{ ask, outcome: 'expired', by: { type: 'clock' } }],
      )
    },
  },
  {
    topic,
    name: 'expiries come in batches, the longest overdue first, from both handles each once',
    async run({ first, second, clock }) {
      const runs: string[] = []
      for (const waitMs of [300, 100, 200]) runs.push((await parked(first, [newAsk({ waitMs })])).run)
      clock.advance(1000)
      assert.deepEqual(await first.expireAsks(1), [runs[1]])
      const both = await Promise.all([first.expireAsks(10), second.expireAsks(10)])
      assert.deepEqual(both.flat(), [runs[2], runs[0]])
    },
  },
  {
    topic,
    name: 'a run that works is told too, once, however many of its asks expired',
    async run({ first, second, clock }) {
      const held = await working(first)
      await first.append(held, opening(2, newAsk({ waitMs: 1 }), newAsk({ waitMs: 2, step: 'question 1.2' })))
      clock.advance(100)
      assert.deepEqual(await second.expireAsks(10), [held.run])
      const looked = await first.renewClaim(held, 1000)
      assert(looked.case === 'ok')
      assert.equal(looked.mail.length, 2)
      assert.equal(await statusOf(second, held.run), 'working')
    },
  },
  {
    topic,
    name: 'the nearest deadline is that of an open ask; none where all wait for ever',
    async run({ first, second, clock }) {
      assert.equal(await second.untilDeadline(), undefined)
      await parked(first)
      assert.equal(await second.untilDeadline(), undefined)
      await parked(first, [newAsk({ waitMs: 5000 })])
      const nearest = await parked(first, [newAsk({ waitMs: 3000 })])
      assert.equal(await second.untilDeadline(), 3000)
      await first.settleAsk({ ask: nearest.ask, outcome: 'refused', by: { type: 'system' } })
      clock.advance(6000)
      assert.equal(await second.untilDeadline(), -1000)
    },
  },
  {
    topic,
    name: 'C36: deadlines of 24, 25 and 30 days and five years hold; no deadline is none in ten years',
    async run({ first, second, clock }) {
      const days = [24, 25, 30, 1826]
      const asks: string[] = []
      for (const each of days) asks.push((await parked(first, [newAsk({ waitMs: each * dayMs })])).ask)
      const forEver = (await parked(first)).ask
      clock.advance(1000)
      assert.deepEqual(await second.expireAsks(10), [])
      let elapsed = 1000
      for (const [index, each] of days.entries()) {
        clock.advance(each * dayMs - elapsed)
        elapsed = each * dayMs
        assert.equal((await second.getAsk(asks[index] ?? ''))?.state, 'open')
        assert.deepEqual(await second.expireAsks(10), [])
        clock.advance(1)
        elapsed += 1
        assert.equal((await second.expireAsks(10)).length, 1)
        assert.equal((await second.getAsk(asks[index] ?? ''))?.state, 'expired')
      }
      clock.advance(3650 * dayMs)
      assert.deepEqual(await second.expireAsks(10), [])
      assert.equal((await second.getAsk(forEver))?.state, 'open')
      assert.equal((await second.getAsk(forEver))?.until, undefined)
    },
  },
]
