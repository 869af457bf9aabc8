import assert from 'node:assert/strict'
import type { RunEvent } from '../../../core/event.ts'
import type { Mail } from '../../../store/store.ts'
import {
  ann,
  claim,
  done,
  kinds,
  newAsk,
  newRun,
  note,
  opening,
  parked,
  statusOf,
  stoppedBy,
  types,
  working,
} from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'stop'

const stopped = stoppedBy(ann)

export const stopCases: StoreCase[] = [
  {
    topic,
    name: 'a waiting run is stopped without a worker: its log closed, its asks withdrawn',
    async run({ first, second, clock }) {
      const { run, ask } = await parked(first)
      clock.advance(2)
      const seen: string[][] = []
      const close = (log: RunEvent[], mail: Mail[]) => {
        seen.push(log.map((event) => event.type))
        return stopped(log, mail)
      }
      assert.deepEqual(await second.stopRun({ run, by: ann, close }), { case: 'stopped' })
      assert.deepEqual(seen, [['run.started', 'ask.opened']])
      assert.deepEqual(await types(first, run), ['run.started', 'ask.opened', 'run.stopped'])
      const row = await first.getRun(run)
      assert.equal(row?.status, 'stopped')
      assert.equal(row.endedAt, clock.now())
      assert.equal(row.lastSeq, 3)
      assert.deepEqual(row.usage, { inputTokens: 3, outputTokens: 1, totalTokens: 4 })
      const ended = await first.getAsk(ask)
      assert.equal(ended?.state, 'withdrawn')
      assert.equal(ended.end?.because, 'stop')
      assert.equal((await first.settleAsk({ ask, outcome: 'approved', by: ann })).case, 'already')
    },
  },
  {
    topic,
    name: 'the holder of a stopped run has lost it',
    async run({ first, second }) {
      const held = await working(first)
      await first.append(held, { events: [note(2)] })
      await second.stopRun({ run: held.run, by: ann, close: stopped })
      assert.deepEqual(await first.append(held, { events: [note(3)] }), { case: 'lost' })
      assert.equal((await first.getRun(held.run))?.fence, held.fence + 1)
      assert.deepEqual(await types(first, held.run), ['run.started', 'driver.kept', 'run.stopped'])
      assert.deepEqual(await first.listOwners('kit-host'), [])
    },
  },
  {
    topic,
    name: 'a run is stopped before its first turn',
    async run({ first, second }) {
      const run = newRun()
      await first.createRun(run)
      assert.deepEqual(await second.stopRun({ run: run.id, by: ann, close: stopped }), { case: 'stopped' })
      assert.equal(
        await first.claimRun({ owner: { id: 'o', host: 'h', pid: 1, bornAt: '' }, leaseMs: 1, agents: ['asker'] }),
        undefined,
      )
    },
  },
  {
    topic,
    name: 'what was accepted before the stop stands in the log: an answer, and a message that nobody has read',
    async run({ first, second }) {
      const { run, ask } = await parked(first)
      await second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
      await second.addMessage({ run, from: 'person', content: 'more' })
      assert.deepEqual(await second.stopRun({ run, by: ann, close: stopped }), { case: 'stopped' })
      const log = await first.readEvents(run, 2)
      assert.deepEqual(
        log.map((event) => event.data),
        [{ ask, outcome: 'approved', by: ann, data: 'M' }, { from: 'person', content: 'more' }, { by: ann }],
      )
      assert.equal((await first.getAsk(ask))?.state, 'approved')
      await first.addMessage({ run, from: 'person', content: 'again' })
      assert.deepEqual(kinds((await claim(first, run)).mail), ['message'])
    },
  },
  {
    topic,
    name: 'a run that is over or not there cannot be stopped',
    async run({ first }) {
      const close = () => assert.fail('nothing is to be closed')
      const run = await done(first)
      assert.deepEqual(await first.stopRun({ run, by: ann, close }), { case: 'over', status: 'done' })
      assert.deepEqual(await first.stopRun({ run: 'none', by: ann, close }), { case: 'none' })
    },
  },
  {
    topic,
    name: 'a close that throws leaves everything as it was',
    async run({ first, second }) {
      const { run, ask } = await parked(first)
      const close = () => {
        throw new Error('cannot close')
      }
      await assert.rejects(first.stopRun({ run, by: ann, close }), /cannot close/)
      assert.equal(await statusOf(second, run), 'waiting')
      assert.equal((await second.getAsk(ask))?.state, 'open')
      assert.deepEqual(await types(second, run), ['run.started', 'ask.opened'])
    },
  },
  {
    topic,
    name: 'stopping and settling at once on both handles, many times: whoever comes second sees the first',
    async run({ first, second }) {
      for (let count = 0; count < 20; count += 1) {
        const { run, ask } = await parked(first)
        const settle = () => second.settleAsk({ ask, outcome: 'approved', by: ann, data: 'M' })
        const stop = () => first.stopRun({ run, by: ann, close: stopped })
        const both = count % 2 ? [settle(), stop()] : [stop(), settle()]
        const cases = (await Promise.all(both)).map((result) => result.case)
        assert(cases.includes('stopped'))
        const log = await types(first, run)
        assert.equal(log.includes('ask.settled'), cases.includes('settled'))
        assert.equal(log.at(-1), 'run.stopped')
        assert.equal(await statusOf(second, run), 'stopped')
      }
    },
  },
  {
    topic,
    name: 'a message opens a new round on a stopped run',
    async run({ first, second }) {
      const held = await working(first)
      await first.append(held, opening(2, newAsk()))
      await second.stopRun({ run: held.run, by: ann, close: stopped })
      await second.addMessage({ run: held.run, from: 'person', content: 'again' })
      const claimed = await claim(second, held.run)
      assert.equal(claimed.row.lastSeq, 3)
      assert.equal((await second.append(claimed, { events: [note(4)] })).case, 'ok')
    },
  },
]
