import assert from 'node:assert/strict'
import { ann, claim, kinds, newAsk, note, offer, opening, parked, statusOf, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'park'

export const parkCases: StoreCase[] = [
  {
    topic,
    name: 'a parked run waits, holds no claim, and nobody claims it',
    async run({ first, second, clock }) {
      const { run } = await parked(first)
      const row = await second.getRun(run)
      assert.equal(row?.status, 'waiting')
      assert.equal(row.attempts, 0)
      assert.deepEqual(await second.listOwners('kit-host'), [])
      clock.advance(1_000_000)
      assert.equal(await second.claimRun({ ...offer, agents: ['asker'] }), undefined)
      assert.equal(await second.claimRun({ ...offer, agents: ['asker'], run }), undefined)
    },
  },
  {
    topic,
    name: 'no wake-up is lost: a run whose ask was settled while it worked does not wait',
    async run({ first, second }) {
      const held = await working(first)
      const ask = newAsk()
      await first.append(held, opening(2, ask))
      const settled = await second.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer })
      assert(settled.case === 'settled')
      assert.equal(settled.claim, undefined, 'the run is held: the offer is not taken')
      assert.deepEqual(await first.parkRun(held, { events: [note(3)] }), { case: 'ready' })
      const claimed = await claim(second, held.run)
      assert.deepEqual(
        claimed.mail.map((mail) => mail.kind === 'settled' && mail.settlement),
        [{ ask: ask.id, outcome: 'approved', by: ann, data: 'M' }],
      )
    },
  },
  {
    topic,
    name: 'no wake-up is lost: parking and settling at once on both handles, many times',
    async run({ first, second }) {
      for (let count = 0; count < 20; count += 1) {
        const held = await working(first)
        const ask = newAsk()
        await first.append(held, opening(2, ask))
        const [, settled] = await Promise.all([
          first.parkRun(held, { events: [note(3)] }),
          second.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M' }),
        ])
        assert.equal(settled.case, 'settled')
        assert.equal(await statusOf(first, held.run), 'ready')
        assert.deepEqual(kinds((await claim(first, held.run)).mail), ['settled'])
      }
    },
  },
  {
    topic,
    name: 'mail that the write took into the log is gone, other mail stays',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'one' })
      const looked = await first.append(held, { events: [] })
      assert(looked.case === 'ok')
      await second.addMessage({ run: held.run, from: 'person', content: 'two' })
      const consumed = looked.mail.map((mail) => mail.id)
      const kept = await first.append(held, { events: [note(2)], consumed })
      assert(kept.case === 'ok')
      assert.deepEqual(
        kept.mail.map((mail) => mail.kind === 'message' && mail.content),
        ['two'],
      )
      assert((kept.mail[0]?.id ?? 0) > (consumed[0] ?? 0), 'ids of mail grow')
      const rest = kept.mail.map((mail) => mail.id)
      assert.deepEqual(await first.parkRun(held, { events: [note(3)], consumed: rest }), { case: 'parked' })
    },
  },
  {
    topic,
    name: 'ids of mail grow though the mailbox was empty in between',
    async run({ first }) {
      const held = await working(first)
      const ids: number[] = []
      for (const content of ['one', 'two', 'three']) {
        await first.addMessage({ run: held.run, from: 'person', content })
        const looked = await first.append(held, { events: [] })
        assert(looked.case === 'ok')
        const [mail] = looked.mail
        ids.push(mail?.id ?? 0)
        await first.append(held, { events: [], consumed: [mail?.id ?? 0] })
      }
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((a, b) => a - b),
      )
      assert.equal(ids.length, 3)
    },
  },
  ...['append' as const, 'parkRun' as const].map((method) => ({
    topic,
    name: `${method}: an ask that opens while a message lies in the mailbox is withdrawn at once`,
    async run({ first, second }: Parameters<StoreCase['run']>[0]) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'wait' })
      const ask = newAsk()
      const kept = await first[method](held, opening(2, ask))
      assert.equal(kept.case, method === 'append' ? 'ok' : 'ready')
      const row = await second.getAsk(ask.id)
      assert.equal(row?.state, 'withdrawn')
      assert.equal(row.end?.because, 'messageBefore')
      assert.deepEqual((await second.listAsks({ run: held.run })).items, [])
      if (method === 'append') await first.giveBack(held)
      const { mail } = await claim(second, held.run)
      assert.deepEqual(kinds(mail), ['message', 'settled'])
      const end = { ask: ask.id, outcome: 'withdrawn', by: { type: 'run' }, because: 'messageBefore' }
      assert.deepEqual(
        mail.flatMap((each) => (each.kind === 'settled' ? [each.settlement] : [])),
        [end],
      )
      const late = await second.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M' })
      assert.equal(late.case, 'already')
    },
  })),
  {
    topic,
    name: 'an ask that opens while another one’s answer lies in the mailbox stays open',
    async run({ first, second }) {
      const held = await working(first)
      const [answered, next] = [newAsk(), newAsk({ step: 'question 1.2' })]
      await first.append(held, opening(2, answered))
      await second.settleAsk({ ask: answered.id, outcome: 'approved', by: ann, data: 'M' })
      assert.deepEqual(await first.parkRun(held, opening(3, next)), { case: 'ready' })
      assert.equal((await second.getAsk(next.id))?.state, 'open')
    },
  },
  {
    topic,
    name: 'an ask that opens with the write that takes the message stays open',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'wait' })
      const looked = await first.append(held, { events: [] })
      assert(looked.case === 'ok')
      const ask = newAsk()
      const write = { ...opening(2, ask), consumed: looked.mail.map((mail) => mail.id) }
      assert.deepEqual(await first.parkRun(held, write), { case: 'parked' })
      assert.equal((await second.getAsk(ask.id))?.state, 'open')
    },
  },
]
