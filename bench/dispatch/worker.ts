/** A worker process: `worker.ts URL WAY HOST [hold]`. Says what it claimed and when; `hold`: it comes to no end with it. */
import { countedQueries } from './count-queries.ts'
import { finish, startWorker, type Way } from './ways.ts'

const [url = '', way = 'rows', host = '', hold] = process.argv.slice(2)
const say = (said: object) => process.send?.(said)

await startWorker(url, {
  way: way as Way,
  host,
  async work(store, claim) {
    say({ claimed: claim.run, atMs: Number(process.hrtime.bigint()) / 1e6 })
    if (hold) return new Promise(() => undefined)
    await finish(store, claim)
    say({ done: claim.run })
  },
})
process.on('message', () => say({ queries: countedQueries() }))
say({ ready: true })
