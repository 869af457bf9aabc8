import { fakeClock } from 'querent/testing'
import { expect, test } from 'vitest'
import { childOf, newAsk, newRun, offer, opening, working } from '../../src/testing/store-kit/fixtures.ts'
import { openSqlite } from '../store/open.ts'

/* Faults of the store that random commands have found, each as the shortest list of commands that shows it. */

test('a message to a child that waits says that it is ready, and gives its claim to a free worker', async () => {
  for (const claim of [undefined, offer]) {
    const { first, close } = await openSqlite(fakeClock())
    try {
      const parent = await working(first)
      const root = { run: parent.run, step: 'tool 1.1/question 1.1' as const, path: ['asker', 'helper'], seq: 1 }
      const child = newRun({ agent: 'helper', trigger: 'delegate', parent: childOf(parent.run), claim: offer })
      const created = await first.createRun(child)
      const held = { run: child.id, fence: 1 }
      expect(created).toMatchObject({ case: 'created', claim: held })
      await first.parkRun(held, opening(2, newAsk({ root })))
      const added = await first.addMessage({ run: child.id, from: 'system', content: 'more', ...(claim && { claim }) })
      expect(added).toMatchObject({ case: 'accepted', status: claim ? 'working' : 'ready' })
      expect(await first.getRun(child.id)).toMatchObject({ status: claim ? 'working' : 'ready' })
    } finally {
      await close()
    }
  }
})
