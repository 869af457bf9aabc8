import assert from 'node:assert/strict'
import { newEvent } from '../../../core/event.ts'
import { claim, newAsk, note, offer, opening, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'log'

export const logCases: StoreCase[] = [
  {
    topic,
    name: 'events are read back in order, as they were written, with the store’s time',
    async run({ first, second, clock }) {
      const held = await working(first)
      clock.advance(5)
      const events = [note(2, 'a'), note(3, 'b')]
      assert.deepEqual(await first.append(held, { events }), { case: 'ok', mail: [], at: clock.now() })
      const at = new Date(clock.now()).toISOString()
      const read = await second.readEvents(held.run, 1)
      assert.deepEqual(
        read,
        events.map((event) => ({ ...event, run: held.run, at })),
      )
      assert.deepEqual(await second.readEvents(held.run, 1, 1), read.slice(0, 1))
      assert.deepEqual(await second.readEvents(held.run, 3), [])
      assert.deepEqual(await second.readEvents('none', 0), [])
    },
  },
  {
    topic,
    name: 'texts, keys and their order come back byte for byte',
    async run({ first, second }) {
      const held = await working(first)
      const text = '{"z":1,"a":"\\u2028 é 😀 \\u0000 \\ud800","10":1.0}'
      const event = newEvent(2, 'model.replied', {
        turn: 1,
        messages: [text],
        text: '\u0000 NUL, \ud800 half a pair, \u2028',
        calls: [{ id: 'b', tool: 't', input: { z: 1, a: { y: 2, b: [] } }, effect: 'e' }],
        usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
        finish: 'stop',
      })
      await first.append(held, { events: [event] })
      const [read] = await second.readEvents(held.run, 1)
      assert.equal(JSON.stringify(read?.data), JSON.stringify(event.data))
    },
  },
  {
    topic,
    name: 'an event that does not follow the last is a fault, and nothing of its write is there',
    async run({ first, second }) {
      const held = await working(first)
      await assert.rejects(first.append(held, { events: [note(3)] }), /event 1.*event 3/)
      await assert.rejects(first.append(held, { events: [note(2), note(4)] }), /event 2.*event 4/)
      await assert.rejects(first.append(held, { events: [note(1)] }), /event 1/)
      assert.equal((await second.readEvents(held.run, 0)).length, 1)
      assert.equal((await second.getRun(held.run))?.lastSeq, 1)
      assert.equal((await first.append(held, { events: [note(2)] })).case, 'ok')
    },
  },
  {
    topic,
    name: 'an ask opens with its event or not at all',
    async run({ first, second }) {
      const held = await working(first)
      const { events, open } = opening(2, newAsk())
      await assert.rejects(first.append(held, { events }))
      await assert.rejects(first.append(held, { events: [note(2)], open: open ?? [] }))
      assert.equal((await second.readEvents(held.run, 0)).length, 1)
      assert.deepEqual((await second.listAsks({ run: held.run })).items, [])
    },
  },
  {
    topic,
    name: 'an append opens asks and keeps the claim',
    async run({ first, second, clock }) {
      const held = await working(first)
      const ask = newAsk({ waitMs: 1000, key: 'size' })
      assert.equal((await first.append(held, opening(2, ask))).case, 'ok')
      const row = await second.getAsk(ask.id)
      assert.deepEqual(row, {
        ...ask,
        run: held.run,
        owner: held.run,
        agent: 'asker',
        path: ['asker'],
        starter: held.row.starter,
        state: 'open',
        since: clock.now(),
        until: clock.now() + 1000,
      })
      const [opened] = await second.readEvents(held.run, 1)
      assert.equal(opened?.type, 'ask.opened')
      assert.equal(JSON.stringify(opened.data), JSON.stringify(ask))
      assert.equal((await second.getRun(held.run))?.status, 'working')
    },
  },
  {
    topic,
    name: 'a write keeps the round and the usage, and one without them leaves them',
    async run({ first, second, clock }) {
      const held = await working(first)
      const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14, estimated: true as const }
      clock.advance(7)
      await first.append(held, { events: [note(2)], usage, repeat: 3 })
      await first.append(held, { events: [note(3)] })
      const row = await second.getRun(held.run)
      assert.deepEqual(row?.usage, usage)
      assert.equal(row.repeat, 3)
      assert.equal(row.lastSeq, 3)
      assert.equal(row.updatedAt, clock.now())
    },
  },
  {
    topic,
    name: 'a write without events is one too',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'one' })
      const looked = await first.append(held, { events: [] })
      assert(looked.case === 'ok')
      const consumed = looked.mail.map((mail) => mail.id)
      assert.deepEqual(await first.parkRun(held, { events: [], consumed }), { case: 'parked' })
      assert.equal(await second.claimRun({ ...offer, agents: ['asker'] }), undefined)
    },
  },
  {
    topic,
    name: 'a large event comes back whole',
    async run({ first, second }) {
      const held = await working(first)
      const big = 'é'.repeat(300_000)
      await first.append(held, { events: [note(2, big)] })
      const [read] = await second.readEvents(held.run, 1)
      assert(read?.type === 'driver.kept')
      assert.equal(read.data.key, big)
      await first.giveBack(held)
      assert.equal((await claim(second, held.run)).row.lastSeq, 2)
    },
  },
]
