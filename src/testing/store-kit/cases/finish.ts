import assert from 'node:assert/strict'
import { ann, claim, finished, kinds, newAsk, note, offer, opening, statusOf, types, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'finish'

export const finishCases: StoreCase[] = [
  {
    topic,
    name: 'a finished run is over, with its output, and nobody holds or claims it',
    async run({ first, second, clock }) {
      const held = await working(first)
      clock.advance(4)
      const end = { status: 'done' as const, output: { text: 'Done.' } }
      const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
      assert.deepEqual(await first.finishRun(held, { events: [finished(2)], usage }, end), { case: 'ok' })
      const row = await second.getRun(held.run)
      assert.equal(row?.status, 'done')
      assert.deepEqual(row.output, end.output)
      assert.equal(row.endedAt, clock.now())
      assert.deepEqual(row.usage, usage)
      assert.deepEqual(await types(second, held.run), ['run.started', 'run.finished'])
      clock.advance(1_000_000)
      assert.equal(await second.claimRun({ ...offer, agents: ['asker'] }), undefined)
      assert.deepEqual(await first.append(held, { events: [note(3)] }), { case: 'lost' })
    },
  },
  {
    topic,
    name: 'a failed run has its error; an output of null is one',
    async run({ first, second }) {
      const failing = await working(first)
      const error = { code: 'T2001' as const, message: 'no model call is left' }
      await first.finishRun(failing, { events: [note(2)] }, { status: 'failed', error })
      const row = await second.getRun(failing.run)
      assert.equal(row?.status, 'failed')
      assert.deepEqual(row.error, error)
      assert.equal(row.output, undefined)
      const nothing = await working(first)
      await first.finishRun(nothing, { events: [finished(2)] }, { status: 'done', output: null })
      assert.equal((await second.getRun(nothing.run))?.output, null)
    },
  },
  {
    topic,
    name: 'open asks are withdrawn, and nobody hears of it in the mailbox',
    async run({ first, second }) {
      const held = await working(first)
      const ask = newAsk()
      await first.append(held, opening(2, ask))
      assert.deepEqual(await first.finishRun(held, { events: [finished(3)] }, { status: 'done' }), { case: 'ok' })
      const row = await second.getAsk(ask.id)
      assert.equal(row?.state, 'withdrawn')
      assert.equal(row.end?.because, 'end')
      assert.deepEqual(row.end.by, { type: 'run' })
      await second.addMessage({ run: held.run, from: 'person', content: 'more' })
      assert.deepEqual(kinds((await claim(first, held.run)).mail), ['message'])
    },
  },
  {
    topic,
    name: 'an answer that the log does not have yet comes first: nothing of the end is written',
    async run({ first, second }) {
      const held = await working(first)
      const [open, settled] = [newAsk(), newAsk({ step: 'question 1.2' })]
      await first.append(held, opening(2, open, settled))
      await second.settleAsk({ ask: settled.id, outcome: 'approved', by: ann, data: 'M' })
      const write = { events: [finished(4)] }
      assert.deepEqual(await first.finishRun(held, write, { status: 'done' }), { case: 'mail' })
      assert.equal(await statusOf(second, held.run), 'working')
      assert.deepEqual(await types(second, held.run), ['run.started', 'ask.opened', 'ask.opened'])
      assert.equal((await second.getAsk(open.id))?.state, 'open')
      const looked = await first.append(held, { events: [] })
      assert(looked.case === 'ok')
      const consumed = looked.mail.map((mail) => mail.id)
      assert.deepEqual(await first.finishRun(held, { ...write, consumed }, { status: 'done' }), { case: 'ok' })
    },
  },
  {
    topic,
    name: 'a message that came meanwhile readies the run instead of leaving it over',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'more' })
      assert.deepEqual(await first.finishRun(held, { events: [finished(2)] }, { status: 'done', output: 'x' }), {
        case: 'ok',
        readied: true,
      })
      const row = await second.getRun(held.run)
      assert.equal(row?.status, 'ready')
      assert.equal(row.endedAt, undefined)
      assert.equal(row.output, undefined)
      assert.deepEqual(kinds((await claim(second, held.run)).mail), ['message'])
    },
  },
  {
    topic,
    name: 'a message that the last write took does not ready it',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'more' })
      const looked = await first.append(held, { events: [] })
      assert(looked.case === 'ok')
      const consumed = looked.mail.map((mail) => mail.id)
      await first.finishRun(held, { events: [finished(2)], consumed }, { status: 'done' })
      assert.equal(await statusOf(second, held.run), 'done')
    },
  },
  {
    topic,
    name: 'only a failed run can be retried: it is ready with an empty mailbox, its attempts counted anew',
    async run({ first, second }) {
      const held = await working(first)
      assert.deepEqual(await second.retryRun(held.run), { case: 'not failed', status: 'working' })
      const error = { code: 'T2005' as const, message: 'gone' }
      await first.finishRun(held, { events: [note(2)] }, { status: 'failed', error })
      assert.deepEqual(await second.retryRun(held.run), { case: 'ready' })
      assert.deepEqual(await first.retryRun(held.run), { case: 'not failed', status: 'ready' })
      assert.deepEqual(await first.retryRun('none'), { case: 'none' })
      const claimed = await claim(second, held.run)
      assert.equal(claimed.row.attempts, 1)
      assert.equal(claimed.row.error, undefined)
      assert.deepEqual(claimed.mail, [])
      assert.equal(claimed.row.lastSeq, 2)
    },
  },
]
