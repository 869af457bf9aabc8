import assert from 'node:assert/strict'
import { ann, bob, newRun, stoppedBy } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'keys'

export const keyCases: StoreCase[] = [
  {
    topic,
    name: 'the same key with the same input is the same run; with another input it is said so',
    async run({ first, second }) {
      const key = { key: 'order 1', hash: 'h' }
      const run = newRun({ key })
      assert.deepEqual(await first.createRun(run), { case: 'created' })
      const again = newRun({ key })
      assert.deepEqual(await second.createRun(again), { case: 'same', run: run.id })
      const other = newRun({ key: { key: 'order 1', hash: 'other' } })
      assert.deepEqual(await second.createRun(other), { case: 'reused', run: run.id })
      assert.equal(await first.getRun(again.id), undefined)
      assert.equal(await first.getRun(other.id), undefined)
    },
  },
  {
    topic,
    name: 'keys are scoped by starter and agent',
    async run({ first, second }) {
      const key = { key: 'order 1', hash: 'h' }
      const scopes = [{}, { starter: bob }, { starter: { type: 'system' as const } }, { agent: 'helper' }]
      for (const scope of scopes) {
        assert.deepEqual(await first.createRun(newRun({ ...scope, key })), { case: 'created' })
        assert.equal((await second.createRun(newRun({ ...scope, key }))).case, 'same')
      }
    },
  },
  {
    topic,
    name: 'the run of a key is found again by its starter and agent, whatever has become of it, until it is erased',
    async run({ first, second }) {
      const key = 'order 1'
      const of = async (filter: object) =>
        (await second.listRuns({ starter: ann, agent: 'asker', key, ...filter })).items.map(({ id }) => id)
      assert.deepEqual(await of({}), [])
      const run = newRun({ key: { key, hash: 'h' } })
      const other = newRun({ starter: bob, key: { key, hash: 'h' } })
      for (const each of [run, other, newRun()]) await first.createRun(each)
      assert.deepEqual(await of({}), [run.id])
      assert.deepEqual(await of({ starter: bob }), [other.id])
      for (const nothing of [{ key: 'order 2' }, { agent: 'helper' }, { status: 'done' }]) {
        assert.deepEqual(await of(nothing), [])
      }
      await first.stopRun({ run: run.id, by: { type: 'system' }, close: stoppedBy({ type: 'system' }) })
      assert.deepEqual(await of({}), [run.id])
      assert.deepEqual(await of({ active: true }), [])
      await first.eraseRun(run.id)
      assert.deepEqual(await of({}), [])
    },
  },
  {
    topic,
    name: 'of many starts with one key on both handles one creates the run',
    async run({ first, second }) {
      const key = { key: 'k', hash: 'h' }
      const starts = Array.from({ length: 20 }, (_, index) => (index % 2 ? first : second).createRun(newRun({ key })))
      const results = await Promise.all(starts)
      assert.equal(results.filter((result) => result.case === 'created').length, 1)
      assert.equal(new Set(results.flatMap((result) => (result.case === 'same' ? [result.run] : []))).size, 1)
      assert.equal((await first.listRuns({})).items.length, 1)
    },
  },
  {
    topic,
    name: 'the same id is the same run: a child after a crash is found, not made again',
    async run({ first, second }) {
      const run = newRun()
      await first.createRun(run)
      assert.deepEqual(await second.createRun(run), { case: 'same', run: run.id })
      assert.equal((await second.readEvents(run.id, 0)).length, 1)
    },
  },
]
