import assert from 'node:assert/strict'
import { ann, childOf, done, newAsk, newRun, offer, parked, stoppedBy, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'counts'
const nothing = { openAsks: 0, oldestAskMs: 0, ready: 0, oldestReadyMs: 0, working: 0, asking: 0 }

export const countCases: StoreCase[] = [
  {
    topic,
    name: 'runs that are over and asks that ended count for nothing',
    async run({ first, second }) {
      assert.deepEqual(await second.countWork(), nothing)
      await done(first)
      const { run, ask } = await parked(first)
      await first.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
      await first.stopRun({ run, by: ann, close: stoppedBy(ann) })
      assert.deepEqual(await second.countWork(), nothing)
    },
  },
  {
    topic,
    name: 'open asks are counted, and the oldest tells how long it has waited, until it ends or its deadline has passed',
    async run({ first, second, clock }) {
      const limited = newAsk({ waitMs: 5_000, step: 'question 1.1' })
      await parked(first, [limited, newAsk({ step: 'question 1.2' })])
      clock.advance(2_000)
      const { ask } = await parked(first)
      clock.advance(3_000)
      assert.deepEqual(await second.countWork(), { ...nothing, openAsks: 3, oldestAskMs: 5_000, asking: 2 })
      clock.advance(1)
      assert.deepEqual(await second.countWork(), { ...nothing, openAsks: 2, oldestAskMs: 5_001, asking: 2 })
      await first.settleAsk({ ask, outcome: 'refused', by: ann, claim: offer })
      assert.deepEqual(await second.countWork(), {
        ...nothing,
        openAsks: 1,
        oldestAskMs: 5_001,
        asking: 1,
        working: 1,
      })
    },
  },
  {
    topic,
    name: 'runs that are ready or held are counted, delegated ones too; the first tells how long it has been ready',
    async run({ first, second, clock }) {
      await first.createRun(newRun())
      clock.advance(1_000)
      await first.createRun(newRun())
      const boss = await working(first)
      await first.createRun(newRun({ trigger: 'delegate', parent: childOf(boss.run) }))
      assert.deepEqual(await second.countWork(), { ...nothing, ready: 3, oldestReadyMs: 1_000, working: 1 })
      await first.parkRun(boss, { events: [] })
      assert.deepEqual(await second.countWork(), { ...nothing, ready: 3, oldestReadyMs: 1_000 })
    },
  },
]
