import assert from 'node:assert/strict'
import {
  ann,
  claim,
  done,
  kinds,
  newAsk,
  note,
  offer,
  opening,
  parked,
  statusOf,
  stoppedBy,
  working,
} from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'messages'
const message = { from: 'person' as const, content: 'make it two' }

export const messageCases: StoreCase[] = [
  {
    topic,
    name: 'a message to a waiting run withdraws what is open, then follows it into the mailbox',
    async run({ first, second, clock }) {
      const asks = [newAsk(), newAsk({ step: 'question 1.2' })]
      const { run } = await parked(first, asks)
      clock.advance(3)
      assert.deepEqual(await second.addMessage({ ...message, run }), { case: 'accepted', status: 'ready' })
      const { mail } = await claim(first, run)
      assert.deepEqual(kinds(mail), ['settled', 'settled', 'message'])
      assert.deepEqual(
        mail.map((each) => (each.kind === 'settled' ? each.settlement : each.kind === 'message' && each.content)),
        [
          ...asks.map(({ id }) => ({ ask: id, outcome: 'withdrawn', by: { type: 'run' }, because: 'message' })),
          message.content,
        ],
      )
      const row = await first.getAsk(asks[0]?.id ?? '')
      assert.equal(row?.state, 'withdrawn')
      assert.equal(row.end?.at, clock.now())
      const late = await second.settleAsk({ ask: asks[0]?.id ?? '', outcome: 'approved', by: ann, data: 'M' })
      assert.equal(late.case, 'already')
    },
  },
  {
    topic,
    name: 'with an offer a run at rest is claimed in the same stroke',
    async run({ first, second }) {
      for (const run of [(await parked(first)).run, await done(first)]) {
        const added = await second.addMessage({ ...message, run, claim: offer })
        assert(added.case === 'accepted' && added.claim)
        assert.equal(added.status, 'working')
        assert.equal(added.claim.mail.at(-1)?.kind, 'message')
        assert.equal(added.claim.row.endedAt, undefined)
      }
    },
  },
  {
    topic,
    name: 'a run that works or is ready goes on as it is, the offer is not taken',
    async run({ first, second }) {
      const held = await working(first)
      const added = await second.addMessage({ ...message, run: held.run, claim: offer })
      assert.deepEqual(added, { case: 'accepted', status: 'working' })
      await first.giveBack(held)
      assert.deepEqual(await second.addMessage({ ...message, run: held.run, claim: offer }), {
        case: 'accepted',
        status: 'ready',
      })
      assert.deepEqual(kinds((await claim(first, held.run)).mail), ['message', 'message'])
    },
  },
  {
    topic,
    name: 'a run that is over goes on: it has no end, output or error any more',
    async run({ first, second }) {
      const failing = await working(first)
      const error = { code: 'T2005' as const, message: 'gone' }
      await first.finishRun(failing, { events: [note(2)] }, { status: 'failed', error })
      const stopping = await parked(first)
      await first.stopRun({ run: stopping.run, by: ann, close: stoppedBy(ann) })
      for (const run of [await done(first), failing.run, stopping.run]) {
        assert.notEqual((await first.getRun(run))?.endedAt, undefined)
        assert.deepEqual(await second.addMessage({ ...message, run }), { case: 'accepted', status: 'ready' })
        const row = await first.getRun(run)
        assert(row)
        assert.equal(row.endedAt, undefined)
        assert.equal(row.output, undefined)
        assert.equal(row.error, undefined)
        assert.deepEqual(kinds((await claim(first, run)).mail), ['message'])
      }
    },
  },
  {
    topic,
    name: 'a message while asks of a held run are open withdraws them, and the holder hears of both at its next write',
    async run({ first, second }) {
      const held = await working(first)
      const ask = newAsk()
      await first.append(held, opening(2, ask))
      await second.addMessage({ ...message, run: held.run })
      const kept = await first.append(held, { events: [note(3)] })
      assert(kept.case === 'ok')
      assert.deepEqual(kinds(kept.mail), ['settled', 'message'])
      assert.equal(await statusOf(first, held.run), 'working')
    },
  },
  {
    topic,
    name: 'a key makes a repeat harmless: accepted once, reused with other content, scoped by run',
    async run({ first, second }) {
      const { run } = await parked(first)
      const key = { key: 'k', hash: 'h' }
      assert.equal((await first.addMessage({ ...message, run, key })).case, 'accepted')
      assert.deepEqual(await second.addMessage({ ...message, run, key }), { case: 'same', status: 'ready' })
      assert.deepEqual(await second.addMessage({ ...message, run, key: { key: 'k', hash: 'other' } }), {
        case: 'reused',
      })
      const other = await parked(first)
      assert.equal((await second.addMessage({ ...message, run: other.run, key })).case, 'accepted')
      assert.equal(kinds((await claim(first, run)).mail).filter((kind) => kind === 'message').length, 1)
    },
  },
  {
    topic,
    name: 'there is no such run',
    async run({ first }) {
      assert.deepEqual(await first.addMessage({ ...message, run: 'none' }), { case: 'none' })
    },
  },
]
