import assert from 'node:assert/strict'
import {
  ann,
  bob,
  claim,
  newAsk,
  note,
  offer,
  opening,
  otherOffer,
  parked,
  statusOf,
  types,
  working,
} from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'settle'

export const settleCases: StoreCase[] = [
  {
    topic,
    name: 'a settled ask readies its run and lies in the mailbox',
    async run({ first, second, clock }) {
      const { run, ask } = await parked(first)
      clock.advance(9)
      const settle = { ask, outcome: 'approved' as const, by: ann, data: { size: 'M' } }
      const settled = await second.settleAsk(settle)
      assert(settled.case === 'settled')
      assert.equal(settled.claim, undefined)
      const end = { ask, outcome: 'approved', by: ann, data: { size: 'M' }, at: clock.now() }
      assert.equal(settled.ask.state, 'approved')
      assert.deepEqual(settled.ask.end, end)
      assert.deepEqual(await first.getAsk(ask), settled.ask)
      const row = await first.getRun(run)
      assert.equal(row?.status, 'ready')
      assert.equal(row.lastSeq, 3 - 1)
      const { mail } = await claim(first, run)
      assert.deepEqual(
        mail.map((each) => each.kind === 'settled' && each.settlement),
        [{ ask, outcome: 'approved', by: ann, data: { size: 'M' } }],
      )
    },
  },
  {
    topic,
    name: 'with an offer a waiting run is claimed in the same stroke, the settlement in its log and not in its mailbox',
    async run({ first, second, clock }) {
      const { run, ask, fence } = await parked(first)
      clock.advance(9)
      const settled = await second.settleAsk({ ask, outcome: 'refused', by: ann, reason: 'no', claim: offer })
      assert(settled.case === 'settled' && settled.claim)
      assert.equal(settled.claim.fence, fence + 1)
      assert.equal(settled.claim.row.status, 'working')
      assert.equal(settled.claim.row.lastSeq, 3)
      assert.equal(settled.claim.row.attempts, 1)
      assert.deepEqual(settled.claim.mail, [])
      const [event] = await first.readEvents(run, 2)
      assert.equal(event?.type, 'ask.settled')
      assert.equal(event.at, new Date(clock.now()).toISOString())
      assert.deepEqual(event.data, { ask, outcome: 'refused', by: ann, reason: 'no' })
      assert.deepEqual(await second.parkRun(settled.claim, { events: [note(4)] }), { case: 'parked' })
    },
  },
  {
    topic,
    name: 'false, 0, an empty text, null and an empty list are answers',
    async run({ first, second }) {
      for (const data of [false, 0, '', null, []]) {
        const { run, ask } = await parked(first)
        await second.settleAsk({ ask, outcome: 'approved', by: ann, data, claim: offer })
        assert.deepEqual((await first.getAsk(ask))?.end?.data, data)
        const [event] = await first.readEvents(run, 2)
        assert(event?.type === 'ask.settled')
        assert.deepEqual(event.data.data, data)
      }
      const { ask } = await parked(first)
      const settled = await second.settleAsk({ ask, outcome: 'approved', by: ann })
      assert(settled.case === 'settled' && settled.ask.end)
      assert.equal('data' in settled.ask.end, false, 'no data is not the answer null')
    },
  },
  {
    topic,
    name: 'the first of many rivals on both handles settles it, the others hear who did',
    async run({ first, second }) {
      const { run, ask } = await parked(first)
      const rivals = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? first : second).settleAsk({
          ask,
          outcome: index % 3 ? 'approved' : 'refused',
          by: index % 2 ? ann : bob,
          data: index,
          claim: index % 2 ? offer : otherOffer,
        }),
      )
      const results = await Promise.all(rivals)
      const winners = results.filter((result) => result.case === 'settled')
      const losers = results.filter((result) => result.case === 'already')
      assert.equal(winners.length, 1)
      assert.equal(losers.length, 19)
      const [winner] = winners
      assert(winner?.case === 'settled')
      for (const loser of losers) assert.deepEqual(loser.case === 'already' && loser.ask, winner.ask)
      assert.deepEqual(await types(first, run), ['run.started', 'ask.opened', 'ask.settled'])
    },
  },
  {
    topic,
    name: 'the same answer again is a duplicate, whatever became of the run; with other content it is not',
    async run({ first, second, clock }) {
      const { run, ask } = await parked(first, [newAsk({ waitMs: 1000 })])
      const settle = { ask, outcome: 'approved' as const, by: ann, data: 'M', answer: { id: 'a1', hash: 'h1' } }
      const settled = await first.settleAsk({ ...settle, claim: offer })
      assert(settled.case === 'settled' && settled.claim)
      assert.equal(settled.ask.end?.answerId, 'a1')
      assert.deepEqual(await second.settleAsk(settle), { case: 'duplicate', ask: settled.ask })
      clock.advance(5000)
      assert.equal((await second.settleAsk(settle)).case, 'duplicate')
      assert.equal((await second.settleAsk({ ...settle, answer: { id: 'a1', hash: 'h2' } })).case, 'already')
      assert.equal((await second.settleAsk({ ...settle, answer: { id: 'a2', hash: 'h1' } })).case, 'already')
      assert.equal((await second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })).case, 'already')
      await first.finishRun(settled.claim, { events: [] }, { status: 'done' })
      assert.equal((await second.settleAsk(settle)).case, 'duplicate')
      assert.equal((await types(first, run)).filter((type) => type === 'ask.settled').length, 1)
    },
  },
  {
    topic,
    name: 'an answer counts in the last moment and not after it, noticed or not',
    async run({ first, second, clock }) {
      const [inTime, late] = await Promise.all([
        parked(first, [newAsk({ waitMs: 1000 })]),
        parked(first, [newAsk({ waitMs: 1000 })]),
      ])
      clock.advance(1000)
      const settle = { outcome: 'approved' as const, by: ann, data: 'M', answer: { id: 'a', hash: 'h' } }
      assert.equal((await second.settleAsk({ ...settle, ask: inTime.ask })).case, 'settled')
      clock.advance(1)
      const expired = await second.settleAsk({ ...settle, ask: late.ask })
      assert.equal(expired.case, 'expired')
      assert.equal(await statusOf(first, late.run), 'waiting')
      await first.expireAsks(10)
      assert.equal((await second.settleAsk({ ...settle, ask: late.ask })).case, 'expired')
    },
  },
  {
    topic,
    name: 'there is no such ask',
    async run({ first }) {
      assert.deepEqual(await first.settleAsk({ ask: 'none', outcome: 'approved', by: ann }), { case: 'none' })
      assert.equal(await first.getAsk('none'), undefined)
    },
  },
  {
    topic,
    name: 'several asks of one run are settled each on its own; the second finds the run ready and leaves it so',
    async run({ first, second }) {
      const asks = [newAsk(), newAsk({ step: 'question 1.2' }), newAsk({ step: 'question 1.3' })]
      const { run } = await parked(first, asks)
      const settle = (index: number) =>
        second.settleAsk({ ask: asks[index]?.id ?? '', outcome: 'approved', by: ann, data: index })
      await settle(2)
      await settle(0)
      const third = await second.settleAsk({ ask: asks[1]?.id ?? '', outcome: 'approved', by: ann, claim: offer })
      assert(third.case === 'settled')
      assert.equal(third.claim, undefined, 'the offer is for a run that would become ready')
      const { mail } = await claim(first, run)
      assert.deepEqual(
        mail.map((each) => each.kind === 'settled' && each.settlement.ask),
        [asks[2]?.id, asks[0]?.id, asks[1]?.id],
      )
    },
  },
  {
    topic,
    name: 'every ask of a step is found, in the order they opened, and none of another step or run',
    async run({ first, second }) {
      const held = await working(first)
      const asks = [newAsk(), newAsk({ n: 2 }), newAsk({ step: 'tool 1.2' }), newAsk({ repeat: 2 })]
      await first.append(held, opening(2, ...asks))
      await parked(first)
      await second.settleAsk({ ask: asks[0]?.id ?? '', outcome: 'approved', by: ann })
      const found = await second.findAsks(held.run, 'question 1.1')
      assert.deepEqual(
        found.map((ask) => ask.id),
        [asks[0]?.id, asks[1]?.id, asks[3]?.id],
      )
      assert.deepEqual(await second.findAsks(held.run, 'question 9.9'), [])
      assert.deepEqual(await second.findAsks('none', 'question 1.1'), [])
    },
  },
]
