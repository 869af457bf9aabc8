import { PgBoss } from 'pg-boss'
import { systemClock } from '../../src/core/ambient.ts'
import { newEvent } from '../../src/core/event.ts'
import { Dispatcher } from '../../src/engine/dispatcher.ts'
import { isAlive, thisOwner } from '../../src/engine/owner.ts'
import { Connections } from '../../src/store/postgres/connections.ts'
import { Database } from '../../src/store/postgres/database.ts'
import type { Claim, Owner, Store } from '../../src/store/store.ts'
import { storeOn } from '../../src/store/store-on.ts'

/* Two ways to bring a run that was readied to a worker: the rows themselves, and a job of pg-boss for each wake-up. */

/** `batches`: jobs are fetched sixteen at a time, and done with when the slowest of them is. */
export type Way = 'rows' | 'pg-boss' | 'pg-boss, batches'

export interface Worker {
  store: Store
  close(): Promise<void>
}

const concurrency = 16
const agents = ['asker']

/** A store whose transitions wake workers that way. */
export async function openStore(url: string, way: Way): Promise<Worker> {
  const boss = way === 'rows' ? undefined : await startBoss(url)
  const connections = new Connections({ connectionString: url }, { max: 16 })
  const options = { schema: 'querent', prepare: true, clock: undefined }
  const database = new Database(connections, {
    ...options,
    ...(boss
      ? {
          async wake(db, readied) {
            for (const [run, agent] of readied) await boss.send(agent, { run }, { singletonKey: run, db })
          },
        }
      : {}),
  })
  const store = storeOn(database, way)
  await store.migrate()
  return {
    store,
    async close() {
      await store.close()
      await boss?.stop({ graceful: false })
    },
  }
}

/** Works on what is readied, sixteen at once. `work` is given the claim. */
export async function startWorker(
  url: string,
  { way, host, work }: { way: Way; host: string; work: (store: Store, claim: Claim) => Promise<void> },
): Promise<Worker> {
  const owner: Owner = { ...thisOwner(), host }
  if (way !== 'rows') return workOnJobs(url, { way, owner, work })
  const { store, close } = await openStore(url, way)
  const silent = () => undefined
  const dispatcher = new Dispatcher({
    store,
    clock: systemClock,
    logger: { info: silent, warn: silent, error: console.error },
    owner,
    isAlive,
    agents,
    concurrency,
    work: (claim) => work(store, claim),
  })
  dispatcher.start()
  return {
    store,
    async close() {
      await dispatcher.stop(0)
      await close()
    },
  }
}

async function workOnJobs(
  url: string,
  { way, owner, work }: { way: Way; owner: Owner; work: (store: Store, claim: Claim) => Promise<void> },
): Promise<Worker> {
  const { store, close } = await openStore(url, 'rows')
  const boss = await startBoss(url)
  const polling = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }
  const options =
    way === 'pg-boss'
      ? { ...polling, localConcurrency: concurrency }
      : { ...polling, localConcurrency: 2, batchSize: concurrency, burstWhenBatchFull: true }
  const workOn = async ({ data }: { data: { run: string } }) => {
    // The job is not the right to write: the fence is, so the run is claimed all the same. Without a lease of its own: who
    // is dead is for pg-boss to find out.
    const claim = await store.claimRun({ owner, leaseMs: 1, agents, run: data.run })
    if (claim) await work(store, claim)
  }
  await boss.work<{ run: string }>('asker', options, async (jobs) => {
    await Promise.all(jobs.map(workOn))
  })
  return {
    store,
    async close() {
      await boss.stop({ graceful: false })
      await close()
    },
  }
}

/** As quick to see a dead worker as its options allow. */
async function startBoss(connectionString: string): Promise<PgBoss> {
  const everySecond = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, maintenanceIntervalSeconds: 1 }
  const boss = new PgBoss({ connectionString, useListenNotify: true, max: 16, ...everySecond })
  boss.on('error', (error) => console.error(String(error)))
  await boss.start()
  const queue = { policy: 'singleton', notify: true, heartbeatSeconds: 10, retryLimit: 5, retryDelay: 0 }
  await boss.createQueue('asker', queue)
  return boss
}

/** Ends a run as its last model reply does. */
export async function finish(store: Store, claim: Claim): Promise<void> {
  const { lastSeq } = claim.row
  const settled = claim.mail.flatMap((mail) => (mail.kind === 'settled' ? [mail.settlement] : []))
  const events = [
    ...settled.map((settlement, index) => newEvent(lastSeq + 1 + index, 'ask.settled', settlement)),
    newEvent(lastSeq + 1 + settled.length, 'run.finished', { text: 'Done.' }),
  ]
  await store.finishRun(
    claim,
    { events, consumed: claim.mail.map(({ id }) => id) },
    { status: 'done', output: 'Done.' },
  )
}
