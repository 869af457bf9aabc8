import assert from 'node:assert/strict'
import { code, QuerentError } from '../../../core/error.ts'
import type { Store } from '../../../store/store.ts'
import { ann, childOf, claim, finished, newAsk, newRun, opening, parked, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'changes'

/** The runs that a store tells of while something is done. */
async function told(store: Store, act: () => Promise<unknown>): Promise<Set<string>> {
  const heard = new Set<string>()
  const stop = store.onChange((run) => heard.add(run))
  await act()
  stop()
  heard.delete('*')
  return heard
}

export const changeCases: StoreCase[] = [
  {
    topic,
    name: 'who listens is told which run changed, when the change is there',
    async run({ first }) {
      const { run, ask } = await parked(first)
      const settle = () => first.settleAsk({ ask, outcome: 'approved', by: ann })
      assert.deepEqual(await told(first, settle), new Set([run]))
      const created = newRun()
      assert.deepEqual(await told(first, () => first.createRun(created)), new Set([created.id]))
      assert.deepEqual(await told(first, () => claim(first, created.id)), new Set([created.id]))
    },
  },
  {
    topic,
    name: 'a transition that changes several runs tells of each; one that changes none tells nothing',
    async run({ first }) {
      const root = await working(first)
      const child = await working(first, { agent: 'helper', parent: childOf(root.run) })
      const finish = () => first.finishRun(child, { events: [finished(2)] }, { status: 'done' })
      assert.deepEqual(await told(first, finish), new Set([root.run, child.run]))
      assert.deepEqual(await told(first, finish), new Set())
      assert.deepEqual(await told(first, () => first.expireAsks(10)), new Set())
    },
  },
  {
    topic,
    name: 'who stopped listening hears nothing',
    async run({ first }) {
      const heard: string[] = []
      const stop = first.onChange((run) => heard.push(run))
      stop()
      await parked(first)
      assert.deepEqual(heard, [])
    },
  },
  {
    topic,
    name: 'what another handle wrote is noticed',
    async run({ first, second }) {
      await first.migrate()
      await second.migrate()
      const noticed = new Promise<string>((resolve) => second.onChange(resolve))
      await working(first)
      // No wait of ours: the case ends when the store notices, or with the time-out of whoever runs it.
      assert.notEqual(await noticed, '')
    },
  },
  {
    topic,
    name: 'what was accepted before the close is there; after it every call is refused with T1008',
    async run({ first, second }) {
      const held = await working(first)
      const write = first.append(held, opening(2, newAsk()))
      await first.close()
      assert.equal((await write).case, 'ok')
      await first.close()
      const isT1008 = (error: unknown) => error instanceof QuerentError && error.is(code.T1008)
      await assert.rejects(first.createRun(newRun()), isT1008)
      await assert.rejects(first.getRun(held.run), isT1008)
      await assert.rejects(first.migrate(), isT1008)
      first.onChange(() => {})()
      assert.equal((await second.readEvents(held.run, 0)).length, 2)
    },
  },
]
