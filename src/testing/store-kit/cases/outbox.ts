import assert from 'node:assert/strict'
import { ann, newAsk, note, opening, parked, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'outbox'

export const outboxCases: StoreCase[] = [
  {
    topic,
    name: 'a notifier is told of asks that opened and settled since it is known, in order',
    async run({ first, second, clock }) {
      await parked(first)
      await first.addNotifier('mail')
      await first.addNotifier('mail')
      clock.advance(1)
      const { run, ask } = await parked(first)
      clock.advance(1)
      await second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
      const entries = await second.takeOutbox('mail', 10, 1000)
      assert.deepEqual(
        entries.map((entry) => [entry.type, entry.ask.id, entry.ask.run]),
        [
          ['ask.opened', ask, run],
          ['ask.settled', ask, run],
        ],
      )
      assert.deepEqual(
        entries.map((entry) => entry.at),
        [clock.now() - 1, clock.now()],
      )
      assert.equal(entries[1]?.ask.state, 'approved')
    },
  },
  {
    topic,
    name: 'entries are leased: nobody else gets them until the lease ends or they are acknowledged',
    async run({ first, second, clock }) {
      await first.addNotifier('mail')
      const { ask } = await parked(first)
      const [entry] = await first.takeOutbox('mail', 1, 1000)
      assert.equal(entry?.ask.id, ask)
      assert.deepEqual(await second.takeOutbox('mail', 1, 1000), [])
      clock.advance(1000)
      assert.equal((await second.takeOutbox('mail', 1, 1000))[0]?.id, entry.id, 'at least once')
      await second.ackOutbox('mail', entry.id)
      assert.deepEqual(await first.takeOutbox('mail', 1, 1000), [])
      await parked(first)
      assert.equal((await first.takeOutbox('mail', 1, 1000)).length, 1)
    },
  },
  {
    topic,
    name: 'each notifier has its own cursor; what is acknowledged does not come again, and never goes back',
    async run({ first, second }) {
      await first.addNotifier('mail')
      await first.addNotifier('chat')
      for (let count = 0; count < 3; count += 1) await parked(first)
      const entries = await first.takeOutbox('mail', 2, 1000)
      assert.equal(entries.length, 2)
      const [one, two] = entries.map((entry) => entry.id)
      await first.ackOutbox('mail', two ?? 0)
      await second.ackOutbox('mail', one ?? 0)
      assert.equal((await second.takeOutbox('mail', 10, 1000)).length, 1)
      assert.equal((await second.takeOutbox('chat', 10, 1000)).length, 3)
      await second.ackOutbox('chat', two ?? 0)
      assert.equal((await second.takeOutbox('chat', 10, 1000)).length, 1)
    },
  },
  {
    topic,
    name: 'a notifier that nobody knows gets nothing; an empty outbox leases nothing',
    async run({ first, second }) {
      assert.deepEqual(await first.takeOutbox('mail', 10, 1000), [])
      await first.addNotifier('mail')
      assert.deepEqual(await first.takeOutbox('mail', 10, 1000), [])
      await parked(first)
      assert.equal((await second.takeOutbox('mail', 10, 1000)).length, 1)
    },
  },
  {
    topic,
    name: 'withdrawn and expired asks are told too, an ask that was never shown is not',
    async run({ first, second, clock }) {
      await first.addNotifier('mail')
      const { run } = await parked(first)
      await second.addMessage({ run, from: 'person', content: 'wait' })
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'wait' })
      await first.parkRun(held, opening(2, newAsk()))
      await parked(first, [newAsk({ waitMs: 1 })])
      clock.advance(10)
      await second.expireAsks(10)
      const ending = await working(first)
      await first.append(ending, opening(2, newAsk()))
      await first.finishRun(ending, { events: [note(3)] }, { status: 'done' })
      const entries = await second.takeOutbox('mail', 20, 1000)
      assert.deepEqual(
        entries.map((entry) => `${entry.type} ${entry.ask.state} ${entry.ask.end?.because ?? ''}`.trim()),
        [
          'ask.opened withdrawn message',
          'ask.settled withdrawn message',
          'ask.opened expired',
          'ask.settled expired',
          'ask.opened withdrawn end',
          'ask.settled withdrawn end',
        ],
      )
    },
  },
  {
    topic,
    name: 'a notifier that is forgotten keeps nothing: what others have still to hear stays, and nothing where there are none',
    async run({ first, second }) {
      await first.addNotifier('mail')
      await first.addNotifier('chat')
      const { ask } = await parked(first)
      const [entry] = await first.takeOutbox('chat', 10, 1000)
      await first.ackOutbox('chat', entry?.id ?? 0)
      assert.equal(await second.removeNotifier('mail'), true)
      assert.equal(await second.removeNotifier('mail'), false)
      assert.deepEqual(await first.takeOutbox('mail', 10, 1000), [])
      await second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
      assert.deepEqual(
        (await first.takeOutbox('chat', 10, 1000)).map((each) => each.type),
        ['ask.settled'],
      )
      await second.removeNotifier('chat')
      await first.addNotifier('mail')
      assert.deepEqual(await first.takeOutbox('mail', 10, 1000), [])
    },
  },
]
