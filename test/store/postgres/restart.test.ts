import { expect, test } from 'vitest'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import { ann, finished, newAsk, newRun, offer, opening } from '../../../src/testing/store-kit/fixtures.ts'
import { type PostgresServer, startPostgres } from '../../setup/postgres-server.ts'

/* A server of its own, which is ended as a power cut would end it while others write. */

/** What was acknowledged. Whatever was not may be there or not. */
interface Acknowledged {
  created: string[]
  settled: string[]
  done: string[]
}

/** Start, ask, answer, end. What was refused may be there or not; then the next is begun. */
async function cycle(store: Store, acknowledged: Acknowledged): Promise<void> {
  const run = newRun({ claim: offer })
  const created = await store.createRun(run)
  if (created.case !== 'created' || !created.claim) throw new Error(`not created: ${created.case}`)
  acknowledged.created.push(run.id)
  const ask = newAsk()
  await store.parkRun(created.claim, opening(2, ask))
  const settled = await store.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer })
  if (settled.case !== 'settled' || !settled.claim) throw new Error(`not settled: ${settled.case}`)
  acknowledged.settled.push(ask.id)
  await store.finishRun(settled.claim, { events: [finished(4)] }, { status: 'done' })
  acknowledged.done.push(run.id)
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

async function cyclesThroughCrashes(server: PostgresServer, store: Store): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { created: [], settled: [], done: [] }
  let goOn = true
  const worker = async () => {
    while (goOn) {
      try {
        await cycle(store, acknowledged)
      } catch (error) {
        expect(error).toMatchObject({ code: 'T3003' })
      }
    }
  }
  const workers = Array.from({ length: 8 }, worker)
  for (let crashes = 0; crashes < 3; crashes += 1) {
    const before = acknowledged.done.length
    await until(() => acknowledged.done.length > before + 20)
    await server.crash()
    await server.start()
  }
  const before = acknowledged.done.length
  await until(() => acknowledged.done.length > before + 20)
  goOn = false
  await Promise.all(workers)
  return acknowledged
}

test('a server that crashes three times under load takes nothing with it that was acknowledged, and no process', async () => {
  const server = await startPostgres()
  const [store, watcher] = [postgres(server.url), postgres(server.url)]
  try {
    let told = 0
    watcher.onChange(() => {
      told += 1
    })
    const { created, settled, done } = await cyclesThroughCrashes(server, store)
    for (const run of created) expect(await store.getRun(run)).toBeDefined()
    for (const ask of settled) expect(await store.getAsk(ask)).toMatchObject({ state: 'approved' })
    for (const run of done) {
      expect(await store.getRun(run)).toMatchObject({ status: 'done', fence: 2, lastSeq: 4 })
      expect((await store.readEvents(run, 0)).map((event) => event.seq)).toEqual([1, 2, 3, 4])
    }
    // Who listened listens again.
    const before = told
    while (told === before) {
      await store.createRun(newRun())
      await new Promise(setImmediate)
    }
  } finally {
    await Promise.all([store.close(), watcher.close()])
    await server.stop()
  }
})
